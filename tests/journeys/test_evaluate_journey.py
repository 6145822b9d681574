"""``ferryman evaluate``: the log, this command and sacreBLEU's own give one score; unequal files are refused."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ferryman.config_file import dump_config, load_config
from ferryman.files import write_text
from ferryman.training.metrics import read_metrics


@pytest.fixture
def validation_files(trained, tmp_path) -> tuple[Path, Path]:
    """The pairs that the run's validations translated, as files."""
    [prepared] = trained.folder.glob("prepared/*/valid.jsonl")
    rows = [json.loads(line) for line in prepared.read_text(encoding="utf-8").splitlines()][:10]
    for side in ("source", "target"):
        (tmp_path / side).write_text("".join(f"{row[side]}\n" for row in rows), encoding="utf-8")
    return tmp_path / "source", tmp_path / "target"


def sacrebleu(reference: Path, hypotheses: Path, *options: str) -> list[dict]:
    command = [sys.executable, "-m", "sacrebleu", reference, "-i", hypotheses, "-w", "10", *options]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else [found]


VALIDATED = ["decoding.beam=1", "decoding.fallback=false"]  # as validation searches


def test_log_and_evaluation_and_sacrebleu_agree(ferryman, trained, validation_files, tmp_path):
    source, reference = validation_files
    records = read_metrics(trained.folder / "metrics.jsonl")
    best = [record for record in records if record["kind"] == "validation" and record["best"]][-1]["figures"]
    output = tmp_path / "out.de"
    result = ferryman("evaluate", trained.folder, source, reference, "--json", "-o", output, *VALIDATED)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert best["bleu"] > 10
    assert found["bleu"]["score"] == best["bleu"]
    assert found["chrf"]["score"] == best["chrf"]
    theirs = sacrebleu(reference, output, "-m", "bleu", "chrf", "ter")
    for name, their in zip(("bleu", "chrf", "ter"), theirs, strict=True):
        assert found[name]["score"] == pytest.approx(their["score"], abs=1e-9)
        assert found[name]["signature"] == their["signature"]
    assert found["bleu"]["signature"] in (trained.folder / "README.md").read_text(encoding="utf-8")


def test_a_model_and_its_translations_score_alike(ferryman, trained, test_files, tmp_path):
    source, reference = test_files
    output = tmp_path / "out.de"
    by_model = ferryman("evaluate", trained.folder, source, reference, "-o", output)
    by_file = ferryman("evaluate", output, reference, "--target-language", "de")
    assert by_model.exit_code == 0
    lines = by_model.stdout.splitlines()
    assert lines[:3] == by_file.stdout.splitlines()[:3]
    assert [line.split()[0] for line in lines] == ["BLEU", "chrF2", "TER", "20"]
    assert all("version:" in line for line in lines[:3])
    pairs = tmp_path / "test.tsv"
    rows = zip(source.read_text().splitlines(), reference.read_text().splitlines(), strict=True)
    pairs.write_text("".join(f"{s}\t{t}\n" for s, t in rows), encoding="utf-8")
    assert ferryman("evaluate", trained.folder, pairs).stdout == by_model.stdout


def test_a_file_of_pairs_is_read_with_the_names_that_the_model_was_trained_with(
    ferryman, trained, test_files, tmp_path
):
    source, reference = test_files
    model = tmp_path / "model"
    model.mkdir()
    for part in ("tokenizer.model", "model.safetensors"):
        shutil.copy(trained.folder / part, model / part)
    write_text(
        model / "config.yaml", dump_config(load_config(trained.folder / "config.yaml", ["data.fields=[en, de]"]))
    )
    rows = zip(source.read_text().splitlines(), reference.read_text().splitlines(), strict=True)
    write_text(tmp_path / "test.jsonl", "".join(json.dumps({"en": s, "de": t}) + "\n" for s, t in rows))
    by_pairs = ferryman("evaluate", model, tmp_path / "test.jsonl")
    assert by_pairs.exit_code == 0, by_pairs.stderr
    assert by_pairs.stdout == ferryman("evaluate", model, source, reference).stdout


def test_json_has_the_documented_shape(ferryman, test_files):
    reference = test_files[1]
    found = json.loads(ferryman("evaluate", reference, reference, "--target-language", "de", "--json").stdout)
    assert set(found) == {"bleu", "chrf", "ter", "sentences", "flags"}
    assert found["bleu"]["score"] == pytest.approx(100)
    assert set(found["bleu"]) == {"score", "signature"}
    assert found["ter"]["score"] == 0
    assert found["sentences"] == 20


