"""How large a corpus is, told from its beginning."""

import gzip
import json
import random
from pathlib import Path

import pytest

from ferryman.corpus.survey import Side, Survey, survey, together
from ferryman.errors import DataError

LANGUAGES = ("en", "ru")
COUNT, SAMPLE = 6_000, 2_000


def make_pairs() -> list[tuple[str, str]]:
    chance = random.Random(5)
    words = [f"{chance.randrange(10**6):x}" for _ in range(400)]
    rows = [" ".join(chance.choices(words, k=chance.randint(3, 15))) for _ in range(COUNT)]
    return [(row, "мир " * (1 + len(row) // 9)) for row in rows]


def unit(source: str, target: str) -> str:
    return f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv><tuv xml:lang="ru"><seg>{target}</seg></tuv></tu>'


def write(folder: Path, kind: str) -> list[Path]:
    pairs = make_pairs()
    header, ends = '<tmx version="1.4"><header srclang="en"/><body>', "</body></tmx>"
    texts = {
        "tsv": "".join(f"{source}\t{target}\n" for source, target in pairs),
        "jsonl": "".join(json.dumps({"source": s, "id": 7, "target": t}) + "\n\n" for s, t in pairs),
        "tmx": header + "\n".join(unit(*pair) for pair in pairs) + ends,
        "one-line.tmx": header + "".join(unit(*pair) for pair in pairs) + ends,
        "en": "".join(f"{source}\n" for source, _ in pairs),
        "ru": "".join(f"{target}\n" for _, target in pairs),
    }
    paths = [folder / f"corpus.{ending}" for ending in (("en", "ru") if kind.startswith("txt") else (kind,))]
    for path in paths:
        ending = path.name.removeprefix("corpus.").removesuffix(".gz")
        data = texts[ending].encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return paths


@pytest.mark.parametrize("kind", ["txt", "tsv", "tsv.gz", "jsonl", "tmx", "one-line.tmx"])
def test_a_large_corpus_is_estimated_within_half(tmp_path, kind):
    paths = write(tmp_path, kind)
    found = survey(paths, languages=LANGUAGES, sample=SAMPLE)
    assert not found.exact
    assert COUNT / 1.5 < found.pairs < COUNT * 1.5
    whole = survey(paths, languages=LANGUAGES)
    assert (whole.pairs, whole.exact) == (COUNT, True)
    assert found.source.characters == pytest.approx(whole.source.characters, rel=0.1)
    assert (whole.source.script, whole.target.script) == ("LATIN", "CYRILLIC")
    assert set("мир ") <= whole.target.alphabet


def test_files_of_a_folder_and_of_a_pattern_are_counted_together(tmp_path):
    [path] = write(tmp_path, "tsv")
    (tmp_path / "more.tsv").write_bytes(path.read_bytes())
    for paths in ([tmp_path], [tmp_path / "*.tsv"]):
        found = survey(paths, languages=LANGUAGES, sample=SAMPLE)
        assert 2 * COUNT / 1.5 < found.pairs < 2 * COUNT * 1.5
        in_the_second = survey(paths, languages=LANGUAGES, sample=COUNT + SAMPLE)
        assert not in_the_second.exact
        assert in_the_second.pairs == pytest.approx(2 * COUNT, rel=0.1)


def test_japanese_and_chinese_share_a_script_and_english_has_another(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("河很宽。\tこの川はとても広いです。\n", encoding="utf-8")
    found = survey([path], languages=("zh", "ja"))
    assert found.source.script == found.target.script == "CJK"


@pytest.mark.parametrize("text", ["", "\n\n", "1 2\t3 4\n"])
def test_what_has_no_pairs_or_no_letters_has_no_script(tmp_path, text):
    path = tmp_path / "a.tsv"
    path.write_text(text, encoding="utf-8")
    found = survey([path], languages=LANGUAGES)
    assert (found.pairs, found.exact, found.source.script) == (text.count("\t"), True, "")


def test_what_cannot_be_read_is_the_reader_s_error(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("one column\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1: column 2 is wanted"):
        survey([path], languages=LANGUAGES)


def test_several_corpora_are_one():
    latin, greek = Side(10, "LATIN", frozenset("ab")), Side(40, "GREEK", frozenset("αβ"))
    small, large = Survey(100, True, latin, latin), Survey(300, False, latin, greek)
    found = together([small, large])
    assert (found.pairs, found.exact) == (400, False)
    assert found.target == Side((10 * 100 + 40 * 300) / 400, "GREEK", frozenset("abαβ"))
    assert together([large]) == large
