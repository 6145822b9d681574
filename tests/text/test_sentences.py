"""Running text is cut between sentences, in many languages, and nothing of it is lost."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.text.sentences import space_between, split_sentences

SHARED = Path(__file__).parents[3] / "shared" / "data"


def cut(text: str, language: str) -> list[str]:
    return [sentence for sentence, _ in split_sentences(text, language)]


# A bar stands where a sentence ends.
@pytest.mark.parametrize(
    ("language", "marked"),
    [
        ("en", "Hello there. |How are you? |Fine!"),
        ("en", 'Mr. Smith met Dr. Jones at 5 p.m. |They talked. |"Really?" she asked. |"Yes." |Then he left.'),
        ("en", "It cost $3.50 vs. 1.234,5 in the U.S. Army. |20 people paid."),
        ("en", "J. R. R. Tolkien wrote it. |So did I. |See Fig. 3 and No. 5."),
        ("en", "Well... I am not sure. |Wait... |What? |It was e.g. Monday… yes."),
        ("en", "1. Open the door. |2. Close it. |(It squeaks.) |[Or not.] |Done"),
        ("en", "Visit www.example.org. |Use v2.0.1 now. |Go to example.org/a?b=C! |https://x.org is OK"),
        ("en", "Is it?! |Yes!!! |No.\n\n|a new paragraph\n\n|another"),
        ("en-GB", "Hello . |How are you ? |Fine"),
        ("de", "Am 3. Mai kam Hr. Müller, z. B. mit Frl. Meier. |„Komm!“ rief er. |„Geh.“ |Er ging."),
        ("de", "Ludwig XIV. war im 18. Jahrhundert da. |Im Jahr 1990. |Danach usw. |Ende."),
        ("fr", "« Viens ! » dit-il. |M. Dupont partit. |« Non ! » |Elle resta ? |Oui."),
        ("es", "¿Qué tal? |¡Bien! |El Sr. López vive en la Av. Central. |Sí."),
        ("ru", "Г. Иванов жил в г. Москве. |Он пришёл. |Это стоит 5 тыс. рублей."),
        ("pl", "Mieszka na ul. Długiej. |Ma 3. piętro."),
        ("el", "Τι κάνεις; |Καλά. |Ναι."),
        ("zh", "你好。|我很好！|“你好。”他说。|他走了？！|“好。”|对"),
        ("zh-Hans", '他说："你好。"|我走了。|"再见。"她说。|价格是3.5元。'),
        ("zh", "你好!|我是小王.|他走了。 |真的?|是的"),
        ("ja", "「そうです。」と彼は言った。|はい！　|いいえ。|「いいえ。」|とても嬉しい。"),
        ("ko", "안녕하세요. |저는 학생입니다. |정말요?"),
        ("hi", "डॉ. राम घर गए। |वह आया।"),
        ("ar", "كيف حالك؟ |أنا بخير. |قال د. محمد ذلك."),
        ("ur", "میں ٹھیک ہوں۔ |آپ؟"),
        ("hy", "Ես գնում եմ։ |Դու գալիս ես։ |Ժամը 10:30 է: |Այո"),
        ("am", "ሰላም ነው። |እንዴት ነህ።"),
        ("th", "สวัสดี. ครับ ผมชื่อ A. ครับ"),
        ("", "Hello. |World! |Mr. Smith"),
        ("en", "🙂! 🙂 Hello. 🙂"),
        ("en", "..."),
        ("en", ""),
        ("en", "  \n\n "),
    ],
)
def test_sentences_end_where_they_should(language: str, marked: str):
    expected = [sentence.strip() for sentence in marked.split("|")]
    assert [sentence.strip() for sentence in cut(marked.replace("|", ""), language)] == expected


def test_white_space_stands_after_its_sentence():
    assert split_sentences("  Hi!\n  You there.\tYes ", "en") == [
        ("  Hi!", "\n  "),
        ("You there.", "\t"),
        ("Yes", " "),
    ]


def test_no_cut_goes_through_what_is_whole():
    text = 'See <a title="Stop. Go.">this</a>. Then go.'
    whole = (text.index("<"), text.index(">") + 1)
    assert len(split_sentences(text, "en")) == 3
    assert cut_whole(text, whole) == ['See <a title="Stop. Go.">this</a>.', "Then go."]


def cut_whole(text: str, whole: tuple[int, int]) -> list[str]:
    return [sentence for sentence, _ in split_sentences(text, "en", [whole])]


PIECES = st.sampled_from(
    [
        "Hello",
        "he",
        "Mr",
        "5",
        ".",
        "!",
        "…",
        "。",
        "？",
        "」",
        '"',
        "“",
        "(",
        ")",
        " ",
        "\n",
        "\u3000",
        "你",
        "।",
        "🙂",
        "z.B",
        ";",
    ]
)


@given(st.one_of(st.lists(PIECES).map("".join), st.text()), st.sampled_from(["en", "de", "zh", "ja", "el", "th", ""]))
def test_the_parts_are_the_text(text: str, language: str):
    parts = split_sentences(text, language)
    assert "".join(sentence + space for sentence, space in parts) == text
    assert all(space == "" or space.isspace() for _, space in parts)
    if len(parts) > 1:
        assert all(any(character.isalnum() for character in sentence) for sentence, _ in parts)


@pytest.mark.parametrize(
    ("space", "source", "target", "expected"),
    [
        (" ", True, True, " "),
        ("  ", True, True, "  "),
        ("\n\n", True, True, "\n\n"),
        ("", True, True, " "),
        (" ", True, False, ""),
        ("\n", True, False, "\n"),
        ("", False, True, " "),
        ("\u3000", False, True, " "),
        ("\u3000", False, False, "\u3000"),
        ("", False, False, ""),
    ],
)
def test_white_space_between_translations(space: str, source: bool, target: bool, expected: str):
    """The languages write spaces between words (True) or do not, as Chinese."""
    assert space_between(space, source, target) == expected


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize(
    ("folder", "language", "column"),
    [("tatoeba-en-de", "en", 0), ("tatoeba-en-de", "de", 1), ("tatoeba-en-zh", "zh", 1)],
)
def test_boundaries_between_real_lines_are_found(folder: str, language: str, column: int):
    """Lines joined at random come apart again; few are cut themselves, as they hold two sentences."""
    lines = [row.split("\t")[column] for row in (SHARED / folder / "test.tsv").read_text(encoding="utf-8").splitlines()]
    ended = [line for line in lines if not line[-1].isalnum()]
    between = "" if language == "zh" else " "
    chance = random.Random(1)
    found = more = total = 0
    while ended:
        some = [ended.pop() for _ in range(min(len(ended), chance.randint(2, 4)))]
        places = {len(between.join(some[: count + 1])) for count in range(len(some) - 1)}
        at, cuts = 0, set()
        for sentence, space in split_sentences(between.join(some), language)[:-1]:
            cuts.add(at + len(sentence))
            at += len(sentence) + len(space)
        found, more, total = found + len(places & cuts), more + len(cuts - places), total + len(places)
    assert found / total > 0.97
    assert more / total < 0.1
