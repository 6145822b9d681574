"""Run a benchmark as people do, on something tiny."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

RunBenchmark = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_benchmark() -> RunBenchmark:
    def run(script: str, *arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, BENCHMARKS / script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture
def _peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
