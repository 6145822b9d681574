"""A small corpus and quick runs on it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ferryman.config_file import load_config
from ferryman.workflows.run import TrainingRun

SETTINGS = [
    "data.source_language=en",
    "data.target_language=de",
    "data.valid_pairs=4",
    "tokenizer.vocab_size=300",
    "model.d_model=16",
    "model.d_ff=16",
    "model.heads=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "training.minutes=null",
    "training.steps=6",
    "training.threads=1",
    "training.batch_tokens=64",
    "training.validate_every_steps=1",
    "training.validation_sentences=2",
    "decoding.max_length_ratio=0.5",
    "decoding.max_length_extra=1",
]


@pytest.fixture
def new_run(tmp_path: Path) -> Callable[..., TrainingRun]:
    """Set up small runs of six steps in folders of a given name."""
    for number, side in enumerate(("en", "de")):
        rows = (f"word{index} word{index + number}\n" for index in range(40))
        (tmp_path / f"train.{side}").write_text("".join(rows), encoding="utf-8")

    def build(name: str, *settings: str) -> TrainingRun:
        config = load_config("tiny", [*SETTINGS, f"data.directory={tmp_path}", *settings])
        return TrainingRun(config, tmp_path / name)

    return build
