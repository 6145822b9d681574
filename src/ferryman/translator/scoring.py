"""How likely a model finds given pairs."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.data.batch import Batch, Symbols
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.encoding import encode_texts
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.translation import Translation

SCORED_TOKENS = 2048  # target positions at a time; each takes a row of logits


@torch.inference_mode()
def score_pairs(
    model: Transformer, symbols: Symbols, sources: Sequence[Sequence[int]], targets: Sequence[tuple[int, ...]]
) -> list[float]:
    """Return the log-probability of each target given its source.

    A target is all the tokens that count, the end symbol last, unless it was never said.
    """
    model.eval()
    device = next(model.parameters()).device
    scores = [0.0] * len(sources)
    order = sorted(range(len(sources)), key=lambda index: -max(len(sources[index]), len(targets[index])))
    start = 0
    while start < len(order):
        longest = max(len(sources[order[start]]), len(targets[order[start]])) + 1
        chosen = order[start : start + max(1, SCORED_TOKENS // longest)]
        lengths = torch.tensor([len(targets[i]) for i in chosen])
        inner = [targets[i][:-1] if targets[i][-1:] == (symbols.eos,) else targets[i] for i in chosen]
        batch = Batch.collate([sources[i] for i in chosen], inner, symbols)
        for index, value in zip(chosen, _log_probs(model, batch.to(device), lengths.to(device)).tolist(), strict=True):
            scores[index] = value
        start += len(chosen)
    return scores


def _log_probs(model: Transformer, batch: Batch, lengths: Int[Tensor, "batch"]) -> Float[Tensor, "batch"]:
    logits: Tensor = model(batch.source, batch.target_in, batch.source_real)
    chosen = logits.float().log_softmax(dim=-1).gather(-1, batch.target_out[..., None]).squeeze(-1)
    counted = torch.arange(chosen.size(1), device=chosen.device) < lengths[:, None]
    return chosen.masked_fill(~counted, 0.0).sum(dim=1)


def said(
    targets: Sequence[str | Translation], tokenizer: Tokenizer, opening: tuple[int, ...] = ()
) -> list[tuple[int, ...]]:
    """Return the tokens of targets: as a search said them, or of a text as the tokenizer cuts it, with its end.

    Before a text comes the model's ``opening``, with which a search begins by itself.

    Raises:
        TranslationError: something is neither, or not valid Unicode; or a translation is not of a whole source.

    """
    if isinstance(targets, str):
        raise TranslationError("expected a list of texts, found one text; write [text]")
    rows: list[tuple[int, ...]] = []
    for number, target in enumerate(targets, start=1):
        if not isinstance(target, Translation):
            rows.append((*opening, *encode_texts(tokenizer, [target], number)[0], tokenizer.eos_id))
        elif {"cut", "protected"} & set(target.flags) or tokenizer.eos_id in target.tokens[:-1]:
            raise TranslationError(
                f"text {number} is a translation that was not made in one piece of the whole source: it has no "
                "log-probability as a whole; give its text to score that"
            )
        else:
            rows.append(target.tokens)
    return rows
