"""What a decoder remembers between two steps, as a value: it goes in and a new one comes out."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True)
class LayerState:
    """Keys and values of one decoder layer. The past belongs to a row, the source to a sentence."""

    cross_keys: Float[Tensor, "batch heads src d_k"]
    cross_values: Float[Tensor, "batch heads src d_v"]
    past_keys: Float[Tensor, "rows heads past d_k"] | None = None
    past_values: Float[Tensor, "rows heads past d_v"] | None = None

    def extend(self, keys: Tensor, values: Tensor) -> "LayerState":
        """Append the keys and values (rows, heads, new, d_k) of new positions."""
        if self.past_keys is None or self.past_values is None:
            return replace(self, past_keys=keys, past_values=values)
        return replace(
            self,
            past_keys=torch.cat((self.past_keys, keys), dim=2),
            past_values=torch.cat((self.past_values, values), dim=2),
        )


@dataclass(frozen=True)
class DecoderState:
    """All that a decoder remembers; ``rows`` = batch * beam, sentence-major."""

    layers: tuple[LayerState, ...]
    source_mask: Bool[Tensor, "batch 1 1 src"] | None
    position: int = 0  # tokens consumed so far

    def reorder(self, rows: Int[Tensor, "rows"]) -> "DecoderState":
        """Let row i continue the past of ``rows[i]``, a row of the same sentence."""

        def move(past: Tensor | None) -> Tensor | None:
            return None if past is None else past.index_select(0, rows)

        layers = (
            replace(layer, past_keys=move(layer.past_keys), past_values=move(layer.past_values))
            for layer in self.layers
        )
        return replace(self, layers=tuple(layers))

    def keep(self, sentences: Int[Tensor, "kept"], beam: int) -> "DecoderState":
        """Go on with these sentences only, ``beam`` rows each."""
        rows = (sentences[:, None] * beam + torch.arange(beam, device=sentences.device)).flatten()
        layers = (
            replace(
                layer,
                cross_keys=layer.cross_keys.index_select(0, sentences),
                cross_values=layer.cross_values.index_select(0, sentences),
            )
            for layer in self.layers
        )
        mask = None if self.source_mask is None else self.source_mask.index_select(0, sentences)
        return replace(self, layers=tuple(layers), source_mask=mask).reorder(rows)
