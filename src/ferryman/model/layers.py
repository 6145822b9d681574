"""Encoder and decoder layers, and their stacks (§3.1, Figure 1)."""

from collections.abc import Sequence
from typing import cast

from jaxtyping import Bool, Float
from torch import Tensor, nn

from ferryman.model.attention import MultiHeadAttention
from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.norm import AddNorm
from ferryman.model.observe import Observer, within
from ferryman.model.state import DecoderState, LayerState


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each inside Add & Norm (Figure 1, left)."""

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: FeedForward | GatedFeedForward,
        norms: tuple[AddNorm, AddNorm],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward
        self.self_attention_norm, self.feed_forward_norm = norms

    def forward(
        self,
        x: Float[Tensor, "batch src d_model"],
        mask: Bool[Tensor, "batch 1 1 src"] | None,
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch src d_model"]:
        """Follow Figure 1 (left) upwards."""
        attend, feed = within(observe, "self_attention"), within(observe, "feed_forward")
        queries, keys, values = self.self_attention.project(self.self_attention_norm.before(x, attend))
        attended = self.self_attention(queries, keys, values, mask, attend)
        x = self.self_attention_norm.after(x, attended, attend)
        fed = self.feed_forward(self.feed_forward_norm.before(x, feed), feed)
        return self.feed_forward_norm.after(x, fed, feed)


class DecoderLayer(nn.Module):
    """Masked self-attention, encoder-decoder attention, feed-forward, each inside Add & Norm (Figure 1, right)."""

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        cross_attention: MultiHeadAttention,
        feed_forward: FeedForward | GatedFeedForward,
        norms: tuple[AddNorm, AddNorm, AddNorm],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.cross_attention = cross_attention
        self.feed_forward = feed_forward
        self.self_attention_norm, self.cross_attention_norm, self.feed_forward_norm = norms

    def start(self, memory: Float[Tensor, "batch src d_model"]) -> LayerState:
        """Project the memory once, for all steps and all beams."""
        keys, values = self.cross_attention.project_memory(memory)
        return LayerState(keys, values)

    def forward(
        self,
        x: Float[Tensor, "rows new d_model"],
        state: LayerState,
        source_mask: Bool[Tensor, "batch 1 1 src"] | None,
        observe: Observer | None = None,
    ) -> tuple[Float[Tensor, "rows new d_model"], LayerState]:
        """Follow Figure 1 (right) upwards, for positions that come after the state's past."""
        attend, cross = within(observe, "self_attention"), within(observe, "cross_attention")
        queries, keys, values = self.self_attention.project(self.self_attention_norm.before(x, attend))
        state = state.extend(keys, values)
        attended = self.self_attention(queries, state.past_keys, state.past_values, "causal", attend)
        x = self.self_attention_norm.after(x, attended, attend)

        # Rows of one sentence share its keys and values: they are further queries of the same sentence.
        batch = state.cross_keys.size(0)
        asking = self.cross_attention_norm.before(x, cross)
        queries = self.cross_attention.project_queries(asking.reshape(batch, -1, asking.size(-1)))
        attended = self.cross_attention(queries, state.cross_keys, state.cross_values, source_mask, cross)
        x = self.cross_attention_norm.after(x, attended.view_as(x), cross)

        feed = within(observe, "feed_forward")
        fed = self.feed_forward(self.feed_forward_norm.before(x, feed), feed)
        return self.feed_forward_norm.after(x, fed, feed), state


class Encoder(nn.Module):
    """A stack of encoder layers, and a final norm if the layers are pre-norm."""

    def __init__(self, layers: Sequence[EncoderLayer], final_norm: nn.LayerNorm | None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.final_norm = final_norm

    def forward(
        self,
        x: Float[Tensor, "batch src d_model"],
        mask: Bool[Tensor, "batch 1 1 src"] | None,
        observe: Observer | None = None,
    ) -> Float[Tensor, "batch src d_model"]:
        """Turn embedded source tokens into the memory."""
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, within(observe, str(index)))
        return x if self.final_norm is None else _normed(self.final_norm, x, observe)


class Decoder(nn.Module):
    """A stack of decoder layers, and a final norm if the layers are pre-norm."""

    def __init__(self, layers: Sequence[DecoderLayer], final_norm: nn.LayerNorm | None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.final_norm = final_norm

    def start(
        self, memory: Float[Tensor, "batch src d_model"], source_mask: Bool[Tensor, "batch 1 1 src"] | None
    ) -> DecoderState:
        """Return the state before the first target token."""
        return DecoderState(tuple(cast(DecoderLayer, layer).start(memory) for layer in self.layers), source_mask)

    def forward(
        self, x: Float[Tensor, "rows new d_model"], state: DecoderState, observe: Observer | None = None
    ) -> tuple[Float[Tensor, "rows new d_model"], DecoderState]:
        """Decode new positions, all at once (teacher forcing) or one by one; return the state after them."""
        layers = []
        for index, (layer, past) in enumerate(zip(self.layers, state.layers, strict=True)):
            x, after = layer(x, past, state.source_mask, within(observe, str(index)))
            layers.append(after)
        x = x if self.final_norm is None else _normed(self.final_norm, x, observe)
        return x, DecoderState(tuple(layers), state.source_mask, state.position + x.size(1))


def _normed(norm: nn.LayerNorm, x: Tensor, observe: Observer | None) -> Tensor:
    normed: Tensor = norm(x)
    if observe:
        observe("final_norm", normed)
    return normed
