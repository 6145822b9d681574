"""A corpus of made-up words, a small model trained on it, and the command line to use them from."""

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ferryman.cli.app import app

sys.path.insert(0, str(Path(__file__).parent.parent))  # processes.py

WORDS = "apfel baum haus kind hund brot tag nacht mond tisch"

SMALL = [
    "tokenizer.vocab_size=400",
    "model.d_model=32",
    "model.d_ff=64",
    "model.heads=2",
    "model.encoder_layers=2",
    "model.decoder_layers=2",
    "training.threads=1",
    "decoding.threads=1",
    "training.batch_tokens=256",
    "model.dropout=0.05",
    "training.learning_rate=0.015",
    "training.warmup_steps=20",
]
WATCHED = [
    "training.steps=80",
    "training.validations=4",
    "training.validation_sentences=10",
    "training.log_every_steps=10",
    "training.save_every_steps=7",
    "training.average_last=2",
]
QUICK = [*SMALL, "training.steps=2", "training.validations=0", "training.validation_sentences=0"]

RunCommand = Callable[..., Result]
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Trained:
    """A run that nobody interrupted, the files it was trained on and its settings."""

    folder: Path
    source: Path
    target: Path
    settings: list[str]


def make_pairs(count: int, seed: int = 3) -> list[tuple[str, str]]:
    """Make sentences whose translation spells each word backwards."""
    chance = random.Random(seed)
    rows = [chance.choices(WORDS.split(), k=chance.randint(2, 6)) for _ in range(count)]
    return [(" ".join(words) + " .", " ".join(word[::-1] for word in words) + " .") for words in rows]


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def run_command(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def ferryman() -> RunCommand:
    """Run a command in this process."""
    return run_command


@pytest.fixture
def write_pairs(tmp_path: Path) -> Callable[[Pairs], tuple[Path, Path]]:
    """Write pairs as two aligned files whose names tell their languages."""

    def write(pairs: Pairs) -> tuple[Path, Path]:
        return (
            write_lines(tmp_path / "corpus.en", [source for source, _ in pairs]),
            write_lines(tmp_path / "corpus.de", [target for _, target in pairs]),
        )

    return write


@pytest.fixture
def pairs() -> list[tuple[str, str]]:
    return make_pairs(40)


@pytest.fixture
def quick() -> list[str]:
    """Settings of a run that takes two steps."""
    return list(QUICK)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Train on 300 pairs for 80 steps, without interruption."""
    place = tmp_path_factory.mktemp("trained")
    pairs = make_pairs(300)
    source = write_lines(place / "words.en", [source for source, _ in pairs])
    target = write_lines(place / "words.de", [target for _, target in pairs])
    settings = [*SMALL, *WATCHED]
    result = run_command("train", source, target, "-o", place / "run", *settings)
    assert result.exit_code == 0, result.stderr
    return Trained(place / "run", source, target, settings)


@pytest.fixture(scope="session")
def two_way(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Train one model en → de (each word backwards) and en → zh (a copy), on the same sources; return what it said.

    A third corpus, of weight 0.5, is tagged.
    """
    place, pairs = tmp_path_factory.mktemp("two-way"), make_pairs(300)
    corpora = {"back": pairs, "copy": [(source, source) for source, _ in pairs], "tagged": make_pairs(20, seed=9)}
    for name, rows in corpora.items():
        write_lines(place / f"{name}.tsv", [f"{source}\t{target}" for source, target in rows])
    mixed = """
        data:
          source_language: en
          target_language: de
          train: back.tsv
          valid_pairs: 20
          cleaning: {drop_copies: false}
          corpora:
            copy: {train: copy.tsv, target_language: zh}
            tagged: {train: tagged.tsv, tag: bt, weight: 0.5}
    """
    config = write_lines(place / "two.yaml", mixed.splitlines())
    budget = ["training.steps=300", "training.validations=1", "training.validation_sentences=10", "decoding.beam=1"]
    wider = ["model.norm_order=pre", "model.d_model=64", "training.learning_rate=0.005", "training.schedule=cosine"]
    settings = [f"data.directory={place}", *SMALL, *wider, *budget]
    result = run_command("train", config, "-o", place / "run", *settings)
    assert result.exit_code == 0, result.stderr
    return place / "run", result.stderr


@pytest.fixture(scope="session")
def test_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Twenty sentences that were not trained on, and their references."""
    place, pairs = tmp_path_factory.mktemp("test"), make_pairs(20, seed=77)
    return (
        write_lines(place / "test.en", [source for source, _ in pairs]),
        write_lines(place / "test.de", [target for _, target in pairs]),
    )


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[bytes]]:
    """Start a command in a process of its own."""

    def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ferryman", *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    return start
