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
    """Projection to logits and loss in one, chunk by chunk.

    The gradient of the logits is softmax - (1 - epsilon) on the right token - epsilon / vocab on every token. It is
    never formed: what is left of the logits are exponentials, still to be divided by their row's sum, and that and the
    last term are applied to the products, which are smaller.
    """

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
        low_table, mean_row = table.to(precision), table.mean(0)
        hidden_grad = torch.empty_like(hidden) if wanted else None
        table_grad = torch.zeros_like(table) if wanted else None
        bias_grad = torch.zeros_like(bias) if wanted and bias is not None else None
        log_normalisers, nll = table.new_zeros(()), table.new_zeros(())
        for chunk in _chunks(hidden, table.size(0)):
            part, right = hidden[chunk], targets[chunk, None]
            exponentials, totals, log_normaliser, right_logits = _softmax_parts(
                part, low_table, bias, right, table.dtype
            )
            log_normalisers += log_normaliser.sum()
            nll += (log_normaliser - right_logits).sum()
            if hidden_grad is None or table_grad is None:
                continue
            gradient = exponentials.scatter_add_(1, right, totals * (label_smoothing - 1))
            if bias_grad is not None:
                bias_grad.addmv_(gradient.t(), totals.reciprocal().squeeze(1))
            gradient = gradient.to(precision)
            torch.sub((gradient @ low_table) / totals, mean_row, alpha=label_smoothing, out=hidden_grad[chunk])
            _add_product(table_grad, gradient.t(), (part / totals).to(precision))
        every = label_smoothing / table.size(0)
        if table_grad is not None:
            table_grad.sub_(hidden.sum(0), alpha=every)
        if bias_grad is not None:
            bias_grad -= every * hidden.size(0)
        ctx.save_for_backward(hidden_grad, table_grad, bias_grad)
        ctx.mark_non_differentiable(nll)
        mean_logits = hidden.sum(0).to(table.dtype) @ mean_row + (0 if bias is None else hidden.size(0) * bias.mean())
        return torch.lerp(nll, log_normalisers - mean_logits, label_smoothing), nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        scale = gradients[0]
        scaled = (None if gradient is None else gradient * scale for gradient in ctx.saved_tensors)
        return (*scaled, None, None, None)


def _softmax_parts(
    hidden: Tensor, low_table: Tensor, bias: Tensor | None, right: Tensor, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Compute exp(logits - highest), (rows, vocab); and (rows, 1) its sums, log-normalisers and the right logits."""
    logits = F.linear(hidden.to(low_table.dtype), low_table).to(dtype)
    if bias is not None:
        logits += bias
    right_logits, highest = logits.gather(1, right), logits.amax(1, keepdim=True)
    exponentials = logits.sub_(highest).exp_()
    totals = exponentials.sum(1, keepdim=True)
    return exponentials, totals, highest + totals.log(), right_logits


def _chunks(hidden: Tensor, vocab: int) -> Iterator[slice]:
    elements = CHUNK_ELEMENTS["cpu" if hidden.device.type == "cpu" else "other"]
    rows = max(CHUNK_ROWS, elements // vocab)
    return (slice(start, start + rows) for start in range(0, hidden.size(0), rows))


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
