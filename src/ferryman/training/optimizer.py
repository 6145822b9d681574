"""The optimiser: the paper's Adam (§5.3), with decoupled decay on matrices alone (AdamW; Loshchilov & Hutter, 2019).

With ``training.optimizer: muon``, Muon for the matrices of the layers and AdamW for all else: the tables, whose rows
are vectors of their own, biases and norms.
"""

from typing import cast

from torch import nn
from torch.optim import AdamW, Optimizer

from ferryman.config import TrainingConfig
from ferryman.model.attention import MultiHeadAttention
from ferryman.model.feed_forward import GatedFeedForward
from ferryman.training.muon import Muon

MOMENTUM = 0.95  # of Muon


def build_optimizers(model: nn.Module, config: TrainingConfig) -> list[Optimizer]:
    """Build what updates a model's parameters, each parameter by one of them; frozen ones by none.

    AdamW with weight_decay 0 is the paper's Adam. Biases and norms are never decayed.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizers: list[Optimizer] = []
    if config.optimizer == "muon":
        matrices = {matrix: count for matrix, count in layer_matrices(model).items() if matrix.requires_grad}
        optimizers += [Muon(matrices, momentum=MOMENTUM, weight_decay=config.weight_decay)] if matrices else []
        parameters = [parameter for parameter in parameters if parameter not in matrices]
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return [*optimizers, AdamW(groups, lr=0.0, betas=config.betas, eps=config.epsilon, fused=True)]


def layer_matrices(model: nn.Module) -> dict[nn.Parameter, int]:
    """List the matrices of a model's linear layers, each with the number of matrices that are stacked in it."""
    stacked = {}
    for module in model.modules():
        match module:
            case MultiHeadAttention():
                stacked[module.in_projection.weight] = 3
            case GatedFeedForward():
                stacked[module.inner.weight] = 2
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    return {cast(nn.Parameter, module.weight): stacked.get(module.weight, 1) for module in linear}


def moments(optimizer: Optimizer) -> tuple[str, ...]:
    """Name the tensors that an optimiser keeps of each parameter, besides its count of steps."""
    return ("exp_avg",) if isinstance(optimizer, Muon) else ("exp_avg", "exp_avg_sq")
