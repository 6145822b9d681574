"""Every command and every piece of Python in docs/guide/honest-output.md is run here; what it says of flags is so."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "honest-output.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def desk(trained, test_files, tmp_path, monkeypatch) -> None:
    """A folder with the files and the model that the guide speaks of."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(trained.folder, Path("runs") / "en-de")
    shutil.copy(test_files[0], "input.txt")
    shutil.copy(test_files[0], "source.txt")
    shutil.copy(test_files[1], "target.txt")


def test_what_the_guide_says_works(ferryman, desk):
    lines = [*"".join(blocks("sh")).splitlines(), *re.findall(r"`(ferryman score [^`]+)`", PAGE.read_text("utf-8"))]
    assert len(lines) == 4
    for line in lines:
        program, *words = shlex.split(line.partition(" > ")[0], comments=True)
        result = ferryman(*words)
        assert (program, result.exit_code) == ("ferryman", 0), f"{words}: {result.output}"
    names: dict[str, object] = {}
    for code in blocks("python"):
        exec(code, names)


def test_records_are_as_the_guide_shows_them(ferryman, desk):
    result = ferryman("translate", "runs/en-de", "input.txt", "--json", "decoding.n_best=2")
    record = json.loads(result.stdout.splitlines()[0])
    shown = json.loads(blocks("json")[0])
    assert list(record) == list(shown)
    assert list(record["alternatives"][0]) == list(shown["alternatives"][0])


def test_every_flag_is_explained():
    doubts = {"looped", "copied", "empty", "wrong_script", "too_short", "too_long", "truncated"}
    table = PAGE.read_text("utf-8").partition("## Flags")[2].partition("## Trying again")[0]
    explained = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    others = {"retried", "split", "cut", "unknown", "protected", "unmet", "forbidden"}
    assert set(re.findall(r"`(\w+)`", " ".join(explained))) == doubts | others


def test_standard_error_counts_the_flags(ferryman, desk):
    settings = ["decoding.max_length_ratio=0.1", "decoding.max_length_extra=1", "decoding.fallback=false"]
    result = ferryman("translate", "runs/en-de", *settings, stdin="apfel baum haus kind .\n\napfel baum haus kind .\n")
    assert re.search(r"^3 texts,.* 2 truncated;", result.stderr, re.MULTILINE)
