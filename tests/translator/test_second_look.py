"""Token log-probabilities, alignments and coverage: what a second pass sees is what the search did."""

import math

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.data.batch import pad_rows
from ferryman.decoding import Attention, Hypothesis
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import ConfigError
from ferryman.translator.alignment import Side, align

BASE = {"device": "cpu", "beam": 3, "n_best": 3, "max_length_ratio": 1.0, "max_length_extra": 4}


def decoding(**settings):
    return DecodingConfig(**{**BASE, **settings})


def every(found):
    return [each for one in found for each in (one, *one.alternatives)]


def stepped(translator, source, tokens):
    ids, _ = pad_rows([translator.tokenizers.source.encode(source)], pad=0, last=translator.symbols.eos)
    values, last = [], translator.symbols.start
    with torch.inference_mode():
        stepper = TorchStepper(translator.model.eval(), ids, None)
        stepper.start(1)
        for token in tokens:
            values.append(stepper.step(torch.tensor([last]))[0, token].item())
            last = token
    return values


@pytest.mark.parametrize("way", [{}, {"beam_groups": 3}, {"sampling": True, "samples": 3}, {"max_length_ratio": 0.1}])
def test_token_log_probabilities_are_the_steps_and_add_up(translator, sentences, way):
    found = translator.translate(sentences[:12], decoding(**way, token_log_probs=True))
    for source, one in zip(sentences, found, strict=False):
        for each in (one, *one.alternatives):
            assert each.token_log_probs == pytest.approx(stepped(translator, source, each.tokens), abs=1e-4)
            assert sum(each.token_log_probs) == pytest.approx(each.log_prob, abs=1e-4)
    plain = translator.translate(sentences[:12], decoding(**way))
    assert [one.text for one in every(plain)] == [one.text for one in every(found)]
    assert all(one.token_log_probs == () and one.alignment is None for one in every(plain))


@pytest.mark.parametrize("way", [{"beam": 1, "n_best": 1}, {}, {"sampling": True, "samples": 3}])
def test_a_repetition_penalty_leaves_the_log_probability_the_models_own(translator, sentences, way):
    plain = translator.translate(sentences[:12], decoding(**way))
    found = translator.translate(sentences[:12], decoding(**way, repetition_penalty=3.0, token_log_probs=True))
    assert [one.text for one in found] != [one.text for one in plain]
    for source, one in zip(sentences, found, strict=False):
        for each in (one, *one.alternatives):
            assert each.log_prob == pytest.approx(sum(stepped(translator, source, each.tokens)), abs=1e-4)
            assert each.score <= each.log_prob / ((5 + len(each.tokens)) / 6) + 1e-4


def test_soft_alignments_are_the_attention_of_the_layer_and_hard_ones_follow(make_translator, sentences):
    translator = make_translator(decoder_layers=3)
    source = sentences[6]
    found, first, usual = (
        translator.translate([source], decoding(alignment="soft", alignment_layer=layer))[0] for layer in (2, 1, 0)
    )
    assert usual == found != first
    alignment = found.alignment
    assert alignment.source_tokens == (*translator.tokenizers.source.pieces(source), "</s>")
    assert len(alignment.weights) == len(found.tokens)
    assert [sum(row) for row in alignment.weights] == pytest.approx([1.0] * len(found.tokens), abs=1e-5)
    seen = {}
    ids, _ = pad_rows([translator.tokenizers.source.encode(source)], pad=0, last=translator.symbols.eos)
    with torch.inference_mode():
        target = torch.tensor([[translator.symbols.start, *found.tokens[:-1]]])
        translator.model.decode(target, translator.model.encode(ids), seen.__setitem__)
    expected = seen["decoder.1.cross_attention.weights"][0].mean(dim=0)
    torch.testing.assert_close(torch.tensor(alignment.weights), expected, rtol=1e-4, atol=1e-5)
    assert [target for _, target in alignment.links] == list(range(len(found.text.split())))
    assert all(0 <= place < len(source.split()) for place, _ in alignment.links)
    hard = translator.translate([source], decoding(alignment="hard"))[0].alignment
    assert (hard.links, hard.weights) == (alignment.links, ())
    assert hard.pharaoh == " ".join(f"{one}-{other}" for one, other in hard.links)


