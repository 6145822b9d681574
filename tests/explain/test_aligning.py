"""Alignment error rates of heads: measured in words that the pair has, against loops."""

from dataclasses import replace

import numpy as np
import pytest

from ferryman.corpus.phrasebook import AlignedPair
from ferryman.errors import DataError
from ferryman.explain import alignment_error, layer_head_aer, trace
from ferryman.explain.aligning import words_of
from ferryman.explain.words import find_words
from ferryman.translator.alignment import Side
from ferryman.translator.attending import attend_to_pair

PAIR = AlignedPair(
    "the old ferry.", "a quiet river.", ("the", "old", "ferry", "."), ("a", "quiet", "river", "."), ((0, 0), (3, 3))
)


def test_tokens_are_given_to_the_words_that_are_known(tokenizer):
    ids = [*tokenizer.encode(PAIR.source), tokenizer.eos_id]
    words = words_of(tokenizer, ids, PAIR.source_words)
    spelled = [
        "".join(tokenizer.decode([token]) for token, own in zip(ids, words, strict=True) if own == [number])
        for number in range(4)
    ]
    assert spelled == list(PAIR.source_words)
    assert words[-1] == []
    chinese = words_of(tokenizer, tokenizer.encode("老师来了。"), ("老师", "来", "了", "。"))
    assert [own for own in chinese if own] == [[0]] * 6 + [[1]] * 3 + [[2]] * 3 + [[3]] * 3  # in bytes
    with pytest.raises(DataError, match="not those of the text: the old"):
        words_of(tokenizer, ids, ("the", "old"))


def slow_error(translator, layer, heads):
    """Sum up by hand what each target word looked at."""
    tokenizer = translator.tokenizers.source
    source, target = ([*tokenizer.encode(text), tokenizer.eos_id] for text in (PAIR.source, PAIR.target))
    weights = attend_to_pair(translator.model, translator.symbols, source[:-1], target, [layer])[0][heads].mean(axis=0)
    looked = np.zeros((4, 4))
    from_words, to_words = (
        words_of(tokenizer, source, PAIR.source_words),
        words_of(tokenizer, target, PAIR.target_words),
    )
    for row, said in enumerate(to_words):
        for column, seen in enumerate(from_words):
            for one in said:
                for other in seen:
                    looked[one, other] += weights[row, column]
    links = {(int(looked[place].argmax()), place) for place in range(4)}
    return 1 - 2 * len(links & set(PAIR.alignment)) / (len(links) + len(PAIR.alignment))


def test_rates_of_layers_heads_and_their_mean(make_translator):
    translator = make_translator()
    rates = layer_head_aer(translator, [PAIR])
    assert rates.shape == (3, 4)
    for layer in range(3):
        for head in range(4):
            assert rates[layer, head] == pytest.approx(slow_error(translator, layer, [head]))
    assert alignment_error(translator, [PAIR]) == pytest.approx(slow_error(translator, 1, [0, 1, 2, 3]))


def test_words_of_a_language_without_spaces_are_runs_of_whole_tokens(tokenizer):
    ids = tokenizer.encode("河 ferry")
    side = Side(tokenizer, spaced=False)
    words = find_words(side, ids)
    spelled = [tokenizer.decode([ids[place] for place in word]) for word in words]
    assert spelled[0] == "河"  # one character of three byte tokens
    assert "".join(spelled).replace(" ", "") == "河ferry"
    assert max(len(side.words(ids)[place]) for place in words[-1]) > 1 or len(words) == 6


def test_a_trace_has_the_error_rate_of_a_translation_whose_links_are_known(make_translator, sentence):
    translator = make_translator()
    plain = trace(translator, sentence)
    assert plain.alignment.aer is None
    said = plain.target.text
    words = tuple(sentence.split()), tuple(said.split())
    gold = AlignedPair(sentence, said, *words, plain.alignment.links)
    assert trace(translator, sentence, gold=gold).alignment.aer == 0.0
    wrong = tuple(((source + 1) % len(words[0]), target) for source, target in plain.alignment.links)
    assert trace(translator, sentence, gold=replace(gold, alignment=wrong)).alignment.aer == 1.0
    assert trace(translator, sentence, gold=replace(gold, target="another")).alignment.aer is None
