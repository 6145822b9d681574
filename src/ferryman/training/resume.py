"""The training state on disk: one safetensors file, replaced as a whole, from which a run goes on exactly.

Tensors ``model.*``, ``exp_avg.*`` and ``exp_avg_sq.*`` by parameter name, and the random generators' states; the
``Progress`` is JSON in the file's metadata. Frozen parameters have no moments. Nothing is pickled. With several workers
the leader alone writes and reads the file, which does not depend on how many there are.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from ferryman.checkpoint import check_weights
from ferryman.errors import CheckpointError
from ferryman.tensor_files import save_tensors
from ferryman.training.optimizer import moments
from ferryman.training.progress import progress_from_json, progress_to_json
from ferryman.training.sharding import fill, whole
from ferryman.training.trainer import Trainer

VERSION = 1
MOMENTS = ("exp_avg", "exp_avg_sq")


def save_state(path: Path, trainer: Trainer) -> None:
    """Write all that the rest of the run depends on; the old file stays whole until the new one is.

    Of a model in parts all workers have to do this together.

    Raises:
        CheckpointError: the disk is full or cannot be written to.

    """
    updater = trainer.updater
    tensors = {f"model.{name}": tensor for name, tensor in updater.weights().items()}
    steps = 0
    for name, _, state, kept in _optimized(trainer):
        for moment in kept if state else ():
            together = whole(state[moment])
            if updater.workers.leads:
                tensors[f"{moment}.{name}"] = together.cpu()
        steps = int(state["step"]) if state else steps
    if not updater.workers.leads:
        return
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    about = {"version": VERSION, "optimizer_steps": steps, "progress": progress_to_json(trainer.progress)}
    save_tensors(path, tensors, {"ferryman": json.dumps(about)})


def load_state(path: Path, trainer: Trainer) -> None:
    """Put a run back where ``save_state`` found it; all workers do this together.

    Raises:
        CheckpointError: the file is missing, damaged, of another version or of another model.

    """
    workers = trainer.updater.workers
    tensors: dict[str, Tensor] = {}
    about: dict[str, Any] = workers.lead(lambda: _read(path, trainer, tensors))
    for name, parameter in trainer.model.named_parameters():
        fill(parameter.detach(), tensors.get(f"model.{name}"), workers)
    for name, parameter, state, kept in _optimized(trainer) if about["optimizer_steps"] else ():
        state["step"] = torch.tensor(float(about["optimizer_steps"]), device=parameter.device)
        for moment in kept:
            state[moment] = torch.zeros_like(parameter.detach())
            fill(state[moment], tensors.get(f"{moment}.{name}"), workers)
    if workers.leads:
        torch.set_rng_state(tensors["random.cpu"])
        if "random.cuda" in tensors and torch.cuda.is_available():
            torch.cuda.set_rng_state(tensors["random.cuda"])
    trainer.progress = progress_from_json(about["progress"])


def _read(path: Path, trainer: Trainer, tensors: dict[str, Tensor]) -> dict[str, Any]:
    """Read and check a state; put its tensors into ``tensors`` and return what is said about them."""
    try:
        with safe_open(path, framework="pt") as file:
            about: dict[str, Any] = json.loads((file.metadata() or {}).get("ferryman", "{}"))
            tensors.update({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot read the training state: {error}") from error
    if about.get("version") != VERSION:
        raise CheckpointError(f"{path}: training state of version {about.get('version')}, expected {VERSION}")
    check_weights(trainer.model, _part(tensors, "model"), path)
    for moment in MOMENTS if about["optimizer_steps"] else ():
        without = dict(trainer.model.named_parameters())  # frozen, or of an optimiser that keeps no such moment
        for name, _, _, kept in _optimized(trainer):
            if moment in kept:
                del without[name]
        check_weights(trainer.model, {**_part(tensors, moment), **without}, path)
    return about


def _optimized(trainer: Trainer) -> Iterator[tuple[str, nn.Parameter, dict[str, Any], tuple[str, ...]]]:
    """List the parameters that are trained, with the state that their optimiser has of them and its moments' names."""
    names = {parameter: name for name, parameter in trainer.model.named_parameters()}
    for optimizer in trainer.updater.optimizers:
        for parameter in (parameter for group in optimizer.param_groups for parameter in group["params"]):
            yield names[parameter], parameter, optimizer.state[parameter], moments(optimizer)


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(f"{prefix}."): tensor for name, tensor in tensors.items() if name.startswith(f"{prefix}.")
    }
