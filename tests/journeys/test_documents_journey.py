"""Whole documents on the command line; and every command and piece of Python of the guide runs."""

import json
import re
import shlex
from pathlib import Path

import polib
import pytest

from ferryman.translator import Translator

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "documents.md").read_text(encoding="utf-8")
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "apfel baum ."\nmsgstr ""\n\nmsgid "haus"\nmsgstr "suah"\n'
SRT = "1\n00:00:01,000 --> 00:00:02,000\n<i>apfel</i> baum .\n"


@pytest.fixture
def place(trained, tmp_path, monkeypatch):
    """A folder with a model and documents."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/demo").symlink_to(trained.folder)
    files = {
        "app.po": PO,
        "film.srt": SRT,
        "index.html": '<html lang="en"><p>apfel <b>baum</b> .</p>\r\n',
        "README.md": "# haus\n\napfel *baum* .\n",
        "letter.txt": "\ufeffapfel .\r\n\r\n  baum .",
        "strings.cfg": "a = apfel .\n",
        "memory.tmx": '<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>apfel baum .</seg></tuv>'
        '<tuv xml:lang="de"><seg>aus dem Speicher</seg></tuv></tu></body></tmx>',
        "terms.tsv": "apfel\tTERM\n",
    }
    for name, text in files.items():
        Path(name).write_bytes(text.encode())
    return tmp_path


def test_documents_and_lines_together(ferryman, place):
    result = ferryman("translate", "runs/demo", "app.po", "film.srt", "index.html", "letter.txt", "-o", "out")
    assert result.exit_code == 0, result.stderr
    assert re.search(r"out/app.po: 1 segment translated; kept: 1 already translated;? .*\d:\d\d:\d\d", result.stderr)
    assert "2 texts" in result.stderr or "3 texts" in result.stderr
    (message,) = [one for one in polib.pofile("out/app.po") if one.msgid == "apfel baum ."]
    assert message.flags == ["fuzzy"]
    assert message.msgstr
    assert re.fullmatch(r"1\n00:00:01,000 --> 00:00:02,000\n.*<i>.*</i>.*\n", Path("out/film.srt").read_text())
    assert re.fullmatch(rb'<html lang="de"><p>.*<b>.*</b>.*</p>\r\n', Path("out/index.html").read_bytes())
    assert Path("app.po").read_text() == PO
    assert sorted(path.name for path in Path("out").iterdir()) == ["app.po", "film.srt", "index.html", "letter.txt"]


def test_a_memory_and_a_glossary_hold_for_lines_too(ferryman, place):
    settings = ["documents.memory=memory.tmx", "documents.glossary=terms.tsv"]
    result = ferryman("translate", "runs/demo", "--json", *settings, stdin="apfel baum .\n\napfel haus .\n")
    assert result.exit_code == 0, result.stderr
    known, blank, other = map(json.loads, result.stdout.splitlines())
    assert (known["text"], known["flags"]) == ("aus dem Speicher", ["remembered"])
    assert (blank["text"], blank["flags"]) == ("", [])
    assert ("TERM" in other["text"]) != ("term_missing" in other["flags"])
    assert "1 remembered" in result.stderr
    wrong = ferryman("translate", "runs/demo", "documents.glossary=none.tsv", stdin="apfel .\n")
    assert wrong.exit_code != 0
    assert "none.tsv" in wrong.stderr


def test_a_memory_and_a_glossary(ferryman, place):
    settings = ["documents.memory=memory.tmx", "documents.glossary=terms.tsv"]
    result = ferryman("translate", "runs/demo", "app.po", "film.srt", "-o", "out", *settings)
    assert result.exit_code == 0, result.stderr
    assert "out/app.po: 1 segment translated (1 from the memory)" in result.stderr
    assert 'msgstr "aus dem Speicher"' in Path("out/app.po").read_text()
    assert ("TERM" in Path("out/film.srt").read_text()) != ("term missing" in result.stderr)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["app.po"], 2, "app.po: a document needs a file to write; name it with --output"),
        (["app.po", "-o", "app.po"], 2, "would replace its source"),
        (["app.po", "-o", "b.po", "--json"], 2, "--json is for lines of text"),
        (["documents.format=po"], 2, "documents.format=po: standard input is read line by line; name a file"),
        (["letter.txt", "-o", "b", "documents.format=word"], 2, "documents.format"),
        (["letter.txt", "-o", "b", "documents.format=json"], 1, "letter.txt, line 1: not JSON"),
        (["app.po", "-o", "b.po", "documents.memory=no.tmx"], 2, "documents.memory: no.tmx: no such file"),
        (["README.md", "-o", "b", "documents.format=xliff"], 1, "README.md, line 1: not well-formed XML"),
        (["a.pdf", "-o", "b.pdf"], 2, "a.pdf: .pdf files cannot be translated; there are: .txt, .po"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(ferryman, place, words, code, message):
    Path("a.pdf").write_bytes(b"%PDF")
    result = ferryman("translate", "runs/demo", *words, stdin="")
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not Path("b.po").exists()


def test_the_guide_does_what_it_says(ferryman, place):
    commands = [
        line
        for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("ferryman translate ")  # a server would not end
    ]
    assert len(commands) == 8
    for line in commands:
        result = ferryman(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.stderr)
    assert Path("letter.de.txt").read_bytes().startswith("\ufeff".encode())
    assert b"\r\n\r\n  " in Path("letter.de.txt").read_bytes()
    assert Path("strings.de.cfg").read_text().startswith("a = ")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(block, names)
    assert names["content"].startswith(b'msgid ""\n')
    assert names["summary"].translated == 1


def test_every_ending_is_in_the_guide():
    from ferryman.documents.formats import SUFFIXES

    rows = [line for line in GUIDE.splitlines() if line.startswith("| ")]
    assert [end for end in SUFFIXES if f"`{end}`" not in "".join(rows)] == []


def test_a_document_that_was_interrupted_is_gone_on_with(ferryman, place, monkeypatch):
    lines = "".join(f"apfel {number} baum .\n" for number in range(100))
    Path("long.txt").write_text(lines)
    translate, calls = Translator.translate, []

    def interrupted(self, texts, *rest, **more):
        calls.append(len(texts))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return translate(self, texts, *rest, **more)

    monkeypatch.setattr(Translator, "translate", interrupted)
    words = ["translate", "runs/demo", "long.txt", "-o", "b.txt", "documents.format=text", "decoding.beam=1"]
    result = ferryman(*words)
    assert (result.exit_code, Path("b.txt").exists(), Path("b.txt.journal").exists()) == (130, False, True)
    result = ferryman(*words)
    assert calls == [64, 36, 36]
    assert "b.txt: 100 segments translated (64 from the interrupted run)" in result.stderr
    assert len(Path("b.txt").read_text().splitlines()) == 100
    assert not Path("b.txt.journal").exists()
