"""``ferryman translate`` and ``score``: the same lines by every way in, as many lines out, nothing lost on failure."""

import json
import math
import shutil
import subprocess
import sys

import pytest
import torch

import ferryman as library
from ferryman.engines.devices import set_threads

ODD_LINES = ["", "   ", "🙂", "...", "apfel", "apfel\u2028baum", "\u00a0", "ş { } [ ] ▾ 👨‍👩‍👧 龘"]
ASCII_LOCALE = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PATH": "/usr/bin:/bin"}


def test_file_standard_input_and_python_agree(ferryman, trained, test_files, tmp_path):
    source, _ = test_files
    lines = source.read_text(encoding="utf-8").splitlines()
    by_file = ferryman("translate", trained.folder, source)
    by_input = ferryman("translate", trained.folder, stdin=source.read_bytes())
    by_dash = ferryman("translate", trained.folder, "-", stdin=source.read_bytes())
    to_file = ferryman("translate", trained.folder, source, "-o", tmp_path / "out.de")
    by_python = library.load(trained.folder).translate(lines)
    as_json = ferryman("translate", trained.folder, source, "--json")
    expected = [translation.text for translation in by_python]
    assert by_file.stdout.splitlines() == expected
    assert by_input.stdout == by_dash.stdout == by_file.stdout
    assert to_file.stdout == ""
    assert (tmp_path / "out.de").read_text(encoding="utf-8") == by_file.stdout
    records = [json.loads(line) for line in as_json.stdout.splitlines()]
    assert [record["text"] for record in records] == expected
    assert set(records[0]) == {"text", "score", "log_prob", "tokens", "flags", "alternatives"}
    assert "20 texts" in by_file.stderr


def test_as_many_lines_as_came_in_and_no_unknown_symbol(ferryman, trained):
    result = ferryman("translate", trained.folder, stdin="".join(f"{line}\n" for line in ODD_LINES))
    assert result.exit_code == 0
    found = result.stdout.split("\n")
    assert len(found) == len(ODD_LINES) + 1
    assert [found[0], found[1], found[6]] == ["", "", ""]
    assert "?" not in result.stdout
    assert "⁇" not in result.stdout
    assert ferryman("translate", trained.folder, stdin="").stdout == ""
    assert ferryman("translate", trained.folder, stdin="apfel .").stdout.count("\n") == 1  # no line end at the end


def test_a_very_long_line_is_split_and_the_summary_says_so(ferryman, trained):
    lines = ["apfel ."] * 4 + ["haus " * 5000] + ["baum ."] * 5
    settings = ["decoding.max_length_ratio=0.1", "decoding.max_length_extra=1", "decoding.beam=1"]
    result = ferryman("translate", trained.folder, *settings, stdin="\n".join(lines))
    assert len(result.stdout.splitlines()) == 10
    assert "10 texts" in result.stderr
    assert ", 1 split" in result.stderr
    refused = ferryman("translate", trained.folder, "decoding.too_long=error", stdin="\n".join(lines))
    assert refused.exit_code == 1
    assert "text 5 has" in refused.stderr
    assert refused.stdout == ""


def test_standard_input_can_stand_among_files(ferryman, trained, test_files):
    alone = ferryman("translate", trained.folder, test_files[0]).stdout
    typed = ferryman("translate", trained.folder, stdin="apfel baum .\n").stdout
    together = ferryman("translate", trained.folder, "-", test_files[0], stdin="apfel baum .\n")
    assert together.stdout == typed + alone
    assert "21 texts" in together.stderr


