"""Averaging the weights of several checkpoints of one run (§6.1)."""

from collections.abc import Sequence
from pathlib import Path

import torch

from ferryman.checkpoint import CONFIG, load_tokenizers, read_weights, save_model
from ferryman.config_file import load_config
from ferryman.errors import CheckpointError
from ferryman.wording import counted
from ferryman.workflows.card import model_card
from ferryman.workflows.places import check_new_model


def checkpoint_path(run: Path, step: int) -> Path:
    """Name the file of the weights after ``step`` steps; names sort by step."""
    return run / "checkpoints" / f"step-{step:09d}.safetensors"


def latest_checkpoints(run: Path) -> list[Path]:
    """List a run's kept weights, oldest first."""
    return sorted((run / "checkpoints").glob("step-*.safetensors"))


def average_weights(paths: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Average weights files, tensor by tensor, in float64.

    Raises:
        CheckpointError: there are none, or they are of different models.

    """
    if not paths:
        raise CheckpointError("no checkpoints to average")
    total: dict[str, torch.Tensor] = {}
    for path in paths:
        weights = read_weights(path)
        if total and {name: w.shape for name, w in weights.items()} != {name: w.shape for name, w in total.items()}:
            raise CheckpointError(f"{path}: its weights are not those of the model in {paths[0]}")
        for name, weight in weights.items():
            total[name] = total[name] + weight.double() if name in total else weight.double()
    return {name: (weight / len(paths)).float() for name, weight in total.items()}


def average_run(run: Path, last: int | None, folder: Path) -> list[Path]:
    """Write a model folder with the average of a run's ``last`` latest checkpoints, or of all; return those used.

    Raises:
        CheckpointError: the run keeps fewer, or the folder is a run's.
        ConfigError: something in the folder would be replaced.

    """
    kept = latest_checkpoints(run)
    if not kept:
        raise CheckpointError(f"{run}: no checkpoints in it; give the folder of a training run")
    last = last or len(kept)
    if len(kept) < last:
        raise CheckpointError(
            f"{run} keeps {counted(len(kept), 'checkpoint')}, not {last}; take --last {len(kept)}, or train with more "
            f"validations and training.keep_checkpoints={last} or more"
        )
    if latest_checkpoints(folder):
        raise CheckpointError(f"{folder} is a training run; its best model would be lost; choose another folder")
    check_new_model(folder)
    config = load_config(run / CONFIG)
    used = kept[-last:]
    tokenizers = load_tokenizers(run, config.tokenizer.normal_form)
    save_model(folder, average_weights(used), config, tokenizers, model_card(config, {}))
    return used
