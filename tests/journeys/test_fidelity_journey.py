"""What must not be lost is not lost on the command line either; and the guide says what is so."""

import json
import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "fidelity.md").read_text(encoding="utf-8")
T65 = "See https://ex.org/a_b?c=1&d=2 or mail a@b.org, 1,234.50 € , %s, {name}, <b>x</b>"
SPANS = ["https://ex.org/a_b?c=1&d=2", "a@b.org", "1,234.50", "%s", "{name}", "<b>", "</b>"]


def test_spans_of_a_copied_text_come_back_once_each(ferryman, two_way):
    """T65: a model that copies what it knows has never seen any of this."""
    model, _ = two_way
    lines = [T65, "apfel <b>baum</b> haus 🙂 tag .", "kind 5 hund {0} brot .", "hund {a} . Kind {b} !"]
    result = ferryman("translate", model, "--to", "zh", "--json", stdin="\n".join(lines))
    first, tags, placed, running = [json.loads(line) for line in result.stdout.splitlines()]
    assert [first["text"].count(span) for span in SPANS] == [1] * len(SPANS)
    assert first["flags"][-1] == "protected"
    assert re.search(r"<b>.*</b>", tags["text"])
    assert [tags["text"].count("🙂"), placed["text"].count("5"), placed["text"].count("{0}")] == [1, 1, 1]
    assert running["text"].index("{a}") < running["text"].index("{b}")
    assert "protected" in result.stderr


def test_what_was_never_seen_comes_back_or_is_spelt(ferryman, trained):
    """T59, T63."""
    lines = ["", "  ", "🙂", "...", "apfel", "ş apfel { } [ ] ▾ 🙂 haus 👨‍👩‍👧 龘"]
    result = ferryman("translate", trained.folder, stdin="\n".join(lines))
    found = result.stdout.split("\n")[:-1]
    assert found[:4] == ["", "", "🙂", "..."]
    assert len(found) == 6
    assert (found[5].count("🙂"), found[5].count("👨‍👩‍👧")) == (1, 1)
    assert not set("?⁇") & set(result.stdout)


def test_running_text_is_the_text_of_its_sentences(ferryman, trained):
    lines = ["apfel baum .", "Haus kind hund !", "Nacht mond ?"]
    apart = ferryman("translate", trained.folder, stdin="\n".join(lines)).stdout.splitlines()
    together = ferryman("translate", trained.folder, stdin=f"{lines[0]} {lines[1]}  {lines[2]}\n").stdout
    assert together == f"{apart[0]} {apart[1]}  {apart[2]}\n"
    whole = ferryman("translate", trained.folder, "decoding.split_sentences=false", stdin=" ".join(lines)).stdout
    assert whole != together


@pytest.mark.parametrize("line", re.findall(r"^(?:echo .*|ferryman .*)$", PAGE, re.MULTILINE))
def test_the_commands_of_the_guide_run(ferryman, trained, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("input.txt").write_text("apfel www.example.org\n", encoding="utf-8")
    said, _, command = line.rpartition(" | ")
    words = [str(trained.folder) if word == "runs/demo" else word for word in shlex.split(command)[1:]]
    result = ferryman(*words, stdin=said.removeprefix('echo "').removesuffix('"') + "\n")
    assert result.exit_code == 0, result.stderr
    spans = ["<b>https://example.org/a?b=1</b>", "{name}", "🙂"] if "{name}" in said else []
    assert all(span in result.stdout for span in spans)


def test_the_python_of_the_guide_says_what_it_does():
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    *lines, last = block.strip().splitlines()
    exec("\n".join(lines), names)
    call, _, value = last.partition("  # ")
    assert eval(call, names) == eval(value)
