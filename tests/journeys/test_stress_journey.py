"""The short form of ``make stress``: a run killed on purpose in the middle of its writing ends bit-equal."""

import importlib.util
import sys
from itertools import chain, repeat
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "stress.py"


@pytest.fixture
def stress(monkeypatch):
    spec = importlib.util.spec_from_file_location("stress", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "stress", module)
    spec.loader.exec_module(module)
    return module


def test_a_run_killed_while_it_writes_ends_bit_equal(stress, tmp_path, monkeypatch):
    corpus = stress.make_corpus(tmp_path)
    moments = [
        ("state", lambda watched: any("training_state" in name for name in watched.writes())),
        ("checkpoint", lambda watched: any(".step-" in name for name in watched.writes())),
        ("validation", lambda watched: watched.has_come_to(1, "validation")),  # told, but not saved yet
    ]
    come_through = repeat(("never", lambda _: False))
    monkeypatch.setattr(stress, "moments", lambda chance, seconds: chain(moments, come_through))
    told = []
    assert stress.disturbed(corpus, tmp_path, len(moments), 1, told.append) == []
    assert len([line for line in told if line.startswith("kill")]) == len(moments)
    assert told[-1] == "run 1 came through: bit-equal to the run in peace"


def test_what_differs_is_found(stress, trained, tmp_path):
    """Otherwise the comparison could not fail."""
    other = tmp_path / "run"
    for path in [
        *trained.folder.rglob("*.safetensors"),
        trained.folder / "metrics.jsonl",
        trained.folder / "README.md",
    ]:
        copy = other / path.relative_to(trained.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert stress.compare(other, trained.folder) == []
    weights = other / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    metrics = other / "metrics.jsonl"
    metrics.write_bytes(metrics.read_bytes().replace(b'"loss": ', b'"loss": 1', 1))
    (other / ".a.unfinished").touch()
    assert [found.partition(":")[0] for found in stress.compare(other, trained.folder)] == [
        "model.safetensors differs",
        "metrics.jsonl differs",
        "left over",
    ]
