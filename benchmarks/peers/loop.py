"""The training step that one writes with PyTorch alone; the peers that bring no loop of their own are trained by it."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from peers.protocol import Step, Task, TokenBatch


def plain_step(
    task: Task, model: nn.Module, optimizer: torch.optim.Optimizer, summed_loss: Callable[[TokenBatch], Tensor]
) -> Step:
    """Make a step: forward, mean loss over target tokens, backward, clip, update.

    Args:
        task: says device, precision and the norm to clip to.
        model: is to be trained.
        optimizer: owns the model's parameters.
        summed_loss: gives the loss of a batch, in nats, summed over its target tokens.
    """
    device, precision = torch.device(task.device), getattr(torch, task.precision)

    def step(batch: TokenBatch) -> Tensor:
        batch = batch.to(device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, precision, enabled=precision != torch.float32):
            loss = summed_loss(batch)
        (loss / batch.target_tokens).backward()
        if task.clip_norm:
            nn.utils.clip_grad_norm_(model.parameters(), task.clip_norm)
        optimizer.step()
        return loss.detach()

    return step
