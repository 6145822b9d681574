"""Cross-entropy with label smoothing (§5.4), summed over real target tokens, in nats.

The target distribution is (1 - epsilon) on the right token plus epsilon / vocab on every token. The vocabulary makes
this the largest computation outside the layers, so it goes through the positions in chunks whose logits stay in cache,
and takes each chunk's gradient while its logits are at hand: nothing of size (positions, vocab) is ever stored.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

CHUNK_ELEMENTS = 1 << 20  # logits of a chunk: 4 MB, what the cores' caches hold


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
    def forward(
        ctx: Any,
        hidden: Tensor,
        table: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        label_smoothing: float,
    ) -> tuple[Tensor, Tensor]:
        vocab = table.size(0)
        rows = max(1, CHUNK_ELEMENTS // vocab)
        wanted = any(ctx.needs_input_grad)
        hidden_grad = torch.empty_like(hidden) if wanted else None
        table_grad = torch.zeros_like(table) if wanted else None
        bias_grad = torch.zeros_like(bias) if wanted and bias is not None else None
        total, total_nll = hidden.new_zeros(()), hidden.new_zeros(())
        for start in range(0, hidden.size(0), rows):
            part, right = hidden[start : start + rows], targets[start : start + rows, None]
            logits = F.linear(part, table, bias)
            loss, nll = smoothed_cross_entropy(logits, right[:, 0], label_smoothing)
            total += loss
            total_nll += nll
            if hidden_grad is None or table_grad is None:
                continue
            # d loss / d logits = softmax - target distribution
            gradient = torch.softmax(logits, dim=-1)
            if label_smoothing:
                gradient -= label_smoothing / vocab
            gradient.scatter_add_(1, right, gradient.new_full(right.shape, label_smoothing - 1))
            torch.mm(gradient, table, out=hidden_grad[start : start + rows])
            table_grad.addmm_(gradient.t(), part)
            if bias_grad is not None:
                bias_grad += gradient.sum(0)
        ctx.save_for_backward(hidden_grad, table_grad, bias_grad)
        ctx.mark_non_differentiable(total_nll)
        return total, total_nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        scale = gradients[0]
        hidden_grad, table_grad, bias_grad = ctx.saved_tensors
        return hidden_grad * scale, table_grad * scale, None if bias_grad is None else bias_grad * scale, None, None


def chunked_loss(
    hidden: Float[Tensor, "positions d_model"],
    table: Float[Tensor, "vocab d_model"],
    bias: Float[Tensor, "vocab"] | None,
    targets: Int[Tensor, "positions"],
    label_smoothing: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Compute what ``smoothed_cross_entropy`` does of ``hidden @ table.T + bias``, without storing the logits.

    Returns the loss (differentiable) and the negative log-likelihood (for reports), summed over positions.
    """
    result: tuple[Tensor, Tensor] = _ChunkedLoss.apply(hidden, table, bias, targets, label_smoothing)  # type: ignore[no-untyped-call]
    return result