def test_pieces_of_a_long_source_are_aligned_to_their_own_words(translator, sentences):
    text = " ".join(sentences[3:12])
    (found,) = translator.translate([text], decoding(n_best=1, alignment="soft", max_source_tokens=12))
    alignment = found.alignment
    assert "split" in found.flags
    assert [target for _, target in alignment.links] == list(range(len(found.text.split())))
    assert max(place for place, _ in alignment.links) >= len(text.split()) // 2
    assert {len(row) for row in alignment.weights} == {len(alignment.source_tokens)}
    assert [sum(row) for row in alignment.weights] == pytest.approx([1.0] * len(found.tokens), abs=1e-5)


def test_words_are_linked_to_what_their_tokens_look_at_most(tokenizer):
    source, target = tokenizer.encode("the old a"), (*tokenizer.encode("a zq the"), tokenizer.eos_id)
    names = tokenizer.pieces(target)
    assert len(source) == 3
    assert (names[0], names[-2:], len(names)) == ("▁a", ["▁the", "</s>"], 6)
    weights = [[0.1, 0.1, 0.7, 0.1], *[[0.3, 0.35, 0.25, 0.1]] * 2, [0.1, 0.8, 0.0, 0.1]]
    weights += [[0.2, 0.1, 0.1, 0.6], [0.0, 0.0, 0.0, 1.0]]
    attention = Attention((*source, tokenizer.eos_id), tuple(map(tuple, weights)))
    part = Hypothesis(target, -1.0, -1.0, True, attention=attention)
    spaced, unspaced = Side(tokenizer, True), Side(tokenizer, False)
    assert align([part], spaced, spaced, soft=False).pharaoh == "2-0 1-1 0-2"
    assert align([part], spaced, unspaced, soft=False).pharaoh == "2-0 1-1 1-2 0-3 0-4 0-5"
    assert align([Hypothesis(target, -1.0, -1.0, True)], spaced, spaced, soft=False) is None


def test_characters_of_several_tokens_are_one_unit(tokenizer):
    ids = tokenizer.encode("中 文a")
    assert len(ids) > 6
    words = Side(tokenizer, False).words(ids)
    assert sorted({word for each in words for word in each}) == [0, 1, 2]
    assert Side(tokenizer, True).words(ids)[-1] == [1]


def test_coverage_is_part_of_the_score(translator, sentences):
    beta = 0.7
    found = translator.translate(sentences[:12], decoding(coverage_penalty=beta, alignment="soft"))
    for one in every(found):
        looked = torch.tensor(one.alignment.weights)[:, :-1].sum(dim=0).clamp(max=1.0)
        expected = one.log_prob / ((5 + len(one.tokens)) / 6) + beta * looked.log().sum().item()
        assert one.score == pytest.approx(expected, abs=1e-3)
    assert all(
        [each.score for each in (one, *one.alternatives)]
        == sorted((each.score for each in (one, *one.alternatives)), reverse=True)
        for one in found
    )
    plain = translator.translate(sentences[:12], decoding())
    assert {one.text for one in every(plain)} == {one.text for one in every(found)}
    plain, strong = (translator.translate(sentences, decoding(coverage_penalty=beta)) for beta in (0.0, 100.0))
    assert [one.text for one in plain] != [one.text for one in strong]


def test_a_layer_that_is_not_there_is_refused(translator):
    with pytest.raises(ConfigError, match="alignment_layer: 2, but the decoder has 1"):
        translator.translate(["the river"], decoding(alignment="hard", alignment_layer=2))


def test_empty_translations_have_nothing_to_align(make_translator):
    (found,) = make_translator(ending=1e9).translate(["the"], decoding(alignment="hard", token_log_probs=True))
    assert (found.text, found.alignment.links) == ("", ())
    assert math.isclose(found.token_log_probs[0], found.log_prob, abs_tol=1e-4)
    (blank,) = make_translator().translate([" "], decoding(alignment="hard"))
    assert blank.alignment is None
