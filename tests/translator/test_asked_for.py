"""What is asked of a search: each with every way of searching, in any batch, and honest where it fails."""

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.config_file import load_config
from ferryman.errors import ConfigError, TranslationError
from ferryman.translator.wishes import contains

BASE = {"device": "cpu", "max_length_ratio": 1.0, "max_length_extra": 8}
WAYS = [
    {"beam": 1},
    {"beam": 4, "n_best": 3},
    {"beam": 4, "beam_groups": 2, "n_best": 3},
    {"sampling": True, "samples": 4, "n_best": 3, "top_k": 40},
]
BEAMS = WAYS[:2]


def decoding(**settings):
    return DecodingConfig(**{**BASE, "fallback": False, **settings})


def every(found):
    return [each for one in found for each in (one, *one.alternatives)]


def content(found):
    return [(one.text, one.tokens, one.flags) for one in every(found)]


def grams(tokens, size):
    return [tokens[place : place + size] for place in range(len(tokens) - size + 1)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"no_repeat_ngram": 2, "repetition_penalty": 1.2},
        {"forbidden_phrases": ["e"], "target_prefix": "the old"},
        {"coverage_penalty": 0.3, "alignment": "hard", "token_log_probs": True},
    ],
)
def test_a_translation_does_not_depend_on_its_batch_or_on_n_best(translator, sentences, way, asked):
    whole = translator.translate(sentences[:9], decoding(**way, **asked, batch_tokens=100_000))
    small = translator.translate(sentences[:9], decoding(**way, **asked, batch_tokens=60))
    assert content(small) == content(whole)
    assert [one.alignment for one in every(small)] == [one.alignment for one in every(whole)]
    first = translator.translate(sentences[8:2:-2], decoding(**{**way, "n_best": 1}, **asked))
    assert content(first) == [content([one])[0] for one in whole[8:2:-2]]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_said_twice(translator, sentences, way):
    plain = translator.translate(sentences[:12], decoding(**way))
    found = translator.translate(sentences[:12], decoding(**way, no_repeat_ngram=1))
    assert any(len(set(one.tokens)) < len(one.tokens) for one in every(plain))
    assert all(len(set(one.tokens)) == len(one.tokens) for one in every(found))


@pytest.mark.parametrize("way", WAYS)
def test_forbidden_phrases_are_absent_however_they_are_spelled(translator, sentences, way):
    """T54."""
    plain = " ".join(one.text for one in every(translator.translate(sentences[:20], decoding(**way))))
    phrases = ["e", "nd", " a ", "old t"]
    assert all(phrase in f" {plain} " for phrase in phrases[:3])
    found = translator.translate(sentences[:20], decoding(**way, forbidden_phrases=phrases))
    for one in every(found):
        assert not any(phrase in f" {one.text}" for phrase in phrases)
        assert ("forbidden" in one.flags) == (one.text.split()[-1:] == ["a"])
        assert "forbidden" not in one.flags or "truncated" in one.flags


def test_a_phrase_with_spaces_is_forbidden_as_a_word_alone(make_translator, sentences):
    translator = make_translator()
    tokenizer = translator.tokenizers.target
    (word,) = tokenizer.encode("the")
    translator.model.output_bias.data[word] += 20
    found = translator.translate(sentences[:9], decoding(beam=4, forbidden_phrases=[" the "]))
    assert any("the" in one.text for one in found)
    assert not any("the" in one.text.split() for one in found if "truncated" not in one.flags)


@pytest.mark.parametrize("way", WAYS)
def test_every_translation_begins_with_its_prefix(translator, sentences, way):
    texts, prefixes = sentences[:4], ["the quiet", "", "old town over", "a"]
    found = translator.translate(texts, decoding(**way), prefixes=prefixes)
    for one, prefix in zip(found, prefixes, strict=True):
        assert all(each.text.startswith(prefix) for each in (one, *one.alternatives))
    assert content(found[1:2]) == content(translator.translate(texts[1:2], decoding(**way)))
    configured = translator.translate(texts[:1], decoding(**way, target_prefix="the quiet"))
    assert content(configured) == content(found[:1])
    scores = translator.score(texts[:1], [found[0].text])
    if tuple(translator.tokenizers.target.encode(found[0].text)) == found[0].tokens[:-1]:
        assert scores == pytest.approx([found[0].log_prob], abs=1e-4)


