"""What makes a reader doubt a translation, and what must not."""

from pathlib import Path

import pytest

from ferryman.text.doubts import find_doubts, is_ordinary

DATA = Path(__file__).parents[2] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the corpora are not at ../shared/data")
MAN = "A man in a blue shirt is standing on a ladder."


@pytest.mark.parametrize(
    ("target", "language", "doubts"),
    [
        ("Ein Mann in einem blauen Hemd steht auf einer Leiter.", "de", ()),
        ("Ein Mann in einem in einem in einem in einem Hemd.", "de", ("looped",)),
        ("Mann Mann Mann Mann.", "de", ("looped",)),
        ("Ein Mann, ein Mann, ein Mann, ein Mann, ein Mann", "de", ("looped",)),
        ("Ein Mannanananananananananananan", "de", ("looped",)),
        ("Ein Mann!!!!!!!!!!!!!!!!!!!!!!!!", "de", ("looped",)),
        ("一个穿蓝色衬衫的男人站在梯子上。", "zh", ()),
        ("一个男人一个男人一个男人一个男人。", "zh", ("looped",)),
        ("一个男人站站站站站站站站站在梯子上。", "zh-Hant", ("looped",)),
        (MAN, "de", ("copied",)),
        (MAN, "zh", ("copied",)),
        ("a man in a blue shirt is standing on the ladder", "de", ("copied",)),
        ("A MAN IN A BLUE SHIRT IS STANDING ON A LADDER !", "fr", ("copied",)),
        (MAN, "en-GB", ()),
        (MAN, "", ()),
        ("", "de", ("empty",)),
        (" \u00a0\u200b", "de", ("empty",)),
        ("Ein Mann in einem blauen Hemd steht auf einer Leiter.", "zh", ("wrong_script",)),
        ("Ein Mann in einem blauen Hemd steht auf einer Leiter.", "sr", ()),
        ("一个穿蓝色衬衫的男人正站在高高的梯子上。", "de", ("wrong_script",)),
        ("Ja.", "de", ("too_short",)),
        ("人", "zh", ("too_short",)),
        ("Ein Mann in einem blauen Hemd steht auf einer Leiter, und " + "so geht es ohne Ende fort. " * 2, "de", ()),
        (
            "Ein Mann steht auf einer Leiter, während viele andere Menschen, deren Namen niemand kennt, unten warten, "
            "bis auch sie an der Reihe sind, was freilich noch lange dauern kann, denn es gibt nur diese eine.",
            "de",
            ("too_long",),
        ),
    ],
)
def test_doubts(target, language, doubts):
    assert find_doubts(MAN, target, ("en", language)) == doubts


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("Ha ha ha ha ha!", "Ha ha ha ha ha ha!", ("en", "de")),
        ("No, no, no, no!", "不不不不！", ("en", "zh")),
        ("Hahahahahaha, no.", "哈哈哈哈哈哈，不。", ("en", "zh")),
        ("Sooooooooooo good", "Soooooooooooooooo gut", ("en", "de")),
        ("----------------", "----------------------", ("en", "de")),
        ("Angela Merkel", "Angela Merkel", ("en", "de")),
        ("Johann Sebastian Bach, Ludwig van Beethoven", "Johann Sebastian Bach, Ludwig van Beethoven", ("en", "de")),
        ("1,234.50 €", "1,234.50 €", ("en", "de")),
        ("🙂", "🙂", ("en", "de")),
        ("...", "...", ("en", "zh")),
        ("river", "river", ("en", "de")),
        ("Linux", "Linux", ("en", "zh")),
        ("git commit --amend", "git commit --amend", ("en", "zh")),
        ("https://example.org/a_b?c=1 a@b.org", "https://example.org/a_b?c=1 a@b.org", ("en", "zh")),
        ("%s: %d {name}", "%s: %d {name}", ("en", "zh")),
        ("Jeg har en liten hund hjemme.", "Jeg har en liten hund hjemme.", ("nb", "da")),
        ("我昨天在北京看见他们。", "我昨天在北京看见他们。", ("zh-Hans", "yue")),
        ("", "", ("en", "de")),
        (" \t", "", ("en", "de")),
        ("Yes.", "Ja, selbstverständlich.", ("en", "de")),
    ],
)
def test_no_doubt(source, target, languages):
    assert find_doubts(source, target, languages) == ()


def test_a_copy_of_a_script_without_capitals():
    text = "我昨天在北京看见他们。"
    assert find_doubts(text, text, ("zh", "en")) == ("copied",)
    assert find_doubts("नदी चौड़ी और शांत है", "नदी चौड़ी और शांत है", ("hi", "en")) == ("copied",)
    assert find_doubts("北京", "北京", ("zh", "en")) == ()


@pytest.mark.parametrize(
    ("text", "ordinary"),
    [
        ("the river is wide", True),
        ("The River", False),
        ("a a a a", False),
        ("we don't know", True),
        ("5 km to", False),
    ],
)
def test_ordinary_text(text, ordinary):
    assert is_ordinary(text) is ordinary


@needs_data
@pytest.mark.parametrize(
    ("name", "languages", "most"),
    [
        ("tatoeba-en-de/dev.tsv", ("en", "de"), 0),
        ("tatoeba-en-de/test.tsv", ("de", "en"), 1),
        ("tatoeba-en-zh/test.tsv", ("en", "zh"), 0),
        ("tatoeba-en-zh/dev.tsv", ("zh", "en"), 0),
    ],
)
def test_human_translations_are_not_doubted(name, languages, most):
    pairs = [line.split("\t")[:2] for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    if languages[0] != "en":
        pairs = [(target, source) for source, target in pairs]
    found = [(source, target, doubts) for source, target in pairs if (doubts := find_doubts(source, target, languages))]
    assert len(found) <= most, found


@needs_data
def test_captions_are_not_doubted():
    sides = [(DATA / "multi30k" / f"test2016.{code}").read_text(encoding="utf-8").splitlines() for code in ("en", "de")]
    assert [pair for pair in zip(*sides, strict=True) if find_doubts(*pair, ("en", "de"))] == []
