"""The demonstration from outside, on a smaller corpus and with a budget of a few steps."""

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ferryman
from ferryman.cli.app import app
from ferryman.training.update import Update, Updater
from ferryman.workflows import demo


@pytest.fixture
def short_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def short(name: str, overrides: list[str]) -> ferryman.Config:
        tiny = ["tokenizer.vocab_size=900", "training.minutes=900", "training.steps=6", "training.validations=1"]
        return ferryman.load_config(name, [*overrides, *tiny])

    monkeypatch.setattr(demo, "load_config", short)
    for name, count in (("TRAIN", 800), ("VALID", 10), ("TEST", 12)):
        monkeypatch.setattr(demo, name, count)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("language", ["zh", "de"])
def test_demo_trains_scores_translates_and_draws(short_demo: Path, language: str) -> None:
    result = CliRunner().invoke(app, ["demo", "--language", language])
    assert result.exit_code == 0, result.output
    folder = short_demo / "runs" / ("demo" if language == "zh" else "demo-de")
    assert "BLEU" in result.stdout
    assert f"tok:{'zh' if language == 'zh' else '13a'}" in result.stdout
    assert "exactly as the phrasebook" in result.stdout
    assert "alignment error rate of its attention" in result.stdout
    assert "ferryman train" in result.stdout
    assert any(line.rstrip().endswith(tuple("░▒▓█")) for line in result.stdout.splitlines())
    assert f"open {Path('runs') / folder.name / 'inside.html'} in a browser" in result.stdout
    assert "ferryman-trace" in (folder / "inside.html").read_text(encoding="utf-8")
    samples = (folder / "samples.txt").read_text(encoding="utf-8").splitlines()
    assert len(samples) == 6
    assert len(ferryman.load(folder).translate(samples)) == 6


def test_demo_replaces_an_earlier_one_but_nothing_else(short_demo: Path) -> None:
    for _ in range(2):
        assert CliRunner().invoke(app, ["demo"]).exit_code == 0
    other = short_demo / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work", encoding="utf-8")
    result = CliRunner().invoke(app, ["demo", "-o", str(other)])
    assert result.exit_code == 1
    assert "not a demonstration" in result.stderr
    assert (other / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_demo_fails_if_its_training_did(short_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skipped = Update(math.nan, math.nan, 9, math.nan, bad_tensor="encoder.0.weight")
    monkeypatch.setattr(Updater, "update", lambda *_: skipped)
    short = demo.load_config
    monkeypatch.setattr(demo, "load_config", lambda *what: short(what[0], [*what[1], "training.max_skipped_steps=2"]))
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 1
    assert "gradients that are not finite" in result.stderr
    assert result.stdout == ""


def test_demo_knows_its_languages(short_demo: Path) -> None:
    result = CliRunner().invoke(app, ["demo", "--language", "fr"])
    assert result.exit_code == 2
    assert "de, zh" in result.stderr
