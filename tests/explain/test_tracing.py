"""A trace says what translate says, and what it shows of the inside is what the model computed."""

from pathlib import Path

import numpy as np
import pytest
import torch

import ferryman
from ferryman.config import DecodingConfig
from ferryman.engines import choice, int8
from ferryman.errors import TranslationError
from ferryman.explain import trace
from ferryman.explain.internals import observe_pass

FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"

GREEDY, BEAM = {"beam": 1}, {"beam": 4, "length_penalty": 0.6}
WAYS = [
    GREEDY,
    BEAM,
    {"beam": 4, "n_best": 3},
    {"beam": 3, "engine": "torch"},
    {"beam": 3, "engine": "packed"},
    {"beam": 3, "fallback": True},
    {"beam": 4, "rerank": "mbr"},
    {"beam": 3, "repetition_penalty": 1.5},
    {"beam": 3, "coverage_penalty": 0.4},
    {"beam": 3, "required_phrases": ("wide river",)},
    {"beam": 2, "target_prefix": "the old"},
    {"sampling": True, "samples": 3},
    {"beam": 4, "beam_groups": 2},
]


def same(found, expected) -> bool:
    target = found.target
    return (target.text, target.log_prob, target.score, target.flags, tuple(one.id for one in target.tokens)) == (
        expected.text,
        expected.log_prob,
        expected.score,
        expected.flags,
        expected.tokens,
    )


