"""The training state on disk: one safetensors file, replaced as a whole, from which a run goes on exactly.

Tensors ``model.*``, ``exp_avg.*`` and ``exp_avg_sq.*`` by parameter name, and the random generators' states; the
``Progress`` is JSON in the file's metadata. Frozen parameters have no moments. Nothing is pickled.
"""

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from ferryman.checkpoint import check_weights, load_weights, save_tensors, weights_of
from ferryman.errors import CheckpointError
from ferryman.training.trainer import Trainer, progress_from_json, progress_to_json

VERSION = 1
MOMENTS = ("exp_avg", "exp_avg_sq")


def save_state(path: Path, trainer: Trainer) -> None:
    """Write all that the rest of the run depends on; the old file stays whole until the new one is.

    Raises:
        CheckpointError: the disk is full or cannot be written to.

    """
    tensors = {f"model.{name}": tensor for name, tensor in weights_of(trainer.model).items()}
    steps = 0
    for name, parameter in trainer.model.named_parameters():
        state = trainer.updater.optimizer.state.get(parameter, {})
        for moment in MOMENTS:
            if moment in state:
                tensors[f"{moment}.{name}"] = state[moment].cpu()
        steps = int(state["step"]) if "step" in state else steps
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    about = {"version": VERSION, "optimizer_steps": steps, "progress": progress_to_json(trainer.progress)}
    save_tensors(path, tensors, {"ferryman": json.dumps(about)})


def load_state(path: Path, trainer: Trainer) -> None:
    """Put a run back where ``save_state`` found it.

    Raises:
        CheckpointError: the file is missing, damaged, of another version or of another model.

    """
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {}).get("ferryman", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot read the training state: {error}") from error
    if about.get("version") != VERSION:
        raise CheckpointError(f"{path}: training state of version {about.get('version')}, expected {VERSION}")
    moments = {moment: _part(tensors, moment) for moment in MOMENTS if about["optimizer_steps"]}
    frozen = {name: value for name, value in trainer.model.named_parameters() if not value.requires_grad}
    for values in moments.values():
        check_weights(trainer.model, {**values, **frozen}, path)
    load_weights(trainer.model, _part(tensors, "model"), path)
    for name, parameter in trainer.model.named_parameters():
        if moments and name not in frozen:
            trainer.updater.optimizer.state[parameter] = {
                "step": torch.tensor(float(about["optimizer_steps"]), device=parameter.device),
                **{moment: values[name].to(parameter) for moment, values in moments.items()},
            }
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])
    trainer.progress = progress_from_json(about["progress"])


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(f"{prefix}."): tensor for name, tensor in tensors.items() if name.startswith(f"{prefix}.")
    }
