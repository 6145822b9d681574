"""Every command and every piece of Python in the guide is run here, in order, on tiny corpora with tiny budgets."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "more-data.md"
TINY = ["tokenizer.vocab_size=400", "model.d_model=32", "model.d_ff=32", "model.encoder_layers=1"]
BUDGET = ["training.steps=2", "training.validations=1", "training.validation_sentences=2", "data.valid_pairs=10"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


def shorten(words: list[str], learning: list[str]) -> list[str]:
    """Give a training command a tiny budget in place of the guide's, and a tiny model unless it has one.

    The model that is to write sources learns something: of one that comes to no end there are no pairs.
    """
    if words[0] != "train":
        return words
    kept = [word for word in words if not word.startswith("training.minutes=")]
    if "runs/de-en" in words:
        return [*kept, *learning]
    return [*kept, *BUDGET, *([] if any("start_from" in word for word in words) else TINY)]


@pytest.fixture
def desk(ferryman, trained, tmp_path, monkeypatch) -> None:
    """A folder with the files and models that the guide speaks of."""
    monkeypatch.chdir(tmp_path)
    for suffix, file in (("en", trained.source), ("de", trained.target)):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for name, some in (("train", lines[:100]), ("new", lines[100:160]), ("news", lines[160:200])):
            Path(f"{name}.{suffix}").write_text("".join(some), encoding="utf-8")
    for name in ("en-de", "teacher"):
        shutil.copytree(trained.folder, Path("runs") / name)


@pytest.mark.skipif(shutil.which("paste") is None, reason="needs the tools of a Unix shell")
def test_what_the_guide_says_works(ferryman, trained, desk):
    for program, *words in commands():
        if program == "ferryman":
            result = ferryman(*shorten(words, trained.settings))
            assert result.exit_code == 0, f"{words}: {result.output}"
        else:
            subprocess.run(shlex.join([program, *words]).replace("'>'", ">"), shell=True, check=True)
    for code in blocks("python"):
        exec(code, {})