@pytest.mark.parametrize("norm_order", ["post", "pre"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_is_the_translation(make_translator, sentence, way, norm_order):
    translator = make_translator(norm_order=norm_order, decoding=way)
    expected = translator.translate([sentence])[0]
    found = trace(translator, sentence)
    assert same(found, expected)
    assert sum(found.target.token_log_probs) == pytest.approx(expected.log_prob, abs=1e-4)
    assert found.decoding.exact
    assert translator.searcher.record is None


@pytest.mark.parametrize("runtime", [False, True])
@pytest.mark.skipif(not int8.has_kernel(), reason="this PyTorch has no kernel for products in eight bits")
def test_of_a_search_in_eight_bits_the_inside_is_the_models_own(make_translator, sentence, monkeypatch, runtime):
    monkeypatch.setattr(int8, "WORTH_IT", 1)
    monkeypatch.setattr(choice, "has_runtime", lambda: runtime)
    translator = make_translator(decoding={"engine": "int8", "beam": 3})
    found = trace(translator, sentence)
    assert same(found, translator.translate([sentence])[0])
    assert (found.decoding.engine, found.decoding.exact) == ("onnx-int8" if runtime else "int8", False)


def test_what_is_protected_is_put_back_and_what_the_model_saw_is_shown():
    translator = ferryman.load(FROZEN)
    text = "Send 1,234.50 to <b>me@x.org</b> now."
    found = trace(translator, text)
    assert same(found, translator.translate([text])[0])
    assert found.source.text == text
    assert "1,234.50" in found.target.text


def test_attention_is_that_of_one_sentence_without_padding(make_translator, sentence):
    """Case T94."""
    found = trace(make_translator(decoding=BEAM), sentence)
    source, target = len(found.source.tokens), len(found.target.tokens)
    assert [token.piece for token in found.source.tokens][-1] == "</s>"
    assert "".join(token.text for token in found.source.tokens[:-1]) == sentence.replace(" ", "")
    shapes = {"encoder": (source, source), "decoder_self": (target, target), "cross": (target, source)}
    for name, weights in found.tensors.items():
        if name.endswith(".weights"):
            kind = "cross" if "cross" in name else "encoder" if name.startswith("encoder") else "decoder_self"
            assert weights.shape == (4, *shapes[kind])
            np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-5)
            future = np.triu(weights, 1)
            assert (future == 0).all() == (kind == "decoder_self")


def test_one_pass_sees_what_the_steps_saw(make_translator, sentence):
    translator = make_translator(norm_order="pre", decoding=GREEDY)
    found = trace(translator, sentence)
    source = torch.tensor([[token.id for token in found.source.tokens]])
    with torch.inference_mode():
        state = translator.model.encode(source)
        for place, token in enumerate(found.target.inputs):
            seen = {}
            _, state = translator.model.decode(torch.tensor([[token.id]]), state, seen.__setitem__)
            for layer in range(3):
                cross, past = (f"decoder.{layer}.{kind}_attention.weights" for kind in ("cross", "self"))
                np.testing.assert_allclose(seen[cross][0, :, 0], found.tensors[cross][:, place], atol=1e-5)
                np.testing.assert_allclose(seen[past][0, :, 0], found.tensors[past][:, place, : place + 1], atol=1e-5)


def test_steps_tell_the_likeliest_tokens_and_what_was_chosen(make_translator, sentence):
    translator = make_translator(decoding=GREEDY)
    found = trace(translator, sentence)
    log_probs = observe_pass(
        translator.model, [token.id for token in found.source.tokens], [token.id for token in found.target.inputs]
    ).log_probs
    for place, step in enumerate(found.steps):
        assert len(step.candidates) == 12
        assert step.chosen == found.target.tokens[place].id
        assert [one.log_prob for one in step.candidates] == sorted(one.log_prob for one in step.candidates)[::-1]
        assert step.candidates[0].log_prob == log_probs[place].max().item()
        probabilities = log_probs[place].exp()
        assert step.entropy_bits == pytest.approx(-(probabilities * probabilities.log2()).sum().item(), rel=1e-4)


def test_entropy_is_in_bits_and_residuals_are_those_of_the_layers(make_translator, sentence):
    found = trace(make_translator(norm_order="pre", decoding=GREEDY), sentence)
    bits = found.entropy_bits["decoder.0.self_attention"]
    assert [row[0] for row in bits] == [0.0] * 4  # it can only see itself
    assert all(row[1] <= 1.0 for row in bits)
    weights = found.tensors["encoder.1.self_attention.weights"][2, 3]
    expected = -(weights * np.log2(weights)).sum()
    assert found.entropy_bits["encoder.1.self_attention"][2][3] == pytest.approx(expected, rel=1e-4)
    assert list(found.residual)[:3] == [
        "encoder.0.self_attention",
        "encoder.0.feed_forward",
        "encoder.1.self_attention",
    ]
    assert list(found.residual)[-1] == "decoder.final_norm"
    total = found.tensors["encoder.0.feed_forward.residual"]
    np.testing.assert_allclose(found.residual["encoder.0.feed_forward"].variance, total.var(axis=-1), rtol=1e-4)
    np.testing.assert_allclose(found.residual["decoder.final_norm"].norm_variance, 1.0, rtol=1e-2)


def test_words_and_links_are_those_of_translate(make_translator, sentence):
    translator = make_translator(decoding={**BEAM, "alignment": "hard"})
    found = trace(translator, sentence)
    expected = translator.translate([sentence])[0].alignment
    assert found.alignment.links == expected.links
    assert (len(found.source.words), len(found.target.words)) == expected.words
    assert found.alignment.told_by == "mean over the heads of decoder layer 2"
    spelled = ["".join(found.source.tokens[place].text for place in word) for word in found.source.words]
    assert spelled == sentence.split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("The river is wide. The ferry is old.", "2 sentences.*such as: The river is wide\\."),
        ("  ", "nothing in the text needs a translation"),
        ("https://example.org/", "nothing in the text needs a translation"),
        ("river " * 60, "too long to be translated in one piece"),
    ],
)
def test_what_is_not_one_sentence_is_refused_in_words(make_translator, text, message):
    translator = make_translator(decoding={"beam": 2, "max_source_tokens": 40})
    with pytest.raises(TranslationError, match=message):
        trace(translator, text)


def test_several_models_at_once_are_refused(make_translator, sentence):
    first, second = make_translator(), make_translator()
    both = ferryman.Translator(first.model, first.config, first.tokenizers, partners=[second.model])
    with pytest.raises(TranslationError, match="a trace is of one"):
        trace(both, sentence)


def test_settings_of_the_call_are_those_of_the_search(make_translator, sentence):
    translator = make_translator()
    found = trace(translator, sentence, DecodingConfig(beam=2, length_penalty=0.0, device="cpu", fallback=False))
    assert (found.decoding.beam, found.decoding.length_penalty) == (2, 0.0)
    assert all(len(level.candidates) <= 4 for level in found.beam.steps)
