"""The fast stepper: a packed model, and caches that stay where they are when beams change places."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.engines.key_mask import FIRST_CAPACITY, KeyMask, additive
from ferryman.engines.packed import PackedCrossAttention, PackedModel, PackedSelfAttention
from ferryman.engines.packed_encoder import encode
from ferryman.model.masks import source_mask

TIDY_EVERY = 8  # steps


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
        self.beam, self.batch, self.position = beam, self.source.size(0), 0
        self.source_mask = None if self.real is None else additive(source_mask(self.real))
        self.cross = encode(self.packed, self.source, self.source_mask)
        like, layers = self.cross[0][0], len(self.packed.decoder_layers)
        capacity, d_model = max(FIRST_CAPACITY, beam), self.packed.d_model
        self.past = [like.new_empty(self.batch, capacity, 2 * d_model) for _ in range(layers)]
        self.seen = KeyMask(self.batch, beam, like.device)
        return self.batch

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the log-probabilities of the next (linear + log-softmax, §3.4)."""
        if self.beam > 1 and self.position % TIDY_EVERY == TIDY_EVERY - 1:
            self._tidy()
        seen = self.seen.append()
        mask = seen if self.beam > 1 else None
        if self.seen.keys > self.past[0].size(1):
            self.past = [torch.cat((past, torch.empty_like(past)), dim=1) for past in self.past]
        x = self.packed.embed_target.at(self.position, tokens)
        for (layer, asking), past, cross in zip(self.packed.decoder_layers, self.past, self.cross, strict=True):
            x = self._self_attention(layer, x, past[:, : self.seen.keys], mask)
            x = self._cross_attention(asking, x, cross, pre_norm=layer.pre_norm)
            x = layer.feed(layer.feed_norm(x) if layer.pre_norm else x).add_(x)
            x = x if layer.pre_norm else layer.feed_norm(x)
        self.position += 1
        logits = self.packed.output(self.packed.decoder_norm(x))
        return torch.log_softmax(logits, dim=-1, out=logits)

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``, a row of the same sentence."""
        self.seen.reorder(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self.batch = len(sentences)
        self.cross = [(keys[sentences], values[sentences]) for keys, values in self.cross]
        self.source_mask = None if self.source_mask is None else self.source_mask[sentences]
        self.past = [self._moved(past, sentences) for past in self.past]
        self.seen.keep(sentences)

    def _moved(self, past: Tensor, sentences: Tensor) -> Tensor:
        moved = past.new_empty(len(sentences), *past.shape[1:])
        torch.index_select(past[:, : self.seen.keys], 0, sentences, out=moved[:, : self.seen.keys])
        return moved

    def _tidy(self) -> None:
        order = self.seen.tidy()[:, :, None]
        for past in self.past:
            past[:, : self.seen.keys] = past.gather(1, order.expand(-1, -1, past.size(2)))

    def _self_attention(self, layer: PackedSelfAttention, x: Tensor, past: Tensor, mask: Tensor | None) -> Tensor:
        d_model = x.size(1)
        projected = layer.project(layer.norm(x) if layer.pre_norm else x)
        past[:, -self.beam :] = projected[:, d_model:].view(self.batch, self.beam, -1)
        keys, values = self._heads(past[..., :d_model]), self._heads(past[..., d_model:])
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
