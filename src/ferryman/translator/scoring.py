"""How likely a model finds given pairs."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.data.batch import Batch, Symbols
from ferryman.model.transformer import Transformer

SCORED_TOKENS = 2048  # target positions at a time; each takes a row of logits


@torch.inference_mode()
def score_pairs(
    model: Transformer, symbols: Symbols, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> list[float]:
    """Return the log-probability of each target (end symbol included) given its source."""
    model.eval()
    device = next(model.parameters()).device
    scores = [0.0] * len(sources)
    order = sorted(range(len(sources)), key=lambda index: -max(len(sources[index]), len(targets[index])))
    start = 0
    while start < len(order):
        longest = max(len(sources[order[start]]), len(targets[order[start]])) + 1
        chosen = order[start : start + max(1, SCORED_TOKENS // longest)]
        batch = Batch.collate([sources[i] for i in chosen], [targets[i] for i in chosen], symbols)
        for index, value in zip(chosen, _log_probs(model, batch.to(device)).tolist(), strict=True):
            scores[index] = value
        start += len(chosen)
    return scores


def _log_probs(model: Transformer, batch: Batch) -> Float[Tensor, "batch"]:
    logits: Tensor = model(batch.source, batch.target_in, batch.source_real)
    chosen = logits.float().log_softmax(dim=-1).gather(-1, batch.target_out[..., None]).squeeze(-1)
    return (chosen if batch.target_real is None else chosen.masked_fill(~batch.target_real, 0.0)).sum(dim=1)
