"""A run of weighted, tagged corpora of two directions, a part of it frozen, goes on exactly where it was stopped."""

import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from ferryman.config_file import load_config
from ferryman.text.directions import directions
from ferryman.training.events import Stepped
from ferryman.workflows.prepare import prepare
from ferryman.workflows.run import TrainingRun
from ferryman.workflows.validation import Validation
from ferryman.workflows.validations import validation_of

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


def test_a_direction_that_is_not_trained_does_not_choose_the_best_model(config, tmp_path):
    """Its weight is 0, so its loss tells nothing; of another corpus of weight 0 the direction is trained."""
    back = config.data.corpora["back"].model_copy(update={"weight": 0.0})
    web = config.data.corpora["web"].model_copy(update={"weight": 0.0})
    data = config.data.model_copy(update={"corpora": {"web": web, "back": back}})
    prepared = prepare(config, tmp_path / "prepared")
    assert list(validation_of(prepared.valid_by_direction, config, prepared.tokenizers).of) == list(directions(data))
    other = config.model_copy(update={"data": data})
    only = validation_of(prepared.valid_by_direction, other, prepared.tokenizers)
    assert isinstance(only, Validation)
    assert only.language == "de"
    assert only.scored == []
    assert sum(len(batch.source) for batch in only.batches) == 5
