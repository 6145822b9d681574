"""How far a translation is, on a terminal; and that the translations themselves never go there."""

import io
import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console as Terminal

from ferryman.cli import translating
from ferryman.cli.translating import progress_line, shown
from ferryman.workflows.translate import Console, Job, Tally


@pytest.fixture
def jobs(tmp_path) -> list[Job]:
    file = tmp_path / "in"
    file.write_text("text\n" * 3000, encoding="utf-8")
    return [Job(file, None)]


@pytest.fixture
def screen(monkeypatch) -> io.StringIO:
    """What a terminal on standard error shows; standard output goes elsewhere."""
    screen = io.StringIO()
    monkeypatch.setattr(translating, "messages", Terminal(file=screen, force_terminal=True, width=80, markup=False))
    return screen


def test_the_line_says_what_is_known():
    tally = Tally(texts=1500, tokens=30_000, seconds=60.0, flags=Counter())
    assert progress_line(tally, 3000) == "1,500 of 3,000 texts · 500 tokens/s · 0:01:00 left"
    assert progress_line(tally, None) == "1,500 texts · 500 tokens/s"
    assert progress_line(Tally(), 3000) == "0 of 3,000 texts"


def test_a_terminal_shows_the_line_and_nothing_else(screen, jobs, capsys):
    tally = Tally()
    with shown(tally, jobs, Console(io.BytesIO(), print)):
        sys.stdout.write("a translation\n")
        tally.texts, tally.tokens, tally.seconds = 1000, 5000, 10.0
    assert "1,000 of 3,000 texts · 500 tokens/s · 0:00:20 left" in screen.getvalue()
    assert "a translation" not in screen.getvalue()
    assert capsys.readouterr().out == "a translation\n"


@pytest.mark.parametrize("why", ["typed", "results on the terminal", "no terminal"])
def test_elsewhere_there_is_no_line(screen, jobs, monkeypatch, why):
    console = Console(io.BytesIO(), print, typed=why == "typed")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: why == "results on the terminal")
    if why == "no terminal":
        monkeypatch.setattr(translating, "messages", Terminal(file=screen, force_terminal=False))
    with shown(Tally(), jobs, console):
        pass
    assert screen.getvalue() == ""
    with shown(Tally(), [Job(jobs[0].source, Path("out"))], Console(io.BytesIO(), print)):
        pass
    assert ("of 3,000 texts" in screen.getvalue()) is (why != "no terminal")
