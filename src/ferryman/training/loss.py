"""Cross-entropy with label smoothing (§5.4), summed over real target tokens, in nats.

The target distribution is (1 - epsilon) on the right token plus epsilon / vocab on every token. The vocabulary makes
this the largest computation outside the layers, so it goes through the positions in chunks whose logits stay in cache,
and takes each chunk's gradient while its logits are at hand: nothing of size (positions, vocab) is ever stored.
"""

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

CHUNK_ELEMENTS = {"cpu": 1 << 20, "other": 1 << 27}  # logits of a chunk: what caches hold; what keeps a GPU busy
CHUNK_ROWS = 128  # at the least, so that the table, read once a chunk, does not become the cost


def smoothed_cross_entropy(
    logits: Float[Tensor, "positions vocab"], targets: Int[Tensor, "positions"], label_smoothing: float
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Compute the loss and its part without smoothing (the negative log-likelihood), both summed over positions."""
    log_normaliser = logits.logsumexp(dim=-1)
    right = logits.gather(-1, targets[:, None]).squeeze(-1)
    nll = (log_normaliser - right).sum()
    if label_smoothing == 0.0:
        return nll, nll
    uniform = (log_normaliser - logits.mean(dim=-1)).sum()
    return (1 - label_smoothing) * nll + label_smoothing * uniform, nll


class _ChunkedLoss(torch.autograd.Function):
    """Projection to logits and loss in one, chunk by chunk."""

    @staticmethod
    def forward(  # noqa: PLR0913 - autograd passes arguments by place
        ctx: Any,
        hidden: Tensor,
        table: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        label_smoothing: float,
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor]:
        wanted = any(ctx.needs_input_grad)
        low_table = table.to(precision)
        hidden_grad = torch.empty_like(hidden) if wanted else None
        table_grad = torch.zeros_like(table) if wanted else None
        bias_grad = torch.zeros_like(bias) if wanted and bias is not None else None
        sums = table.new_zeros(2)
        for chunk in _chunks(hidden, table.size(0)):
            part, right = hidden[chunk].to(precision), targets[chunk]
            logits = F.linear(part, low_table).to(table.dtype)
            if bias is not None:
                logits += bias
            sums += torch.stack(smoothed_cross_entropy(logits, right, label_smoothing))
            if hidden_grad is None or table_grad is None:
                continue
            gradient = _logits_gradient(logits, right, label_smoothing)
            if bias_grad is not None:
                bias_grad += gradient.sum(0)
            gradient = gradient.to(precision)
            hidden_grad[chunk] = gradient @ low_table
            _add_product(table_grad, gradient.t(), part)
        ctx.save_for_backward(hidden_grad, table_grad, bias_grad)
        loss, nll = sums.unbind()
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        scale = gradients[0]
        scaled = (None if gradient is None else gradient * scale for gradient in ctx.saved_tensors)
        return (*scaled, None, None, None)


def _chunks(hidden: Tensor, vocab: int) -> Iterator[slice]:
    elements = CHUNK_ELEMENTS["cpu" if hidden.device.type == "cpu" else "other"]
    rows = max(CHUNK_ROWS, elements // vocab)
    return (slice(start, start + rows) for start in range(0, hidden.size(0), rows))


def _logits_gradient(logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
    """Compute d loss / d logits = softmax - target distribution."""
    gradient = torch.softmax(logits, dim=-1)
    if label_smoothing:
        gradient -= label_smoothing / logits.size(1)
    right = targets[:, None]
    return gradient.scatter_add_(1, right, gradient.new_full(right.shape, label_smoothing - 1))


def _add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    if left.dtype == total.dtype:
        total.addmm_(left, right)
    else:
        total += left @ right


def chunked_loss(
    hidden: Float[Tensor, "positions d_model"],
    table: Float[Tensor, "vocab d_model"],
    bias: Float[Tensor, "vocab"] | None,
    targets: Int[Tensor, "positions"],
    label_smoothing: float,
    precision: torch.dtype | None = None,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Compute what ``smoothed_cross_entropy`` does of ``hidden @ table.T + bias``, without storing the logits.

    Returns the loss (differentiable) and the negative log-likelihood (for reports), summed over positions. The matrix
    products are made in ``precision``, the table's unless given; all sums are in the table's.
    """
    result: tuple[Tensor, Tensor] = _ChunkedLoss.apply(  # type: ignore[no-untyped-call]
        hidden, table, bias, targets, label_smoothing, precision or table.dtype
    )
    return result
