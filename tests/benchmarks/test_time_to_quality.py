import csv
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferryman.cli.app import app

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

SMALL = (
    "tokenizer.vocab_size=400 model.d_model=32 model.d_ff=32 model.encoder_layers=1 model.decoder_layers=1 "
    "training.threads=1 decoding.threads=1 training.validations=2 training.validation_sentences=4"
).split()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("multi30k")
    for name, first, last in (("train", 0, 150), ("val", 200, 210), ("test2016", 300, 306)):
        for language, noun in (("en", "boats"), ("de", "Boote")):
            lines = "".join(f"{number} {noun} {number % 7} {number % 11}\n" for number in range(first, last))
            (folder / f"{name}.{language}").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def run_inside(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run the benchmark and the commands it gives in this process, where PyTorch is loaded already."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    time_to_quality = importlib.import_module("time_to_quality")

    def ferryman(*arguments: str | Path) -> str:
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    def run(*arguments: str | Path) -> None:
        monkeypatch.setattr(sys, "argv", ["time_to_quality.py", *map(str, arguments)])
        time_to_quality.main()

    monkeypatch.setattr(time_to_quality, "ferryman", ferryman)
    return run


def test_a_table_and_a_picture_of_what_was_learnt(run_inside, corpus: Path, tmp_path: Path, capsys) -> None:
    command = ["multi30k", corpus, "--steps", "4", "6", "-o", tmp_path, *SMALL]
    run_inside(*command)
    table = (tmp_path / "multi30k.csv").read_text(encoding="utf-8")
    points = list(csv.DictReader(table.splitlines()))
    assert [(point["budget"], point["step"], point["split"]) for point in points] == [
        ("4 steps", "2", "validation"),
        ("4 steps", "4", "validation"),
        ("4 steps", "4", "test2016"),
        ("6 steps", "3", "validation"),
        ("6 steps", "6", "validation"),
        ("6 steps", "6", "test2016"),
    ]
    assert all(float(point["seconds"]) > 0 and 0 <= float(point["bleu"]) <= 100 for point in points)
    assert ["tok:13a" in point["signature"] for point in points] == [False, False, True] * 2
    if importlib.util.find_spec("matplotlib"):
        assert (tmp_path / "multi30k.png").read_bytes().startswith(b"\x89PNG")
    else:
        assert "ferryman[plot]" in capsys.readouterr().err
    run_inside(*command)  # all is finished: nothing is trained again
    assert (tmp_path / "multi30k.csv").read_text(encoding="utf-8") == table


def test_a_corpus_that_is_not_there_is_told(run_benchmark, tmp_path: Path) -> None:
    done = run_benchmark("time_to_quality.py", "multi30k", tmp_path / "no", "-o", tmp_path / "runs", code=1)
    assert f"{tmp_path / 'no'}: no such file or folder" in done.stderr
    assert "Traceback" not in done.stderr
