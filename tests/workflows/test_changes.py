"""Budgets given take the place of others; what a run is cannot change when it goes on."""

from pathlib import Path

import pytest

from ferryman.config_file import load_config
from ferryman.errors import ConfigError
from ferryman.workflows.changes import check_changes, with_budget


@pytest.mark.parametrize(
    ("settings", "budget"),
    [
        ([], (15, None, None)),
        (["model.d_ff=64"], (15, None, None)),
        (["training.steps=5"], (None, 5, None)),
        (["training.epochs=2"], (None, None, 2)),
        (["training.steps=5", "training.minutes=3"], (3, 5, None)),
        (["training.minutes=null"], (None, None, None)),
    ],
)
def test_a_budget_given_takes_the_place_of_the_files(settings, budget):
    training = load_config("tiny", with_budget(settings)).training
    assert (training.minutes, training.steps, training.epochs) == budget


@pytest.mark.parametrize(
    "setting",
    ["training.minutes=20", "training.learning_rate=0.1", "training.validations=3", "data.directory=x",
     "data.prepared=y", "model.dropout=0.2", "decoding.beam=2", "training.threads=2"],
)  # fmt: skip
def test_how_a_run_goes_may_change(setting):
    check_changes(load_config("tiny"), load_config("tiny", [setting]), Path("run"))


@pytest.mark.parametrize(
    "setting",
    ["model.heads=2", "model.activation=gelu", "tokenizer.kind=unigram", "data.target_language=de",
     "data.cleaning={drop_copies: false}", "training.seed=9", "training.batch_tokens=2048",
     "training.optimizer=muon"],
)  # fmt: skip
def test_what_a_run_is_may_not(setting):
    with pytest.raises(ConfigError, match=setting.partition("=")[0]):
        check_changes(load_config("tiny"), load_config("tiny", [setting]), Path("run"))
