"""From text to text: each by itself, in order, with what was out of the ordinary said."""

import random

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.errors import ConfigError, TranslationError
from ferryman.translator import translator as translator_module


def decoding(**settings):
    """A short search; what a random model says is always doubtful, and is not tried again here."""
    short = {"device": "cpu", "beam": 3, "max_length_ratio": 1.0, "max_length_extra": 4, "fallback": False}
    return DecodingConfig(**{**short, **settings})


def assert_same(actual, expected):
    assert [(one.text, one.tokens, one.flags) for one in actual] == [
        (one.text, one.tokens, one.flags) for one in expected
    ]
    log_probs = [[one.log_prob for one in translations] for translations in (actual, expected)]
    assert log_probs[0] == pytest.approx(log_probs[1], abs=1e-5)


@pytest.fixture
def translations(translator, sentences):
    """All fifty in one batch, and not all of them alike."""
    found = translator.translate(sentences, decoding(batch_tokens=100_000))
    assert len({one.text for one in found}) > 40
    assert len({len(one.tokens) for one in found}) > 8
    return found


@pytest.mark.parametrize("sentences_a_batch", [1, 7])
def test_a_translation_does_not_depend_on_its_batch(translator, sentences, translations, sentences_a_batch):
    """T49: texts and log-probabilities are those of one large batch."""
    longest = max(len(translator.tokenizers.source.encode(text)) for text in sentences) + 1
    budget = longest * 3 * sentences_a_batch
    assert_same(translator.translate(sentences, decoding(batch_tokens=budget)), translations)


def test_a_translation_does_not_depend_on_its_neighbours_or_their_order(translator, sentences, translations):
    """T49."""
    order = random.Random(3).sample(range(50), 20)
    assert_same(translator.translate([sentences[i] for i in order]), [translations[i] for i in order])
    assert_same(translator.translate(sentences[7:8]), translations[7:8])


def test_greedy_does_not_depend_on_the_batch_either(translator, sentences):
    alone, together = (
        translator.translate(sentences[:16], decoding(beam=1, batch_tokens=size)) for size in (1, 100_000)
    )
    assert_same(alone, together)


def test_streaming_gives_the_same_in_bounded_parts(translator, sentences, translations, monkeypatch):
    monkeypatch.setattr(translator_module, "STREAM_CHUNK", 7)
    read = []
    stream = translator.translate_stream(read.append(text) or text for text in sentences)
    first = next(stream)
    assert len(read) == 7
    assert_same([first, *stream], translations)


def test_a_model_in_training_is_not_left_to_chance(make_translator, sentences):
    translator = make_translator(dropout=0.5)
    expected = translator.translate(sentences[:5])
    translator.model.train()
    assert_same(translator.translate(sentences[:5]), expected)


@pytest.mark.parametrize("blank", ["", " ", "\u00a0\u3000", "\t\n"])
def test_blank_texts_have_the_empty_translation_in_their_place(translator, blank):
    """T59."""
    found = translator.translate([blank, "the river", blank])
    assert [(one.text, one.log_prob, one.tokens, one.flags) for one in found[::2]] == [("", 0.0, (), ())] * 2
    assert_same(found[1:2], translator.translate(["the river"]))


def test_blank_texts_are_empty_in_every_normal_form(translator, monkeypatch):
    monkeypatch.setattr(translator.tokenizers.source, "_normalise", lambda text: text)
    assert translator.tokenizers.source.encode("   ") != []
    assert translator.translate(["   "])[0].tokens == ()


def test_nothing_to_translate(translator):
    assert translator.translate([]) == []
    assert list(translator.translate_stream([])) == []


@pytest.mark.parametrize("text", ["🙂", "...", "river", "中", "</s>"])
def test_odd_texts_are_one_translation(translator, text):
    """T59, T63."""
    assert len(translator.translate([text])) == 1


def test_the_n_best_are_the_beam_and_more_of_them_never_change_the_first(make_translator, sentences):
    translator = make_translator(ending=6.0)
    translations = translator.translate(sentences)
    for n_best in (2, 3):
        found = translator.translate(sentences, decoding(n_best=n_best))
        assert_same(found, translations)
        for one in found:
            scores = [one.score, *(other.score for other in one.alternatives)]
            assert scores == sorted(scores, reverse=True)
            assert len({one.tokens, *(other.tokens for other in one.alternatives)}) == len(scores) <= n_best
            assert all(other.alternatives == () for other in one.alternatives)
    assert sum(len(one.alternatives) == 2 for one in found) > 10
    assert all(one.alternatives == () for one in translations)


