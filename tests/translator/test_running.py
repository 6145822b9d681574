"""Running text is translated sentence by sentence, and its white space is kept."""

import pytest

from ferryman.config import DecodingConfig
from ferryman.errors import TranslationError
from ferryman.translator.running import Parts, join
from ferryman.translator.translation import Translation

ONE, TWO, THREE = "the old ferry.", "The quiet river!", "Seven people."


def decoding(**settings):
    return DecodingConfig(
        **{"device": "cpu", "beam": 3, "max_length_ratio": 1.0, "max_length_extra": 4, "fallback": False, **settings}
    )


@pytest.fixture
def alone(translator):
    return translator.translate([ONE, TWO, THREE])


def test_sentences_are_translated_each_by_itself(translator, alone):
    (found,) = translator.translate([f"{ONE} {TWO}  {THREE}\n"])
    one, two, three = alone
    assert found.text == f"{one.text} {two.text}  {three.text}"
    assert found.tokens == one.tokens + two.tokens + three.tokens
    assert found.log_prob == pytest.approx(sum(each.log_prob for each in alone), abs=1e-4)
    assert found.score == pytest.approx(found.log_prob / ((5 + len(found.tokens)) / 6), rel=1e-5)
    assert set(found.flags) == {flag for each in alone for flag in each.flags}


def test_one_sentence_is_the_same_either_way(translator, sentences):
    texts = [*sentences, ONE, "Mr. The old", "...", ""]
    assert translator.translate(texts, decoding(split_sentences=False)) == translator.translate(texts)


def test_switched_off_a_text_stays_in_one_piece(translator, alone):
    (found,) = translator.translate([f"{ONE} {TWO}"], decoding(split_sentences=False))
    assert found.tokens != alone[0].tokens + alone[1].tokens


def test_blank_lines_stay(translator, alone):
    (found,) = translator.translate([f"{ONE}\n\n{TWO}\n{THREE}"], decoding())
    assert found.text == f"{alone[0].text}\n\n{alone[1].text}\n{alone[2].text}"


@pytest.mark.parametrize(
    ("source", "target", "space", "texts", "expected"),
    [
        ("en", "zh", " ", ["你好。", "再见。"], "你好。再见。"),
        ("en", "zh", " ", ["OK.", "Tom。"], "OK. Tom。"),
        ("en", "zh", "\n\n", ["你好。", "再见。"], "你好。\n\n再见。"),
        ("zh", "en", "", ["Hi.", "Bye."], "Hi. Bye."),
        ("zh", "ja", "", ["はい。", "いいえ。"], "はい。いいえ。"),
        ("en", "th", " ", ["สวัสดี", "ครับ"], "สวัสดี ครับ"),
        ("en", "de", "  ", ["", "Tag."], "Tag."),
    ],
)
def test_white_space_suits_the_languages(source, target, space, texts, expected):
    parts = Parts(("one", "two"), (space, ""), source)
    assert join([Translation(text, -1.0, -1.0, (5,)) for text in texts], parts, target, decoding()).text == expected


def test_alternatives_are_joined_best_first(make_translator):
    translator = make_translator(ending=5.0)
    settings = decoding(n_best=3)
    found, one, two = translator.translate([f"{ONE} {TWO}", ONE, TWO], settings)
    assert len(found.alternatives) == 2
    pairs = [(a, b) for a in (one, *one.alternatives) for b in (two, *two.alternatives)]
    best = sorted(pairs, key=lambda pair: -pair[0].score - pair[1].score)[:3]
    assert [each.tokens for each in (found, *found.alternatives)] == [a.tokens + b.tokens for a, b in best]
    (only,) = translator.translate([f"{ONE} {TWO}"], decoding())
    assert (only.text, only.tokens, only.alternatives) == (found.text, found.tokens, ())


def test_a_text_too_long_is_cut_between_sentences_and_flagged(translator, alone):
    text = f"{ONE} {TWO} {THREE}"
    count = [len(translator.tokenizers.source.encode(sentence)) for sentence in (ONE, TWO, THREE)]
    limit = max(count[0] + count[1], count[2])
    settings = decoding(split_sentences=False, max_source_tokens=limit)
    found, pair = translator.translate([text, f"{ONE} {TWO}"], settings)
    assert found.flags[0] == "split"
    assert "split" not in pair.flags
    assert found.text == f"{pair.text} {alone[2].text}".strip()


def test_errors_number_texts_and_not_sentences(translator):
    long = " ".join(["river"] * 40)
    with pytest.raises(TranslationError, match=r"^text 2 has"):
        translator.translate(
            [f"{ONE} {TWO} {THREE}", f"{ONE} {long}"], decoding(too_long="error", max_source_tokens=30)
        )


def test_tags_around_sentences_keep_them_apart_but_whole(translator):
    (found,) = translator.translate([f"<p>The old ferry. {TWO}</p> {THREE}"], decoding())
    assert found.text.startswith("<p>")
    assert found.text.count("</p>") == 1