@pytest.mark.parametrize("way", BEAMS)
def test_required_phrases_are_there_word_for_word(translator, sentences, way):
    """T54: absent, overlapping, two."""
    wanted = [["quiet river"], ["seven old", "old people"], [], ["carries", "wide"]]
    found = translator.translate(sentences[4:8], decoding(**way), constraints=wanted)
    for one, phrases in zip(found, wanted, strict=True):
        assert "unmet" not in one.flags
        assert all(contains(one.text, phrase, spaced=True) for phrase in phrases)
    assert content(found[2:3]) == content(translator.translate(sentences[6:7], decoding(**way)))
    configured = translator.translate(sentences[4:5], decoding(**way, required_phrases=["quiet river"]))
    assert content(configured) == content(found[:1])


def test_a_phrase_that_is_there_already_changes_nothing(translator, sentences):
    """T54."""
    found = [one.text for one in translator.translate(sentences[:20], decoding(beam=4))]
    pairs = [(source, text) for source, text in zip(sentences, found, strict=False) if " " in text]
    words = [[" ".join(text.split()[:2])] for _, text in pairs]
    again = translator.translate([source for source, _ in pairs], decoding(beam=4), constraints=words)
    assert [one.text for one in again] == [text for _, text in pairs]
    assert len(pairs) > 5


def test_an_impossible_phrase_is_flagged_and_the_rest_is_as_without_it(translator, sentences):
    """T54."""
    asked = decoding(beam=4, forbidden_phrases=["river"])
    (found,) = translator.translate(sentences[3:4], asked, constraints=[["quiet river"]])
    (without,) = translator.translate(sentences[3:4], asked)
    assert found.flags == (*without.flags, "unmet")
    assert found.text == without.text


def test_phrases_where_words_do_not_stand_apart(make_translator):
    translator = make_translator()
    data = translator.config.data.model_copy(update={"target_language": "zh"})
    translator.config = translator.config.model_copy(update={"data": data})
    (found,) = translator.translate(["the river"], decoding(beam=4), constraints=[["people"]])
    assert "people" in found.text
    assert "unmet" not in found.flags


def test_of_a_text_in_pieces_one_says_the_phrase(translator, sentences):
    text = " ".join(sentences[5:15])
    asked = decoding(beam=3, max_source_tokens=12)
    plain, found, impossible = (
        translator.translate([text], asked.model_copy(update=more), prefixes=["a wide"], constraints=[phrases])[0]
        for more, phrases in (
            ({}, []),
            ({}, ["seven seven old", "a town"]),
            ({"forbidden_phrases": ("ferry",)}, ["the ferry"]),
        )
    )
    assert all(one.text.startswith("a wide") for one in (plain, found, impossible))
    assert found.flags == plain.flags
    assert "split" in found.flags
    assert all(contains(found.text, phrase, spaced=True) for phrase in ("seven seven old", "a town"))
    assert len(set(found.text.split()) & set(plain.text.split())) > len(set(plain.text.split())) / 2
    assert "unmet" in impossible.flags


def test_samples_depend_on_the_seed_and_the_text_alone(translator, sentences):
    asked = {"sampling": True, "samples": 4, "n_best": 4}
    found, again, other = (translator.translate(sentences[:9], decoding(**asked, seed=seed)) for seed in (1, 1, 2))
    assert content(found) == content(again) != content(other)
    (last,) = translator.translate(sentences[8:9], decoding(**asked))
    assert content([last]) == content(found[8:9])


