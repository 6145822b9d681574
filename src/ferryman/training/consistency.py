"""R-Drop (Wu et al., 2021): two passes over a batch, under different dropout, are to predict the same.

The loss is the mean of both passes' cross-entropies plus ``weight`` times their symmetric Kullback-Leibler divergence,
summed over real target tokens, in nats. As in ``loss``, logits are made and done with chunk by chunk.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.data.batch import Batch
from ferryman.model.transformer import Transformer
from ferryman.training.loss import add_product, chunks


class _ConsistentLoss(torch.autograd.Function):
    """Projection to logits and loss of both passes."""

    @staticmethod
    def forward(  # noqa: PLR0913 - autograd passes arguments by place
        ctx: Any,
        hidden: Tensor,
        table: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        label_smoothing: float,
        weight: float,
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor]:
        wanted = any(ctx.needs_input_grad)
        low_table = table.to(precision)
        hidden_grad = torch.empty_like(hidden) if wanted else None
        table_grad = torch.zeros_like(table) if wanted else None
        bias_grad = torch.zeros_like(bias) if wanted and bias is not None else None
        sums = table.new_zeros(2)
        for chunk in chunks(hidden[0], 2 * table.size(0)):
            part, right = hidden[:, chunk].to(precision), targets[None, chunk, None].expand(2, -1, 1)
            logits = F.linear(part, low_table).to(table.dtype)
            log_probs = (logits if bias is None else logits + bias).log_softmax(-1)
            nll = -log_probs.gather(-1, right).sum() / 2
            uniform = -log_probs.mean(-1).sum() / 2
            gradient, divergence = _divergence(log_probs, weight)
            sums += torch.stack((torch.lerp(nll, uniform, label_smoothing) + weight * divergence, nll))
            if hidden_grad is None or table_grad is None:
                continue
            gradient -= label_smoothing / (2 * table.size(0))
            gradient.scatter_add_(-1, right, gradient.new_full(right.shape, (label_smoothing - 1) / 2))
            if bias_grad is not None:
                bias_grad += gradient.sum((0, 1))
            gradient = gradient.to(precision)
            hidden_grad[:, chunk] = (gradient @ low_table).to(hidden.dtype)
            add_product(table_grad, gradient.flatten(0, 1).t(), part.flatten(0, 1))
        ctx.save_for_backward(hidden_grad, table_grad, bias_grad)
        loss, nll = sums.unbind()
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        scaled = (None if gradient is None else gradient * gradients[0] for gradient in ctx.saved_tensors)
        return (*scaled, None, None, None, None)


def _divergence(log_probs: Tensor, weight: float) -> tuple[Tensor, Tensor]:
    """Compute the symmetric divergence D = (KL(p|q) + KL(q|p)) / 2, summed, and the logits' gradient of weight * D.

    With p's half of the gradient of cross-entropy, p / 2, added to it, and q's likewise. d KL(p|q) / d logits is
    p * (log p - log q - KL(p|q)) of p and q - p of q.
    """
    probs, difference = log_probs.exp(), log_probs[0] - log_probs[1]
    signed = torch.stack((difference, -difference))
    divergences = (probs * signed).sum(-1, keepdim=True)
    factor = signed.sub_(divergences - 1).mul_(weight / 2).add_(0.5)
    gradient = factor.mul_(probs).sub_(probs.flip(0), alpha=weight / 2)
    return gradient, divergences.sum() / 2


def consistent_loss(  # noqa: PLR0913 - what chunked_loss takes, and the weight
    hidden: Float[Tensor, "two positions d_model"],
    table: Float[Tensor, "vocab d_model"],
    bias: Float[Tensor, "vocab"] | None,
    targets: Int[Tensor, "positions"],
    *,
    label_smoothing: float,
    weight: float,
    precision: torch.dtype | None = None,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Compute R-Drop's loss (differentiable) and both passes' mean negative log-likelihood, summed over positions.

    Args:
        hidden: the decoder's output, once for each pass.
        table: with ``bias``, makes the logits.
        bias: may be None.
        targets: the right tokens.
        label_smoothing: as in ``chunked_loss``.
        weight: alpha of the paper, eq. 4.
        precision: of the matrix products; the table's unless given.
    """
    result: tuple[Tensor, Tensor] = _ConsistentLoss.apply(  # type: ignore[no-untyped-call]
        hidden, table, bias, targets, label_smoothing, weight, precision or table.dtype
    )
    return result


def consistent_batch_loss(
    model: Transformer,
    batch: Batch,
    label_smoothing: float,
    precision: torch.dtype = torch.float32,
    *,
    weight: float,
) -> tuple[Tensor, Tensor]:
    """Compute R-Drop's loss and the negative log-likelihood of a batch, as ``update.batch_loss`` the ordinary one.

    Both passes are one, over the batch twice: dropout draws for every row anew.
    """
    source, target_in = torch.cat((batch.source,) * 2), torch.cat((batch.target_in,) * 2)
    real = None if batch.source_real is None else torch.cat((batch.source_real,) * 2)
    with torch.autocast(source.device.type, precision, enabled=precision != torch.float32):
        hidden, _ = model.decode(target_in, model.encode(source, real))
    hidden, targets = hidden.view(2, -1, hidden.size(-1)), batch.target_out.flatten()
    if batch.target_places is not None:
        hidden, targets = hidden.index_select(1, batch.target_places), targets.index_select(0, batch.target_places)
    return consistent_loss(
        hidden,
        model.output_table,
        model.output_bias,
        targets,
        label_smoothing=label_smoothing,
        weight=weight,
        precision=precision,
    )
