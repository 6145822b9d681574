"""The house stands as it is drawn: imports flow downhill, files stay small, importing is cheap."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for path in (ROOT / "src" / "ferryman").rglob("*.py") if "patterns" not in path.parts)
HEAVY = ("torch", "numpy", "sentencepiece", "sacrebleu")


def test_imports_flow_downhill(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    status = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_holds_one_idea(path):
    """The phrasebook's sentence patterns apart, which are tables."""
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300


@pytest.mark.parametrize("module", ["ferryman", "ferryman.config_file", "ferryman.errors"])
def test_importing_does_not_load_the_heavy_libraries(module):
    code = f"import sys, {module}; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
