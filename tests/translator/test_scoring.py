"""The log-probability of a given translation is the one that decoding counts."""

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.data.batch import pad_rows
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import TranslationError

STARTS = ["bos", "eos", "pad"]


def stepped(translator, source, tokens):
    """Add up what the stepper says of each token in turn."""
    ids, _ = pad_rows([translator.tokenizers.source.encode(source)], pad=0, last=translator.symbols.eos)
    total, last = 0.0, translator.symbols.start
    with torch.inference_mode():
        stepper = TorchStepper(translator.model.eval(), ids, None)
        stepper.start(1)
        for token in tokens:
            total += stepper.step(torch.tensor([last]))[0, token].item()
            last = token
    return total


def ended(translator, target):
    return [*translator.tokenizers.target.encode(target), translator.symbols.eos]


@pytest.mark.parametrize("start", STARTS)
def test_score_adds_up_the_steps(make_translator, sentences, start):
    translator = make_translator(start_symbol=start, dropout=0.5)
    translator.model.train()
    sources, targets = sentences[:16], sentences[5:21]
    expected = [
        stepped(translator, source, ended(translator, target)) for source, target in zip(sources, targets, strict=True)
    ]
    assert translator.score(sources, targets) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("start", STARTS)
def test_a_translations_log_probability_adds_up_the_steps_too(make_translator, sentences, start):
    translator = make_translator(start_symbol=start)
    sentences = sentences[:16]
    found = translator.translate(sentences)
    expected = [stepped(translator, source, one.tokens) for source, one in zip(sentences, found, strict=True)]
    assert [one.log_prob for one in found] == pytest.approx(expected, abs=1e-4)


def test_scores_do_not_depend_on_neighbours_or_order(translator, sentences):
    targets = sentences[::-1]
    together = translator.score(sentences, targets)
    assert translator.score(sentences[::-1], targets[::-1]) == pytest.approx(together[::-1], abs=1e-4)
    alone = [translator.score([source], [target])[0] for source, target in zip(sentences, targets, strict=True)]
    assert together == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 3, 5])
def test_a_translation_is_scored_as_it_was_said(make_translator, sentences, beam):
    """Also where the tokenizer would cut its text otherwise, where it never ended, and where it is empty."""
    translator = make_translator(ending=5.0)
    decoding = DecodingConfig(device="cpu", beam=beam, n_best=beam, max_length_ratio=1.0, max_length_extra=4)
    found = translator.translate([*sentences, " "], decoding)
    pairs = [
        (source, one)
        for source, best in zip([*sentences, " "], found, strict=True)
        for one in (best, *best.alternatives)
    ]
    assert len(pairs) > (80 if beam > 1 else 50)
    target = translator.tokenizers.target
    assert any(tuple(target.encode(one.text)) != one.tokens[:-1] for _, one in pairs)
    assert any(one.tokens[-1:] != (translator.symbols.eos,) for _, one in pairs)
    scores = translator.score([source for source, _ in pairs], [one for _, one in pairs])
    assert scores == pytest.approx([one.log_prob for _, one in pairs], abs=1e-4)


@pytest.mark.parametrize("too_long", ["split", "truncate"])
def test_a_translation_in_pieces_has_no_score_as_a_whole(translator, sentences, too_long):
    text = " ".join(sentences)
    (found,) = translator.translate([text], DecodingConfig(device="cpu", max_source_tokens=9, too_long=too_long))
    with pytest.raises(TranslationError, match=r"^text 2 is a translation .* give its text"):
        translator.score(["the river", text], ["the town", found])


def test_an_empty_target_scores_the_end_symbol(translator):
    assert translator.score(["the river"], [""]) == pytest.approx(
        [stepped(translator, "the river", ended(translator, ""))], abs=1e-5
    )


def test_no_pairs(translator):
    assert translator.score([], []) == []


def test_unequal_numbers_are_refused_with_both(translator):
    with pytest.raises(TranslationError, match="2 sources but 1 targets"):
        translator.score(["a", "b"], ["c"])


@pytest.mark.parametrize("pair", [(["a\ud800"], ["b"]), (["a"], ["b\udc00"])], ids=["source", "target"])
def test_a_lone_surrogate_is_refused(translator, pair):
    with pytest.raises(TranslationError, match=r"^text 1: .*lone surrogate"):
        translator.score(*pair)


def test_texts_instead_of_lists_are_refused(translator):
    with pytest.raises(TranslationError, match="expected a list of texts"):
        translator.score("ab", "cd")
