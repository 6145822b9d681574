"""Weights, gradients and optimiser state in parts, one a worker (FSDP2, ``torch.distributed.fsdp.fully_shard``).

A layer's weights are put together just before it computes, forwards and backwards, and its gradient is summed and
parted at once. All workers run through the same layers in the same order, each with its own batches, so these exchanges
match.
Files are as ever: what is saved is put together first.
"""

import warnings
from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import Tensor, nn

from ferryman.data.batch import Batch
from ferryman.model.transformer import Transformer
from ferryman.training.distributed import Workers

BatchLoss = Callable[[Transformer, Batch, float, torch.dtype], tuple[Tensor, Tensor]]


class ModelWithLoss(nn.Module):
    """A model and its loss as one module: the loss reads the model's tables, so they are put together for both."""

    def __init__(self, model: Transformer, batch_loss: BatchLoss) -> None:
        super().__init__()
        self.model = model
        self.batch_loss = batch_loss

    def forward(self, batch: Batch, label_smoothing: float, precision: torch.dtype) -> tuple[Tensor, Tensor]:
        """Compute ``batch_loss``."""
        return self.batch_loss(self.model, batch, label_smoothing, precision)


def shard(model: Transformer, batch_loss: BatchLoss, device: torch.device) -> ModelWithLoss:
    """Part a model, layer by layer, while it moves to the workers' devices; return what to compute the loss with."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    # Of keys and values that a layer returns as views; nothing is ever written into them.
    warnings.filterwarnings("ignore", message="FSDP2-wrapped module .* returned a view tensor")
    mesh = init_device_mesh(device.type, (dist.get_world_size(),))
    for layer in (*model.encoder.layers, *model.decoder.layers):
        fully_shard(layer, mesh=mesh)
    for layer in model.decoder.layers:
        register_fsdp_forward_method(layer, "start")
    root = ModelWithLoss(model, batch_loss)
    fully_shard(root, mesh=mesh)
    return root


def whole(tensor: Tensor) -> Tensor:
    """Put a tensor together, which all workers have to do; one that is whole already is given back."""
    together: Callable[[], Tensor] | None = getattr(tensor, "full_tensor", None)
    return tensor if together is None else together()


@torch.no_grad()
def fill(target: Tensor, value: Tensor | None, workers: Workers) -> None:
    """Copy the leader's value into a tensor of all workers, each one's part of it if they are parts."""
    if workers.world == 1:
        target.copy_(_given(value))
        return
    from torch.distributed.tensor import DTensor, distribute_tensor

    if isinstance(target, DTensor):
        source = torch.empty(target.shape, dtype=target.dtype, device=target.device)
        if workers.leads:
            source.copy_(_given(value))
        target.copy_(distribute_tensor(source, target.device_mesh, target.placements))
        return
    if workers.leads:
        target.copy_(_given(value))
    workers.broadcast([target])


def _given(value: Tensor | None) -> Tensor:
    if value is None:
        raise ValueError("the leader has no value to give")
    return value


@torch.no_grad()
def full_twin(model: Transformer, weights: dict[str, Tensor], device: torch.device) -> Transformer:
    """Build an ordinary model with these weights, such as the ones of a parted model."""
    twin = Transformer(
        model.source_table.size(0), model.target_table.size(0), model.config, torch.Generator().manual_seed(0)
    )
    for name, parameter in twin.named_parameters():
        parameter.copy_(weights[name])
    return twin.to(device)
