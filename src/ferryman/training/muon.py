"""Muon (Jordan et al., 2024): momentum whose matrix is made orthogonal before the weights follow it.

A step moves a matrix equally far in all directions that its gradient speaks of, however faintly. It is scaled to the
size of Adam's (Liu et al., 2025), so that both share one learning rate.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn

COEFFICIENTS = (
    (7.710969245867679, -22.11375479048116, 16.248743017738473),
    (3.2152759873077446, -2.4111720102557825, 0.5013000136148816),
    (2.2183077524237906, -1.593989622915833, 0.4107478875105001),
)
"""The best three quintics, found as in Polar Express (Amsel et al., 2025): singular values from 1/50 to 1 come to lie
between 0.90 and 1.10, smaller ones shrink to 0. Five iterations reach further down and took half as long again."""
ADAM_SIZE = 0.2  # root mean square of Adam's steps, in learning rates


def orthogonalise(matrices: Float[Tensor, "count rows columns"]) -> Float[Tensor, "count rows columns"]:
    """Make all singular values about 1, U S V^T -> U V^T, by Newton-Schulz iterations in the given precision."""
    tall = matrices.size(1) > matrices.size(2)
    x = matrices.mT if tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp_min(1e-20)
    for a, b, c in COEFFICIENTS:
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Muon for matrices. One that stores several, as W^Q, W^K and W^V, is taken apart along its rows."""

    def __init__(self, matrices: Mapping[nn.Parameter, int], *, momentum: float, weight_decay: float) -> None:
        """Set up.

        Args:
            matrices: parameters of two dimensions, each with the number of matrices that it stores.
            momentum: decay of the running mean of gradients, of which Nesterov's form is taken.
            weight_decay: decoupled, as AdamW's.
        """
        self.parts = dict(matrices)
        super().__init__(list(matrices), {"lr": 0.0, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take one step."""
        for group in self.param_groups:
            alike = defaultdict(list)  # matrices of one shape are one batch of products
            for parameter in group["params"]:
                if parameter.grad is not None:
                    direction = self._direction(parameter, group["momentum"])
                    alike[direction.shape[1:]].append((parameter, direction))
            for (rows, columns), found in alike.items():
                steps = orthogonalise(torch.cat([direction for _, direction in found]))
                size = group["lr"] * ADAM_SIZE * max(rows, columns) ** 0.5
                for (parameter, _), step in zip(
                    found, torch.split(steps, [self.parts[parameter] for parameter, _ in found]), strict=True
                ):
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
                    parameter.add_(step.reshape_as(parameter), alpha=-size)

    def _direction(self, parameter: nn.Parameter, momentum: float) -> Float[Tensor, "parts rows columns"]:
        gradient, state = parameter.grad, self.state[parameter]
        assert gradient is not None
        if not state:
            state["step"], state["exp_avg"] = torch.tensor(0.0), torch.zeros_like(parameter)
        state["step"] += 1
        state["exp_avg"].lerp_(gradient, 1 - momentum)
        return gradient.lerp(state["exp_avg"], momentum).view(self.parts[parameter], -1, parameter.size(1))