@pytest.mark.parametrize(
    ("language", "tokeniser", "text"),
    [
        ("de", "tok:13a", "Das ist gut ."),
        ("en", "tok:13a", "This is good ."),
        ("zh-Hans", "tok:zh", "这很好。"),
        ("ja", "tok:ja-mecab", "これはいいです。"),
    ],
)
def test_the_tokeniser_follows_the_language_and_is_shown(ferryman, tmp_path, language, tokeniser, text):
    lines = tmp_path / "lines"
    lines.write_text(f"{text}\n" * 3, encoding="utf-8")
    result = ferryman("evaluate", lines, lines, "--target-language", language)
    assert result.exit_code == 0
    assert tokeniser in result.stdout


def test_unseen_characters_of_a_reference_count_as_they_are(ferryman, trained, tmp_path):
    for name, text in (
        ("in", "apfel\nhaus\nkind\n"),
        ("ref", "ş { } ▾\n🙂 龘\nkind\n"),
        ("hyp", "⁇ { } ⁇\n⁇ ⁇\nkind\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    own = ferryman("evaluate", tmp_path / "ref", tmp_path / "ref", "--target-language", "de", "--json")
    unknown = ferryman("evaluate", tmp_path / "hyp", tmp_path / "ref", "--target-language", "de", "--json")
    assert json.loads(own.stdout)["chrf"]["score"] == pytest.approx(100)
    assert json.loads(unknown.stdout)["chrf"]["score"] < 90
    assert ferryman("evaluate", trained.folder, tmp_path / "in", tmp_path / "ref").exit_code == 0


def test_unequal_counts_are_refused_with_both(ferryman, trained, tmp_path):
    many, few = tmp_path / "references", tmp_path / "hypotheses"
    many.write_text("ein satz\n" * 3004, encoding="utf-8")
    few.write_text("ein satz\n" * 2134, encoding="utf-8")
    for arguments in (
        [few, many, "--target-language", "de"],
        [many, many, "--target-language", "de", "--compare", few],
        [trained.folder, few, many],
        [trained.folder, many, many, few],
        [trained.folder, many, many, "--compare", few],  # found before 3,004 sentences are translated
    ):
        result = ferryman("evaluate", *arguments)
        assert result.exit_code == 1
        assert "3004" in result.stderr
        assert "2134" in result.stderr
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere", "{reference}"], 1, "nowhere: no such file or folder"),
        (["{unnamed}", "{unnamed}"], 2, "--target-language"),
        (["{reference}", "{reference}", "--target-language", "d"], 2, "'d'"),
        (["{reference}", "--target-language", "de"], 2, "REFERENCE"),
        (["{model}", "{source}"], 2, "SOURCE and REFERENCE"),
        (["{model}", "{source}", "{reference}", "decoding.beem=2"], 2, "did you mean decoding.beam?"),
        (["{reference}", "{reference}", "--target-language", "de", "--compare", "{model}"], 2, "sources are given"),
    ],
)
def test_what_cannot_be_scored_is_one_line(ferryman, trained, test_files, arguments, code, words):
    unnamed = test_files[1].with_suffix(".txt")
    unnamed.write_bytes(test_files[1].read_bytes())
    names = {"model": trained.folder, "source": test_files[0], "reference": test_files[1], "unnamed": unnamed}
    result = ferryman("evaluate", *[word.format(**names) for word in arguments])
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_a_shifted_test_set_is_warned_of(ferryman, trained, tmp_path):
    lines = [f"{'wort ' * (1 + number * 7 % 11)}{number * 7919} ." for number in range(60)]
    (tmp_path / "in").write_text("\n".join([*lines[:5], "", *lines[5:-1]]) + "\n", encoding="utf-8")
    (tmp_path / "ref").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = ["decoding.beam=1", "decoding.max_length_ratio=0.1", "decoding.max_length_extra=1"]
    result = ferryman("evaluate", trained.folder, tmp_path / "in", tmp_path / "ref", *settings)
    assert result.exit_code == 0
    assert "warning: from about line" in result.stderr


def test_two_systems_are_compared(ferryman, trained, test_files, tmp_path):
    source, reference = test_files
    worse = tmp_path / "worse.de"
    worse.write_text("".join(f"x {line}\n" for line in reference.read_text().splitlines()), encoding="utf-8")
    result = ferryman("evaluate", reference, reference, "--target-language", "de", "--compare", worse, "--json")
    found = json.loads(result.stdout)["comparison"]["bleu"]
    assert found["difference"] == pytest.approx(100 - found["other"])
    assert found["difference"] > 5
    assert found["p_value"] < 0.05
    assert "seed:" in found["signature"]
    itself = ferryman("evaluate", trained.folder, source, reference, "--compare", trained.folder)
    assert "difference +0.00" in itself.stdout