def test_score_is_the_log_probability_over_the_length_penalty(translator, sentences):
    """T52: the length counts the end symbol."""
    for one in translator.translate(sentences[:9], decoding(length_penalty=0.6)):
        assert one.score == pytest.approx(one.log_prob / ((5 + len(one.tokens)) / 6) ** 0.6, rel=1e-5)
        assert (one.tokens[-1] == translator.symbols.eos) == ("truncated" not in one.flags)


@pytest.mark.parametrize("beam", [1, 3])
def test_a_model_that_never_ends_stops_at_the_bound_of_each_sentence(make_translator, sentences, beam):
    """T51."""
    translator = make_translator(ending=-1e9)
    found = translator.translate(sentences[:5], decoding(beam=beam, max_length_ratio=1.5, max_length_extra=3))
    lengths = [len(row) for row in translator.tokenizers.source.encode_batch(sentences[:5])]
    assert [len(one.tokens) for one in found] == [int(1.5 * length) + 3 + 1 for length in lengths]
    assert all(one.flags[0] == "truncated" for one in found)
    assert all(one.text for one in found)


@pytest.mark.parametrize("beam", [1, 3])
def test_learned_positions_bound_source_and_target(make_translator, sentences, beam):
    """T17: a table of 16 positions and a target that would be longer."""
    translator = make_translator(ending=-1e9, positions="learned", max_positions=16)
    (found,) = translator.translate([" ".join(sentences)], decoding(beam=beam, too_long="truncate"))
    assert len(found.tokens) == 16
    assert found.flags == ("cut", "truncated")


@pytest.mark.parametrize("beam", [1, 3])
def test_minimum_length_counts_tokens_without_the_end_symbol(make_translator, sentences, beam):
    translator = make_translator(ending=1e9)
    found = translator.translate(sentences[:5], decoding(beam=beam, min_length=4))
    assert [len(one.tokens) for one in found] == [5] * 5
    assert not any("truncated" in one.flags for one in found)


@pytest.mark.parametrize("beam", [1, 3])
def test_control_symbols_are_never_said(translator, sentences, beam):
    tokenizer = translator.tokenizers.target
    with torch.no_grad():
        translator.model.output_bias[[tokenizer.pad_id, tokenizer.bos_id, tokenizer.unk_id]] = 5.0
    found = translator.translate(sentences, decoding(beam=beam))
    said = {token for one in found for token in one.tokens}
    assert said & tokenizer.never_text <= {tokenizer.eos_id}
    assert len(said) > 10


@pytest.mark.parametrize("method", ["translate", "translate_stream"])
def test_a_lone_surrogate_is_refused_and_its_text_numbered(translator, monkeypatch, method):
    monkeypatch.setattr(translator_module, "STREAM_CHUNK", 2)
    with pytest.raises(TranslationError, match=r"^text 4: .*U\+D800, at character 2 of 3"):
        list(getattr(translator, method)(["a", "b", "c", "x\ud800y"]))


def test_one_text_instead_of_a_list_is_refused(translator):
    with pytest.raises(TranslationError, match="expected a list of texts"):
        translator.translate("the river")


def test_a_call_cannot_change_what_is_decided_when_a_model_is_loaded(translator):
    with pytest.raises(
        ConfigError, match=r'decoding.device: cuda is not .* \(cpu\).* load it with "decoding.device=cuda"'
    ):
        translator.translate(["a"], decoding(device="cuda"))
    with pytest.raises(ConfigError, match=r'load it with "decoding.threads=77"'):
        translator.translate(["a"], decoding(threads=77))
    assert translator.translate(["a"], decoding(threads=torch.get_num_threads()))


def test_what_a_model_s_configuration_says_of_another_machine_is_no_matter(translator, monkeypatch):
    """As when a model that is to translate on a GPU is trained, and validated, on a CPU."""
    there = decoding(device="cuda", threads=77)
    monkeypatch.setattr(translator, "config", translator.config.model_copy(update={"decoding": there}))
    assert translator.translate(["a"])
    assert translator.translate(["a"], there.model_copy(update={"beam": 1}))
