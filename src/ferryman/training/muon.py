"""Muon (Jordan et al., 2024): momentum whose matrix is made orthogonal before the weights follow it.

A step moves a matrix equally far in all directions that its gradient speaks of, however faintly. It is scaled to the
size of Adam's (Liu et al., 2025), so that both share one learning rate.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

COEFFICIENTS = (
    (7.710969245867679, -22.11375479048116, 16.248743017738473),
    (3.2152759873077446, -2.4111720102557825, 0.5013000136148816),
    (2.2183077524237906, -1.593989622915833, 0.4107478875105001),
)
"""The best three quintics, found as in Polar Express (Amsel et al., 2025): singular values from 1/50 to 1 come to lie
between 0.90 and 1.10, smaller ones shrink. Five iterations reach further down and took two thirds longer."""
ADAM_SIZE = 0.2  # root mean square of Adam's steps, in learning rates


def orthogonalise(matrices: Float[Tensor, "count rows columns"]) -> Float[Tensor, "count rows columns"]:
    """Make all singular values about 1, U S V^T -> U V^T, by Newton-Schulz iterations in the given precision."""
    tall = matrices.size(1) > matrices.size(2)
    x: Tensor = matrices.mT if tall else matrices
    x = x / torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True).clamp_min(1e-20)
    for a, b, c in COEFFICIENTS:
        gram = x @ x.mT
        x = _shifted(gram @ _shifted(gram * c, b), a) @ x  # (a I + b G + c G^2) X, as products alone
    return x.mT if tall else x


def _shifted(square: Tensor, by: float) -> Tensor:
    square.diagonal(dim1=-2, dim2=-1).add_(by)
    return square


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
        self.stacks: list[Stack] = []
        super().__init__(list(matrices), {"lr": 0.0, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take one step; all parameters must have a gradient."""
        if not all(stack.holds(self.state) for stack in self.stacks) or not self.stacks:
            self.stacks = self._stack()
        [group] = self.param_groups
        for stack in self.stacks:
            steps = orthogonalise(stack.direction(group["momentum"]))
            size = group["lr"] * ADAM_SIZE * max(steps.shape[1:]) ** 0.5
            for parameter, step in zip(stack.parameters, torch.split(steps, stack.counts), strict=True):
                if group["weight_decay"]:
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(step.reshape_as(parameter), alpha=-size)
                self.state[parameter]["step"] += 1

    def _stack(self) -> list["Stack"]:
        alike = defaultdict(list)
        for parameter, count in self.parts.items():
            alike[parameter.size(0) // count, parameter.size(1)].append(parameter)
        return [Stack(found, [self.parts[parameter] for parameter in found], self.state) for found in alike.values()]


class Stack:
    """Parameters whose matrices have one shape, so that these are one batch of products, and their mean gradients."""

    def __init__(self, parameters: list[nn.Parameter], counts: list[int], state: MutableMapping[Any, Any]) -> None:
        """Set up from the optimiser's state, and let the state's tensors be views of what is kept here from now on."""
        self.parameters, self.counts = parameters, counts
        before = [state[parameter].get("exp_avg", torch.zeros_like(parameter)) for parameter in parameters]
        self.mean = self._together(before)
        views = torch.split(self.mean, counts)
        self.means = [view.view_as(parameter) for view, parameter in zip(views, parameters, strict=True)]
        for parameter, mean in zip(parameters, self.means, strict=True):
            state[parameter].setdefault("step", torch.tensor(0.0))
            state[parameter]["exp_avg"] = mean

    def holds(self, state: MutableMapping[Any, Any]) -> bool:
        """Whether the state is still this one's, and not one that was loaded since."""
        return all(
            state[parameter].get("exp_avg") is mean for parameter, mean in zip(self.parameters, self.means, strict=True)
        )

    def direction(self, momentum: float) -> Float[Tensor, "count rows columns"]:
        """Take the gradients into the means, and look ahead along them (Nesterov)."""
        gradients = self._together([cast(Tensor, parameter.grad) for parameter in self.parameters])
        self.mean.lerp_(gradients, 1 - momentum)
        return gradients.lerp_(self.mean, momentum)

    def _together(self, tensors: list[Tensor]) -> Float[Tensor, "count rows columns"]:
        columns = self.parameters[0].size(1)
        return torch.cat([one.view(count, -1, columns) for one, count in zip(tensors, self.counts, strict=True)])
