"""The fast stepper: a packed model, and caches that are written once and never moved when beams change places."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.engines.packed import PackedCrossAttention, PackedModel, PackedSelfAttention
from ferryman.engines.packed_encoder import encode
from ferryman.model.masks import source_mask

FIRST_CAPACITY = 32  # positions; doubled when they are used up


class PackedStepper:
    """Runs a ``PackedModel`` behind the stepper protocol of ``ferryman.decoding``.

    The cached keys and values of all rows of a sentence lie side by side, and every row attends to all of them through
    a mask that leaves it its own past. When rows change places only the mask does.
    """

    def __init__(
        self, packed: PackedModel, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None
    ) -> None:
        self.packed = packed
        self.source = source
        self.real = real

    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        self.beam, self.batch, self.position, self.capacity = beam, self.source.size(0), 0, FIRST_CAPACITY
        self.source_mask = None if self.real is None else _additive(source_mask(self.real))
        self.cross = encode(self.packed, self.source, self.source_mask)
        like, layers = self.cross[0][0], len(self.packed.decoder_layers)
        self.past = [like.new_empty(self.batch, self.capacity, beam, 2 * self.packed.d_model) for _ in range(layers)]
        # Of the slots of one position, a row sees its own until rows change places.
        self.own = _additive(torch.eye(beam, dtype=torch.bool, device=like.device))
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
        x = self.packed.embed_step(tokens, self.position)
        for (layer, asking), past, cross in zip(self.packed.decoder_layers, self.past, self.cross, strict=True):
            x = self._self_attention(layer, x, past, mask)
            x = self._cross_attention(asking, x, cross, pre_norm=layer.pre_norm)
            x = layer.feed(layer.feed_norm(x) if layer.pre_norm else x).add_(x)
            x = x if layer.pre_norm else layer.feed_norm(x)
        self.position += 1
        return torch.log_softmax(self.packed.output(self.packed.decoder_norm(x)), dim=-1)

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

    def _self_attention(self, layer: PackedSelfAttention, x: Tensor, past: Tensor, mask: Tensor | None) -> Tensor:
        d_model, place = x.size(1), self.position
        projected = layer.project(layer.norm(x) if layer.pre_norm else x)
        past[:, place] = projected[:, d_model:].view(self.batch, self.beam, -1)
        seen = past[:, : place + 1].flatten(1, 2)
        keys, values = self._heads(seen[..., :d_model]), self._heads(seen[..., d_model:])
        x = layer.project_out(self._attend(projected[:, :d_model], keys, values, mask)).add_(x)
        return x if layer.pre_norm else layer.norm(x)

    def _cross_attention(
        self, layer: PackedCrossAttention, x: Tensor, cross: tuple[Tensor, Tensor], *, pre_norm: bool
    ) -> Tensor:
        asked = layer.ask(layer.norm(x) if pre_norm else x)
        x = layer.ask_out(self._attend(asked, *cross, self.source_mask)).add_(x)
        return x if pre_norm else layer.norm(x)

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """Let the rows of a sentence ask as queries of one sequence: (rows, d_model) -> (rows, d_model)."""
        asking = self._heads(queries.view(self.batch, self.beam, -1))
        attended = F.scaled_dot_product_attention(asking, keys, values, attn_mask=mask)
        return attended.transpose(1, 2).reshape(queries.shape)

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.packed.heads, -1).transpose(1, 2)


def _additive(mask: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Turn a mask that tells what is seen into what is added to scores, once and not in every layer of every step."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill_(~mask, -math.inf)
