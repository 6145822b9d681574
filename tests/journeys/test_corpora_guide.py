"""Every configuration, command and piece of Python in docs/guide/corpora.md is run here, with tiny budgets."""

import json
import re
import shlex
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "corpora.md").read_text(encoding="utf-8")
TINY = ["training.steps=2", "training.validations=1", "tokenizer.vocab_size=400", "model.d_model=32", "model.d_ff=32"]
WORDS = "amber birch cedar delta ember fjord grove haven".split()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def write_corpus(name: str, count: int, first: int) -> None:
    sources = [f"{WORDS[n % 8]} {WORDS[n // 8 % 8]} {n}." for n in range(first, first + count)]
    Path(f"{name}.en").write_text("".join(f"{line}\n" for line in sources), encoding="utf-8")
    Path(f"{name}.de").write_text("".join(f"{line[::-1]}\n" for line in sources), encoding="utf-8")
    Path(f"{name}.tsv").write_text("".join(f"{line}\t{line[::-1]}\n" for line in sources), encoding="utf-8")


def test_the_guide_does_what_it_says(ferryman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place, name in enumerate(("train", "web", "back", "new", "test")):
        write_corpus(name, 60 if name != "test" else 5, 1000 * place)
    Path("input.txt").write_text("amber birch 7.\n", encoding="utf-8")
    configs = blocks("yaml")
    assert len(configs) == 2
    for config in configs:
        Path(config.split()[1]).write_text(config, encoding="utf-8")
    commands = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 10
    for _, *arguments in commands:
        if arguments[0] == "train":
            arguments = [word for word in arguments if not word.startswith("training.minutes")]
            arguments += TINY[:2] if any("start_from" in word for word in arguments) else TINY
        result = ferryman(*arguments)
        assert result.exit_code == 0, f"{arguments}: {result.stderr}\n{result.exception!r}"
    for block in blocks("python"):
        exec(compile(block, "corpora.md", "exec"), {})


def test_each_corpus_is_examined(ferryman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place, name in enumerate(("train", "web", "back")):
        write_corpus(name, 60, 1000 * place)
    mixed = blocks("yaml")[0]
    Path("mixed.yaml").write_text(mixed, encoding="utf-8")
    result = ferryman("check", "mixed.yaml", "data.corpora.back.valid=web.tsv", "--json")
    assert result.exit_code == 0, result.stderr
    found = {name: report["cleaning"]["kept"] for name, report in json.loads(result.stdout).items()}
    assert found == {"main": 60, "web": 0, "back": 60}
    Path("back.tsv").write_text("no tab\n", encoding="utf-8")
    broken = ferryman("check", "mixed.yaml")
    assert broken.exit_code == 1
    assert broken.stdout.count("read ") >= 3
