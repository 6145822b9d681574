"""Adam (§5.3) with decoupled weight decay (Loshchilov & Hutter, 2019)."""

import torch
from torch import nn

from ferryman.config import TrainingConfig


def build_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.AdamW:
    """Build the optimiser; with weight_decay 0 it is the paper's Adam. Biases and norms are never decayed."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=0.0, betas=config.betas, eps=config.epsilon, fused=True)
