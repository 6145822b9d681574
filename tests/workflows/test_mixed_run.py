"""A run of weighted, tagged corpora of two directions, a part of it frozen, goes on exactly where it was stopped."""

import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from ferryman.config_file import load_config
from ferryman.training.events import Stepped
from ferryman.workflows.run import TrainingRun

SETTINGS = [
    "data.source_language=en",
    "data.target_language=de",
    "data.train=main.tsv",
    "data.valid_pairs=5",
    "data.weight=1.5",
    "data.corpora.web={train: web.tsv, tag: bt, weight: 0.3}",
    "data.corpora.back={train: main.tsv, columns: [2, 1], source_language: de, target_language: en, weight: 0.7}",
    "tokenizer.vocab_size=330",
    "model.d_model=16",
    "model.d_ff=16",
    "model.heads=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "training.freeze=encoder",
    "training.minutes=null",
    "training.epochs=2",
    "training.batch_tokens=100",
    "training.validations=1",
    "training.validation_sentences=0",
    "training.threads=1",
]


def write(path: Path, count: int, end: str) -> None:
    chance = random.Random(2)
    sources = [f"{' '.join(chance.choices('abcdefgh', k=4))} {number}{end}" for number in range(count)]
    path.write_text("".join(f"{source}\t{source[::-1]}\n" for source in sources), encoding="utf-8")


def train(run: TrainingRun, stop_after: int | None = None) -> TrainingRun:
    for event in run.events():
        if isinstance(event, Stepped) and event.step == stop_after:
            run.stop("asked to")
    return run


@pytest.fixture
def config(tmp_path):
    write(tmp_path / "main.tsv", 60, "")
    write(tmp_path / "web.tsv", 30, "!")
    return load_config("tiny", [*SETTINGS, f"data.directory={tmp_path}", f"data.prepared={tmp_path / 'prepared'}"])


def test_it_goes_on_exactly(config, tmp_path):
    whole = train(TrainingRun(config, tmp_path / "whole"))
    stopped = train(TrainingRun(config, tmp_path / "stopped"), stop_after=whole.trainer.progress.step * 2 // 3)
    assert stopped.trainer.progress.position.epoch == 1
    resumed = train(TrainingRun.resume(tmp_path / "stopped"))
    assert resumed.trainer.progress.step == whole.trainer.progress.step
    expected, found = (load_file(tmp_path / name / "training_state.safetensors") for name in ("whole", "stopped"))
    assert expected.keys() == found.keys()
    assert [name for name in expected if not torch.equal(expected[name], found[name])] == []


def test_the_weights_of_the_configuration_reach_the_sampler(config, tmp_path):
    run = TrainingRun(config, tmp_path / "run")
    trainer = next(run.trainer for event in run.events() if isinstance(event, Stepped))
    mixture = trainer.sampler.mixture
    assert [weight for _, weight in mixture.parts] == [1.5, 0.3, 0.7]
    assert sum(pairs for pairs, _ in mixture.parts) == len(trainer.sampler.longest)
