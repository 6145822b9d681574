"""Every command and every piece of Python in the READMEs is run here, on tiny corpora and with tiny budgets."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferryman.cli.app import app

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
WORDS = "amber birch cedar delta ember fjord grove haven inlet jetty knoll ledge maple north ocean pearl".split()
CATALOGUES = Path("/usr/share/locale/de/LC_MESSAGES")
TINY = "training.steps=2 training.validations=1 tokenizer.vocab_size=500 model.d_model=32 model.d_ff=32".split()


def blocks(readme: str, language: str) -> list[str]:
    text = (ROOT / readme).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(readme: str) -> list[str]:
    lines = [line.partition("  #")[0].strip() for block in blocks(readme, "sh") for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def write_pairs(stem: Path, count: int, first: int, target: str = "de") -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    sources = [
        f"{WORDS[i % 16]} {WORDS[i // 16 % 16]} {WORDS[i // 256 % 16]} {i}." for i in range(first, first + count)
    ]
    for language, lines in (("en", sources), (target, [line[::-1] for line in sources])):
        stem.with_name(f"{stem.name}.{language}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    both = "".join(f"{line}\t{line[::-1]}\n" for line in sources)
    stem.with_name(f"{stem.name}.tsv").write_text(both, encoding="utf-8")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the READMEs speak of."""
    desk = tmp_path_factory.mktemp("desk")
    for folder in (".", "corpus", "data/multi30k", "data/tatoeba-en-zh"):
        for name, count, first in (("train", 200, 0), ("val", 12, 1000), ("dev", 12, 1100), ("test", 12, 1200)):
            write_pairs(desk / folder / name, count, first)
        write_pairs(desk / folder / "test2016", 12, 1300)
    write_pairs(desk / "new", 100, 1400)
    (desk / "input.txt").write_text("amber birch cedar 7.\n", encoding="utf-8")
    (desk / "app.po").write_text('msgid "amber birch"\nmsgstr ""\n', encoding="utf-8")
    return desk


@pytest.fixture(autouse=True)
def _at_the_desk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)


def shorten(arguments: list[str]) -> list[str]:
    """Give a training command a tiny budget and model in place of the README's."""
    if arguments[0] != "train":
        return arguments
    kept = [argument for argument in arguments if not argument.startswith("training.minutes=")]
    if "--resume" in arguments:
        return kept if kept == arguments else [*kept, "training.steps=3"]
    budget = TINY[:2] if any("start_from" in argument for argument in arguments) else TINY
    return [*[argument.replace("/*.mo", "/[a-c]*.mo") for argument in kept], *budget]


def run_ferryman(arguments: list[str]) -> None:
    if arguments[0] == "demo":
        return  # run by tests/journeys/test_demo_journey.py
    if arguments[0] == "serve":
        return  # runs until it is stopped: tests/serving/test_live.py
    if any("LC_MESSAGES" in argument for argument in arguments) and not any(CATALOGUES.glob("[a-c]*.mo")):
        return
    result = CliRunner().invoke(app, shorten(arguments))
    assert result.exit_code == 0, f"{arguments}: {result.output}\n{result.exception!r}"


def run_torchrun(arguments: list[str]) -> None:
    """Run in this one process what torchrun would start in several; test_many_processes.py starts several."""
    count, number, *rest = arguments
    assert count == "--nproc-per-node" and number.isdigit() and rest[:2] == ["-m", "ferryman"]
    run_ferryman(rest[2:])


def run_make(arguments: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{arguments[0]}:", makefile, re.MULTILINE), f"no target {arguments[0]}"


def run_benchmark(arguments: list[str]) -> None:
    told = subprocess.run(
        [sys.executable, str(ROOT / arguments[0]), "--help"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ,
        timeout=120,
    ).stdout
    for option in arguments[1:]:
        assert not option.startswith("--") or re.search(rf"{option}\b", told), f"{arguments[0]} has no {option}"


@pytest.mark.parametrize("readme", READMES)
def test_commands_run_in_the_order_given(readme: str, tmp_path: Path) -> None:
    found = commands(readme)
    assert len(found) >= 8
    for command in found:
        for part in command.split(" | "):
            program, *arguments = shlex.split(part)
            moved = [argument.replace("runs/", f"{tmp_path}/runs/") for argument in arguments]
            if program == "ferryman":
                run_ferryman(moved)
            elif program == "torchrun":
                run_torchrun(moved)
            elif program == "make":
                run_make(arguments)
            elif program == "python":
                run_benchmark(arguments)
            else:
                assert program in ("pip", "echo"), f"{readme}: nothing here runs {command!r}"


@pytest.mark.parametrize("readme", READMES)
def test_python_runs(readme: str, desk: Path, tmp_path: Path) -> None:
    run_ferryman(["train", "train.en", "train.de", "-o", f"{tmp_path}/runs/en-de"])
    found = blocks(readme, "python")
    assert found
    for block in found:
        code = block.replace("runs/", f"{tmp_path}/runs/")
        exec(compile(code, readme, "exec"), {})


def test_both_readmes_show_the_same_commands() -> None:
    assert commands(READMES[0]) == commands(READMES[1])


@pytest.mark.parametrize("readme", READMES)
def test_readme_is_whole_and_shows_what_it_claims(readme: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert "@@" not in text
    for command in (
        "ferryman train multi30k -o runs/multi30k data.directory=data/multi30k training.minutes=15",
        "ferryman train tatoeba-en-zh -o runs/tatoeba-en-zh data.directory=data/tatoeba-en-zh training.minutes=15",
        "python benchmarks/training.py --preset tiny --json",
    ):
        assert command in commands(readme)
