"""Sources longer than the limit: refused, cut or split, as asked, and never in silence (T18)."""

import pytest

from ferryman.config import DecodingConfig
from ferryman.errors import TranslationError
from ferryman.text.segments import cut


def decoding(**settings):
    return DecodingConfig(
        **{
            "device": "cpu",
            "beam": 2,
            "max_source_tokens": 12,
            "max_length_ratio": 1.0,
            "max_length_extra": 4,
            "fallback": False,
            **settings,
        }
    )


@pytest.fixture
def long_text(sentences, translator):
    text = " ".join(sentences[12:16])
    assert len(translator.tokenizers.source.encode(text)) > 40
    return text


def test_error_names_the_text_and_both_numbers(translator, long_text):
    count = len(translator.tokenizers.source.encode(long_text))
    with pytest.raises(TranslationError) as caught:
        translator.translate(["the river", long_text], decoding(too_long="error"))
    assert f"text 2 has {count} tokens, more than 12" in str(caught.value)
    assert "decoding.too_long" in str(caught.value)


def test_error_counts_over_a_whole_stream(translator, long_text, monkeypatch):
    monkeypatch.setattr("ferryman.translator.translator.STREAM_CHUNK", 2)
    with pytest.raises(TranslationError, match=r"^text 5 has"):
        list(translator.translate_stream(["the"] * 4 + [long_text], decoding(too_long="error")))


def test_truncate_translates_the_beginning(translator, long_text):
    tokenizer = translator.tokenizers.source
    beginning = tokenizer.decode(tokenizer.encode(long_text)[:12])
    assert len(tokenizer.encode(beginning)) == 12
    found, expected = translator.translate([long_text, beginning], decoding(too_long="truncate"))
    assert (found.text, found.tokens) == (expected.text, expected.tokens)
    assert found.flags == ("cut", *expected.flags)


@pytest.mark.parametrize(("language", "between"), [("de", " "), ("zh", "")])
def test_split_translates_every_piece_in_order(make_translator, long_text, language, between):
    translator = make_translator()
    data = translator.config.data.model_copy(update={"target_language": language})
    translator.config = translator.config.model_copy(update={"data": data})
    tokenizer = translator.tokenizers.source
    ids = tokenizer.encode(long_text)
    pieces = [tokenizer.decode(piece) for piece in cut(ids, tokenizer.pieces(ids), 12)]
    assert len(pieces) > 3
    assert " ".join(pieces) == long_text
    found, *parts = translator.translate([long_text, *pieces], decoding(too_long="split", batch_tokens=60))
    assert len({part.text for part in parts}) == len(parts)
    assert found.text == between.join(part.text for part in parts)
    assert found.tokens == tuple(token for part in parts for token in part.tokens)
    assert found.log_prob == pytest.approx(sum(part.log_prob for part in parts), abs=1e-4)
    assert found.score == pytest.approx(found.log_prob / ((5 + len(found.tokens)) / 6), rel=1e-5)
    assert found.flags[0] == "split"
    assert ("truncated" in found.flags) == any("truncated" in part.flags for part in parts)


@pytest.mark.parametrize("policy", ["split", "truncate", "error"])
def test_what_fits_exactly_is_not_flagged(translator, long_text, policy):
    tokenizer = translator.tokenizers.source
    text = tokenizer.decode(tokenizer.encode(long_text)[:12])
    (found,) = translator.translate([text], decoding(too_long=policy))
    assert not {"split", "cut"} & set(found.flags)


@pytest.mark.parametrize("policy", ["split", "truncate"])
def test_ten_lines_of_which_one_has_5000_words_are_ten_translations(make_translator, sentences, policy):
    """T18."""
    translator = make_translator(ending=8.0)
    lines = [*sentences[:4], " ".join(["river", "town", "old"] * 1700), *sentences[4:9]]
    found = translator.translate(lines, decoding(max_source_tokens=200, too_long=policy, max_length_ratio=0.2))
    assert len(found) == 10
    assert [bool({"split", "cut"} & set(one.flags)) for one in found] == [False] * 4 + [True] + [False] * 5
    others = translator.translate(lines[:4] + lines[5:], decoding(max_source_tokens=200, max_length_ratio=0.2))
    assert [one.text for one in found[:4] + found[5:]] == [one.text for one in others]