def test_groups_bring_more_words_than_a_beam(translator, sentences):
    beam, groups = (
        translator.translate(sentences[:20], decoding(beam=6, n_best=6, beam_groups=count, diversity_penalty=2.0))
        for count in (1, 6)
    )

    def words(found):
        return sum(len({word for each in (one, *one.alternatives) for word in each.text.split()}) for one in found)

    assert words(groups) > words(beam)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["n_best=3", "sampling=true"], "at least as many samples"),
        (["beam=4", "beam_groups=3"], "3 groups do not divide"),
        (["sampling=true", "beam_groups=5"], "beam_groups: sampling has no beam"),
        (["required_phrases=[a]", "sampling=true"], "required_phrases: these need an ordinary beam"),
        (["forbidden_phrases=['  ']"], "forbidden_phrases: one of them is blank"),
        (["repetition_penalty=0.9"], "greater than or equal to 1"),
        (["top_p=0.0"], "greater than 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        load_config(None, [f"decoding.{setting}" for setting in settings])


def test_wishes_that_do_not_fit_are_refused(make_translator):
    translator = make_translator(positions="learned", max_positions=16)
    for options, message in [
        ({"prefixes": ["a"]}, "prefixes: expected 2, one a text, found 1"),
        ({"constraints": "ab"}, "constraints: expected 2, one a text, found one text"),
        ({"constraints": [["a"], "b"]}, "constraints of text 2: expected a list of texts"),
        ({"constraints": [["a"], [" "]]}, "constraints of text 2: .*none of them blank"),
        ({"prefixes": ["the old river " * 6, ""]}, r"a prefix has \d+ tokens, but the model can place 16"),
    ]:
        with pytest.raises(TranslationError, match=message):
            translator.translate(["a", "b"], **options)
    with pytest.raises(TranslationError, match="need an ordinary beam"):
        translator.translate(["a"], decoding(sampling=True), constraints=[["b"]])


def test_a_phrase_is_found_as_whole_words_where_there_are_words():
    assert contains("the old river", "old", spaced=True)
    assert contains("(old)", "old", spaced=True)
    assert not contains("golden", "old", spaced=True)
    assert contains("golden", "old", spaced=False)
    assert contains("in Dr. No", "Dr.", spaced=True)


def test_bytes_never_make_broken_characters(make_translator):
    translator = make_translator(decoding={"sampling": True, "samples": 30, "n_best": 30, "temperature": 50.0})
    with torch.no_grad():
        translator.model.output_bias[4:260] = 8.0  # bytes, and few of them are characters
    (found,) = translator.translate(["the old ferry carries people"])
    texts = [one.text for one in (found, *found.alternatives) if "truncated" not in one.flags]
    assert any(ord(character) > 0x7F for text in texts for character in text)
    assert not any("\N{REPLACEMENT CHARACTER}" in text for text in texts)


@pytest.mark.parametrize("nothing", ["\0", "\ufeff", "\u0085\x01"])
def test_phrases_of_which_nothing_is_left_are_refused(make_translator, nothing):
    """They would be in every text: forbidden, nothing at all could be said."""
    for settings in ({"forbidden_phrases": ["river", nothing]}, {"required_phrases": [nothing]}):
        with pytest.raises(TranslationError, match="nothing is left in the tokenizer's normal form, nfc"):
            make_translator(decoding=settings).translate(["the ferry"])
    with pytest.raises(TranslationError, match="phrases of text 2"):
        make_translator().translate(["the ferry", "a town"], constraints=[[], [nothing]])


def test_what_is_no_text_is_told_with_where_it_is(make_translator):
    translator = make_translator(decoding={"forbidden_phrases": ["\ud800"]})
    with pytest.raises(TranslationError, match="forbidden_phrases: the text holds a lone surrogate"):
        translator.translate(["the ferry"])
    translator = make_translator()
    with pytest.raises(TranslationError, match="prefixes: text 2: the text holds a lone surrogate"):
        translator.translate(["the ferry", "a town"], prefixes=["", "\ud800"])
    with pytest.raises(TranslationError, match="constraints of text 1: expected a list"):
        translator.translate(["the ferry"], constraints=[None])
    for texts in (7, (text for text in ["the ferry"])):
        with pytest.raises(TranslationError, match="expected a list of texts, found"):
            translator.translate(texts)
