"""A document through a translator: memory, glossary, journal, what is refused and what is told."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

import ferryman
from ferryman.config import DecodingConfig, DocumentsConfig
from ferryman.documents.enforcing import Enforcer
from ferryman.documents.glossary import Glossary
from ferryman.documents.journal import Journal
from ferryman.documents.memory import Memory
from ferryman.documents.results import Progress, Result
from ferryman.documents.translating import Tools, finish, translate_document, translate_texts
from ferryman.errors import ConfigError, DataError
from ferryman.translator import Translation
from ferryman.translator.alignment import Alignment

DE = ("en", "de")
FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"


@dataclass
class Parrot:
    """Says what it hears in capitals, and what it is asked to say; counts its work."""

    heard: list[str] = field(default_factory=list)
    breaks_at: int = 10**9

    def translate(self, texts, *, to=None, constraints=None):
        self.heard += texts
        if len(self.heard) > self.breaks_at:
            raise KeyboardInterrupt
        asked = constraints or [[]] * len(texts)
        return [
            Translation(" ".join([text.upper(), *wanted]), 0.0, 0.0, (), ("protected",) * text.startswith("p"))
            for text, wanted in zip(texts, asked, strict=True)
        ]


def tools(parrot, **changes):
    return Tools(**{"translator": parrot, "languages": DE, "memory": None, "enforcer": None} | changes)


def test_a_text_that_comes_several_times_is_translated_once():
    parrot, progress = Parrot(), Progress()
    results = translate_texts(["a", "b", "a"], tools(parrot), Journal(None, ""), progress)
    assert [one.text for one in results] == ["A", "B", "A"]
    assert parrot.heard == ["a", "b"]
    assert (progress.done, progress.total) == (2, 2)


def test_work_that_was_interrupted_is_gone_on_with(tmp_path):
    place, texts = tmp_path / "a.journal", [f"t{number}" for number in range(200)]
    with pytest.raises(KeyboardInterrupt):
        translate_texts(texts, tools(Parrot(breaks_at=150)), Journal(place, "one"), Progress())
    with place.open("a") as file:
        file.write('{"key": "cut sho')  # as a kill leaves it
    parrot = Parrot()
    results = translate_texts(texts, tools(parrot), Journal(place, "one"), Progress())
    assert [one.text for one in results] == [text.upper() for text in texts]
    assert parrot.heard == texts[128:]
    assert sum(one.resumed for one in results) == 128
    parrot = Parrot()
    translate_texts(texts, tools(parrot), Journal(place, "one"), Progress())
    assert parrot.heard == []
    translate_texts(texts, tools(parrot), Journal(place, "another model"), Progress())
    assert parrot.heard == texts


@pytest.mark.parametrize(
    "content", ["", "no json\n", '[]\n{"key": 1}\n', '{"ferryman_journal": 1, "of": "x"}\n{"key": 3}\n']
)
def test_a_journal_that_is_none_is_begun_anew(tmp_path, content):
    place = tmp_path / "a.journal"
    place.write_text(content)
    journal = Journal(place, "x")
    assert journal.get("a") is None
    journal.add([("a", Result("b"))])
    assert Journal(place, "x").get("a") == Result("b", resumed=True)


def test_what_is_in_the_memory_is_not_translated(tmp_path):
    (tmp_path / "m.tsv").write_text("a  b\tvorher\na b\tder Fluss\n", encoding="utf-8")
    parrot = Parrot()
    found = translate_texts(
        ["a b", "c"], tools(parrot, memory=Memory(tmp_path / "m.tsv", DE)), Journal(None, ""), Progress()
    )
    assert found == [Result("der Fluss", remembered=True), Result("C")]
    assert parrot.heard == ["c"]


def test_a_memory_may_be_tmx(tmp_path):
    body = '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>b</seg></tuv></tu>'
    (tmp_path / "m.tmx").write_text(f'<tmx version="1.4"><header/><body>{body}</body></tmx>')
    memory = Memory(tmp_path / "m.tmx", DE)
    assert (memory.get(" a "), memory.get("A")) == ("b", None)


def test_memories_that_are_none_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"documents.memory: .*no such file"):
        Memory(tmp_path / "m.tmx", DE)
    (tmp_path / "m.csv").write_text("a,b")
    with pytest.raises(ConfigError, match=r"expected a .tmx or .tsv file"):
        Memory(tmp_path / "m.csv", DE)
    (tmp_path / "m.tsv").write_text("a\n")
    with pytest.raises(DataError, match=r"m.tsv, line 1"):
        Memory(tmp_path / "m.tsv", DE)


def test_terms_are_found_as_whole_words_the_longest_first(tmp_path):
    rows = "ferry\tFähre\nferry boat\tFährschiff\nUS\tUSA\nus\tuns\nx\ty\n"
    (tmp_path / "g.tsv").write_text(rows, encoding="utf-8")
    glossary = Glossary(tmp_path / "g.tsv", DE)

    def find(text):
        return [term.source for term in glossary.find(text)]

    assert find("The Ferry boat, the ferry, a ferryman") == ["ferry boat", "ferry"]
    assert find("US trusts us") == ["US", "us"]
    assert find("an x.") == ["x"]
    (tmp_path / "z.tsv").write_text("渡船\tferry\n", encoding="utf-8")
    assert [one.targets for one in Glossary(tmp_path / "z.tsv", ("zh", "en")).find("那艘渡船很慢")] == [("ferry",)]


def test_a_summary_counts_segments(read):
    document = read("a.txt", "one\ntwo\nthree\n12\n")
    results = [Result("eins", ("protected",)), Result("zwei", remembered=True), Result(" "), Result("12", resumed=True)]
    summary, content = finish(document, results)
    assert content == b"eins\nzwei\nthree\n12\n"
    assert (summary.translated, summary.remembered, summary.resumed) == (3, 1, 1)
    assert (summary.skipped, summary.flags) == ({"empty translation": 1}, {"protected": 1})


@pytest.fixture(scope="module")
def translator():
    return ferryman.load(FROZEN, ["decoding.beam=1"])


def test_a_whole_file(translator, tmp_path):
    (tmp_path / "a.srt").write_bytes(b"1\r\n00:00:01,000 --> 00:00:02,000\r\nhello\r\n")
    summary = ferryman.translate_document(translator, tmp_path / "a.srt", tmp_path / "new" / "b.srt")
    result = (tmp_path / "new" / "b.srt").read_bytes()
    assert result.startswith(b"1\r\n00:00:01,000 --> 00:00:02,000\r\n")
    assert summary.translated + sum(summary.skipped.values()) == 1
    assert list((tmp_path / "new").iterdir()) == [tmp_path / "new" / "b.srt"]


def test_a_file_is_never_written_over_itself(translator, tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(ConfigError, match="would replace its source"):
        translate_document(translator, tmp_path / "a.txt", tmp_path / "link.txt")


def test_terms_are_asked_for_and_told_if_missing(translator, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("apfel baum .\n{name} apfel .\n", encoding="utf-8")
    (tmp_path / "g.tsv").write_text("apfel\tlefpax\n", encoding="utf-8")
    settings = DocumentsConfig(glossary=tmp_path / "g.tsv", format="text")
    summary = translate_document(translator, source, tmp_path / "b.txt", settings)
    first, second = (tmp_path / "b.txt").read_text(encoding="utf-8").splitlines()
    assert "lefpax" in first
    assert second.count("{name}") == 1
    assert ("lefpax" in second) == (summary.flags["term_missing"] == 0)
    sampling = ferryman.load(FROZEN, ["decoding.sampling=true"])
    with pytest.raises(ConfigError, match=r"documents.glossary: needs an ordinary beam"):
        translate_document(sampling, source, tmp_path / "c.txt", settings)


class Adds:
    """Says the phrase that it is asked for behind the sentence, and looks at the term while it does."""

    def split(self, text, decoding, *, to):
        return SimpleNamespace(texts=(text,))

    def translate(self, texts, decoding, *, to, constraints):
        (added,) = constraints[0] or [""]
        links = ((0, 0), (1, 1), (1, 2))[: 3 if added else 2]
        text = f"Ein Hund. {added}.".removesuffix(" .")
        return [Translation(text, 0.0, 0.0, (), alignment=Alignment(links, words=(2, len(links))))]


def test_a_term_behind_the_sentence_is_not_said_for_it(tmp_path):
    (tmp_path / "g.tsv").write_text("dog\tKöter\n", encoding="utf-8")
    enforcer = Enforcer(Adds(), Glossary(tmp_path / "g.tsv", DE), DE, DecodingConfig())
    (found,) = enforcer.enforce(["A dog."], [Translation("Ein Hund.", 0.0, 0.0, ())])
    assert (found.text, found.flags) == ("Ein Köter.", ())


def test_a_journal_lies_beside_the_file_until_it_is_whole(translator, tmp_path, monkeypatch):
    source, target = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_text("apfel\nbaum\n")
    settings = DocumentsConfig(format="text")
    monkeypatch.setattr("ferryman.documents.translating.write_bytes", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        translate_document(translator, source, target, settings)
    rows = [json.loads(row) for row in (tmp_path / "b.txt.journal").read_text().splitlines()]
    assert rows[0]["ferryman_journal"] == 1
    assert len(rows) == 3
    monkeypatch.undo()
    summary = translate_document(translator, source, target, settings)
    assert (summary.resumed, (tmp_path / "b.txt.journal").exists()) == (summary.translated, False)
