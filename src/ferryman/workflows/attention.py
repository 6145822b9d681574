"""Which source tokens the decoder looked at while it wrote each target token."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.data.batch import Batch
from ferryman.translator import Translator


@dataclass(frozen=True)
class AttentionMap:
    """Encoder-decoder attention of one pair; a row is a target token and sums to 1."""

    source: tuple[str, ...]  # pieces, end symbol last
    target: tuple[str, ...]
    weights: Float[Tensor, "target source"]


def cross_attention(translator: Translator, source: str, target_tokens: Sequence[int]) -> AttentionMap:
    """Observe the decoder writing ``target_tokens`` (end symbol included): the last layer, mean over its heads."""
    tokenizers, symbols = translator.tokenizers, translator.symbols
    source_ids = [*translator.prefix(), *tokenizers.source.encode(source)]
    batch = Batch.collate([source_ids], [list(target_tokens)[:-1]], symbols).to(translator.device)
    seen: dict[str, Tensor] = {}
    with torch.inference_mode():
        state = translator.model.eval().encode(batch.source)
        translator.model.decode(batch.target_in, state, seen.__setitem__)
    last = translator.config.model.decoder_layers - 1
    weights = seen[f"decoder.{last}.cross_attention.weights"][0].mean(dim=0)
    return AttentionMap(
        tuple(tokenizers.source.pieces([*source_ids, symbols.eos])),
        tuple(tokenizers.target.pieces(target_tokens)),
        weights.cpu(),
    )
