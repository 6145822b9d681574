"""Ferryman's own model and update."""

import torch
from torch import nn

from ferryman.config_file import load_config
from ferryman.data.batch import Batch
from ferryman.engines.devices import keep_memory
from ferryman.model.transformer import Transformer
from ferryman.training.update import Updater
from peers.protocol import PAD, Step, Task, TokenBatch, serve


def build(task: Task) -> tuple[nn.Module, Step]:
    """Build the model of the preset and what updates it."""
    keep_memory()  # as ferryman train does
    config = load_config(task.preset, task.settings)
    device = torch.device(task.device)
    model = Transformer(task.vocab, task.vocab, config.model).to(device)
    updater = Updater(model, config.training, device, getattr(torch, task.precision))
    return model, lambda batch: updater.update([with_masks(batch)], task.learning_rate).loss


def with_masks(batch: TokenBatch) -> Batch:
    """Say which tokens are real; None: all."""
    source_real, target_real = batch.source != PAD, batch.target_out != PAD
    full = bool(target_real.all())
    return Batch(
        batch.source,
        None if source_real.all() else source_real,
        batch.target_in,
        batch.target_out,
        None if full else target_real,
        batch.target_tokens,
        None if full else target_real.flatten().nonzero().squeeze(1),
    )


if __name__ == "__main__":
    serve("ferryman", build)