def test_several_files_go_into_a_folder(ferryman, trained, test_files, tmp_path):
    source, target = test_files
    together = ferryman("translate", trained.folder, source, target)
    assert len(together.stdout.splitlines()) == 40
    result = ferryman("translate", trained.folder, source, target, "-o", tmp_path / "out")
    assert result.exit_code == 0
    parts = [(tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("test.en", "test.de")]
    assert "".join(parts) == together.stdout
    (tmp_path / "out" / "test.en").unlink()
    assert ferryman("translate", trained.folder, source, "-o", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "test.en").exists()


def test_files_that_would_be_lost_are_refused(ferryman, trained, test_files, tmp_path):
    copy = tmp_path / "a" / "test.en"
    copy.parent.mkdir()
    shutil.copy(test_files[0], copy)
    before = copy.read_bytes()
    for arguments in ([copy, "-o", copy], [copy, test_files[0], "-o", tmp_path / "out"], ["-o", tmp_path]):
        result = ferryman("translate", trained.folder, *arguments, stdin="apfel\n")
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
    assert copy.read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_bad_utf8_is_named_and_no_output_file_is_left(ferryman, trained, tmp_path):
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(b"apfel\nba\xe9um\n")
    output.write_text("what was there before", encoding="utf-8")
    by_file = ferryman("translate", trained.folder, source, "-o", output)
    by_input = ferryman("translate", trained.folder, stdin=source.read_bytes())
    assert (by_file.exit_code, by_input.exit_code) == (1, 1)
    assert f"{source}, line 2, byte 3" in by_file.stderr
    assert "standard input, line 2, byte 3" in by_input.stderr
    assert by_input.stdout == ""
    assert output.read_text(encoding="utf-8") == "what was there before"
    assert {path.name for path in tmp_path.iterdir()} == {"in.txt", "out.txt"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nothing-here"], 1, "nothing-here: no such folder"),
        (["{model}", "missing.txt"], 1, "missing.txt: no such file"),
        (["{model}", "beam=1"], 2, "section.key=value"),
        (["{model}", "decoding.beem=1"], 2, "did you mean decoding.beam?"),
        (["{model}", "model.d_model=64"], 2, "only decoding.* can be set"),
        (["{model}", "decoding.n_best=9"], 2, "a beam at least as wide"),
    ],
)
def test_what_cannot_be_translated_is_one_line(ferryman, trained, arguments, code, words):
    result = ferryman("translate", *[word.format(model=trained.folder) for word in arguments], stdin="apfel\n")
    assert result.exit_code == code
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        ("config.yaml", 0),
        ("config.yaml", 40),
        ("tokenizer.model", 0),
        ("tokenizer.model", 100),
        ("model.safetensors", 0),
        ("model.safetensors", 5000),
    ],
)
def test_a_damaged_model_is_one_line(ferryman, trained, tmp_path, name, keep):
    for part in ("config.yaml", "tokenizer.model", "model.safetensors"):
        shutil.copy(trained.folder / part, tmp_path / part)
    damaged = tmp_path / name
    damaged.unlink() if keep == 0 else damaged.write_bytes(damaged.read_bytes()[:keep])
    for command in (["translate", tmp_path], ["info", tmp_path], ["evaluate", tmp_path, "a", "b"]):
        result = ferryman(*command, stdin="apfel\n")
        assert result.exit_code == 1
        assert str(tmp_path) in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_threads_are_left_alone_by_the_library_and_set_by_the_command(ferryman, trained):
    """They are the whole process's: what a program that loads a model has chosen for itself stays."""
    default = ["decoding.threads=0"]
    torch.set_num_threads(3)
    try:
        library.load(trained.folder, default)
        assert torch.get_num_threads() == 3
        library.load(trained.folder, ["decoding.threads=2"])
        assert torch.get_num_threads() == 2
        torch.set_num_threads(3)
        ferryman("translate", trained.folder, *default, stdin="apfel .\n")
        by_command = torch.get_num_threads()
        assert by_command == set_threads(0)
    finally:
        torch.set_num_threads(1)


def test_alternatives_are_in_json_only_and_that_is_said(ferryman, trained):
    plain = ferryman("translate", trained.folder, "decoding.n_best=3", stdin="apfel baum .\n")
    assert "--json shows all" in plain.stderr
    record = json.loads(ferryman("translate", trained.folder, "decoding.n_best=3", "--json", stdin="apfel .\n").stdout)
    assert len(record["alternatives"]) == 2
    assert record["score"] >= record["alternatives"][0]["score"] >= record["alternatives"][1]["score"]


def test_an_ascii_locale_and_a_closed_pipe(start, trained, tmp_path):
    """The locale is left aside; and when the reader has had enough, that is no error."""
    output = tmp_path / "out.txt"
    lines = ["apfel ồ 中", "haus"] * 10
    with start("translate", trained.folder, "-o", output, stdin=subprocess.PIPE, env=ASCII_LOCALE) as process:
        _, errors = process.communicate("\n".join(lines).encode(), timeout=60)
    assert process.returncode == 0, errors
    assert len(output.read_text(encoding="utf-8").splitlines()) == 20

    with (
        start("translate", trained.folder, "中.txt", stdin=subprocess.PIPE, env=ASCII_LOCALE) as missing,
        start("translate", trained.folder, stdin=subprocess.PIPE, env=ASCII_LOCALE) as reading,
    ):
        reading.stdout.close()
        reading.stdin.write("\n".join(lines).encode())
        reading.stdin.close()
        assert "中.txt: no such file" in missing.stderr.read().decode("utf-8")
        assert b"rror" not in reading.stderr.read()
    assert reading.returncode == 0


def test_results_for_a_standard_output_that_was_closed_are_an_error(trained):
    command = f'echo apfel | "{sys.executable}" -m ferryman translate "{trained.folder}" >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("ferryman: standard output: it is closed\n")


def test_score_is_what_decoding_says_of_its_own_translation(ferryman, trained, test_files, tmp_path):
    source, target = test_files
    records = [json.loads(line) for line in ferryman("translate", trained.folder, source, "--json").stdout.splitlines()]
    own = tmp_path / "own.de"
    own.write_text("".join(f"{record['text']}\n" for record in records), encoding="utf-8")
    result = ferryman("score", trained.folder, source, own)
    scores = [float(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert "20 pairs, mean" in result.stderr
    spelt = library.load(trained.folder).tokenizers.target
    alike = [[*spelt.pieces(spelt.encode(record["text"])), "</s>"] == record["tokens"] for record in records]
    assert sum(alike) > 10
    for score, record, same in zip(scores, records, alike, strict=True):
        if same:
            assert math.isclose(score, record["log_prob"], abs_tol=1e-4)
    reference = [float(line) for line in ferryman("score", trained.folder, source, target).stdout.splitlines()]
    assert sum(reference) < sum(scores)
    as_json = ferryman("score", trained.folder, source, own, "--json").stdout.splitlines()
    assert math.isclose(json.loads(as_json[0])["log_prob"], scores[0], abs_tol=1e-5)


def test_score_refuses_files_of_different_length(ferryman, trained, test_files, tmp_path):
    short = tmp_path / "short.de"
    short.write_text("eins\n", encoding="utf-8")
    result = ferryman("score", trained.folder, test_files[0], short)
    assert result.exit_code == 1
    assert f"{test_files[0]} has 20 lines but {short} has 1" in result.stderr
    assert result.stdout == ""
