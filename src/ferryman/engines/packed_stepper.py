"""The fast stepper: a packed decoder, and caches that are written once and never moved when beams change places."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.engines.packed import PackedDecoder, PackedLayer

FIRST_CAPACITY = 32  # positions; doubled when they are used up


class PackedStepper:
    """Runs a ``PackedDecoder`` behind the stepper protocol of ``ferryman.decoding``.

    The cached keys and values of all rows of a sentence lie side by side, and every row attends to all of them through
    a mask that leaves it its own past. When rows change places only the mask does.
    """

    def __init__(
        self, decoder: PackedDecoder, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None
    ) -> None:
        self.decoder = decoder
        self.source = source
        self.real = real

    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        state = self.decoder.model.encode(self.source, self.real)
        like = state.layers[0].cross_keys
        self.beam, self.batch, self.position, self.capacity = beam, like.size(0), 0, FIRST_CAPACITY
        self.cross = [(layer.cross_keys, layer.cross_values) for layer in state.layers]
        self.source_mask = None if state.source_mask is None else _additive(state.source_mask, like.dtype)
        d_model = self.decoder.model.config.d_model
        self.past = [like.new_empty(self.batch, self.capacity, beam, 2 * d_model) for _ in state.layers]
        # Of the slots of one position, a row sees its own until rows change places.
        self.own = _additive(torch.eye(beam, dtype=torch.bool, device=like.device), like.dtype)
        self.mask = like.new_empty(self.batch, beam, self.capacity, beam)
        return self.batch

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the log-probabilities of the next (linear + log-softmax, §3.4)."""
        if self.position == self.capacity:
            self._grow()
        mask = None
        if self.beam > 1:
            self.mask[:, :, self.position] = self.own
            mask = self.mask[:, :, : self.position + 1].flatten(2)[:, None]
        x = self.decoder.embed(tokens, self.position)
        for layer, past, cross in zip(self.decoder.layers, self.past, self.cross, strict=True):
            x = self._layer(layer, x, past, cross, mask)
        self.position += 1
        if self.decoder.final_norm is not None:
            x = self.decoder.final_norm(x)
        return torch.log_softmax(self.decoder.output(x), dim=-1)

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``, a row of the same sentence."""
        seen = self.mask[:, :, : self.position]
        seen.copy_(seen.flatten(0, 1).index_select(0, rows).view_as(seen))

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self.batch = len(sentences)
        self.cross = [(keys[sentences], values[sentences]) for keys, values in self.cross]
        self.source_mask = None if self.source_mask is None else self.source_mask[sentences]
        self.past = [self._moved(past, sentences) for past in self.past]
        self.mask = self.mask[sentences]

    def _moved(self, past: Tensor, sentences: Tensor) -> Tensor:
        moved = past.new_empty(len(sentences), *past.shape[1:])
        torch.index_select(past[:, : self.position], 0, sentences, out=moved[:, : self.position])
        return moved

    def _grow(self) -> None:
        self.capacity *= 2
        self.past = [torch.cat((past, torch.empty_like(past)), dim=1) for past in self.past]
        self.mask = torch.cat((self.mask, torch.empty_like(self.mask)), dim=2)

    def _layer(
        self, layer: PackedLayer, x: Tensor, past: Tensor, cross: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> Tensor:
        """Follow Figure 1 (right) upwards."""
        d_model, place = x.size(1), self.position
        self_norm, cross_norm, feed_norm = layer.norms
        projected = layer.project(self_norm(x) if layer.pre_norm else x)
        past[:, place] = projected[:, d_model:].view(self.batch, self.beam, -1)
        seen = past[:, : place + 1].flatten(1, 2)
        keys, values = self._heads(seen[..., :d_model]), self._heads(seen[..., d_model:])
        attended = self._attend(projected[:, :d_model], keys, values, mask)
        x = x + layer.project_out(attended)
        x = x if layer.pre_norm else self_norm(x)

        asked = layer.ask(cross_norm(x) if layer.pre_norm else x)
        x = x + layer.ask_out(self._attend(asked, *cross, self.source_mask))
        x = x if layer.pre_norm else cross_norm(x)

        x = x + layer.feed(feed_norm(x) if layer.pre_norm else x)
        return x if layer.pre_norm else feed_norm(x)

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """Let the rows of a sentence ask as queries of one sequence: (rows, d_model) -> (rows, d_model)."""
        asking = self._heads(queries.view(self.batch, self.beam, -1))
        attended = F.scaled_dot_product_attention(asking, keys, values, attn_mask=mask)
        return attended.transpose(1, 2).reshape(queries.shape)

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.decoder.heads, -1)).transpose(1, 2)


def _additive(mask: Bool[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """Turn a mask that tells what is seen into what is added to scores, once and not in every layer of every step."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, -math.inf)
