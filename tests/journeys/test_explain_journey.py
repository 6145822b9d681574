"""``ferryman explain`` and ``ferryman plot`` from outside."""

import json

import pytest

import ferryman as library
from ferryman.explain import load_trace

SENTENCE = "hund nacht haus ."


def test_a_summary_says_what_translate_says(ferryman, trained):
    result = ferryman("explain", trained.folder, SENTENCE)
    assert result.exit_code == 0, result.stderr
    first, score, *picture = result.stdout.splitlines()
    found = library.load(trained.folder).translate([SENTENCE])[0]
    assert first == found.text
    assert f"{found.score:.4f}" in score
    assert any(line.rstrip().endswith(tuple("░▒▓█")) for line in picture)


def test_a_trace_of_a_beam_search(ferryman, trained, tmp_path):
    """Case T97."""
    path = tmp_path / "new" / "a.json"
    result = ferryman("explain", trained.folder, SENTENCE, "-o", path, "decoding.beam=3")
    assert (result.exit_code, result.stdout) == (0, "")
    document = json.loads(path.read_text(encoding="utf-8"))
    found = library.load(trained.folder, ["decoding.beam=3"]).translate([SENTENCE])[0]
    assert (document["target"]["text"], document["target"]["score"]) == (found.text, found.score)
    candidates = {one["key"]: one for level in document["beam"]["steps"] for one in level["candidates"]}
    path_ids = [candidates[key]["id"] for key in document["beam"]["path"]]
    assert tuple(path_ids) == found.tokens
    assert all(len(level["candidates"]) <= 6 for level in document["beam"]["steps"])
    assert load_trace(path).model.name == trained.folder.name
    assert ferryman("explain", trained.folder, "tag .", "-o", path).exit_code == 0  # its own file is replaced
    assert load_trace(path).source.text == "tag ."


@pytest.mark.parametrize("more", [[], ["--view", "cross", "--layer", "2"], ["--view", "encoder"]])
def test_pictures(ferryman, trained, tmp_path, more):
    pytest.importorskip("matplotlib")
    result = ferryman("explain", trained.folder, SENTENCE, "-o", tmp_path / "a.svg", *more)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Ferryman" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_the_curves_of_a_run(ferryman, trained, tmp_path):
    pytest.importorskip("matplotlib")
    result = ferryman("plot", trained.folder, "-o", tmp_path / "a.png")
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'a.png'}\n")
    assert (tmp_path / "a.png").stat().st_size > 10_000
    nowhere = ferryman("plot", tmp_path, "-o", tmp_path / "b.png")
    assert nowhere.exit_code == 1
    assert "no metrics.jsonl in it" in nowhere.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["One. Two.", "-o", "a.json"], 1, "2 sentences"),
        (["", "-o", "a.json"], 1, "nothing in the text needs a translation"),
        (["hund", "-o", "a.txt"], 2, "must end in .json"),
        (["hund", "-o", "mine.json"], 2, "mine.json was not written by ferryman, and would be replaced"),
        (["hund", "-o", "folder.json"], 2, "folder.json is a folder"),
        (["hund", "--view", "cross"], 2, "are for pictures"),
        (["hund", "-o", "a.svg", "--layer", "1"], 2, "--layer needs --view"),
        (["hund", "-o", "a.svg", "--view", "cross", "--layer", "9"], 2, "the decoder has layers 1 to 2"),
        (["hund", "beam=3"], 2, "decoding"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_line(ferryman, trained, tmp_path, monkeypatch, arguments, code, message):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text('{"years": "of work"}', encoding="utf-8")
    (tmp_path / "folder.json").mkdir()
    result = ferryman("explain", trained.folder, *arguments)
    assert result.exit_code == code, result.stderr
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert (tmp_path / "mine.json").read_text(encoding="utf-8") == '{"years": "of work"}'
    assert not (tmp_path / "a.json").exists()
