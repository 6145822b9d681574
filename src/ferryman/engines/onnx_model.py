"""A model as two graphs for ONNX Runtime: the encoder, and one step of the decoder."""

from collections.abc import Callable
from functools import partial
from typing import cast

import onnxruntime
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ferryman.engines.embedder import Embedder
from ferryman.engines.onnx_graph import MICROSOFT, Graph, bind
from ferryman.model.attention import MultiHeadAttention
from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.layers import DecoderLayer, EncoderLayer
from ferryman.model.norm import PostNorm, PreNorm
from ferryman.model.transformer import Transformer

Norms = PreNorm | PostNorm
Attend = Callable[[str, str, str], tuple[str, str, str]]
"""Queries, keys and values, one a row -> what was found, one a row, and all keys and values."""


class OnnxModel:
    """A model laid out once for all translations. Its weights must not change afterwards."""

    def __init__(self, model: Transformer, *, eight_bits: bool, threads: int) -> None:
        """Make the graphs, for so many threads of ONNX Runtime's own."""
        self.heads, self.d_model, self.vocab = model.config.heads, model.config.d_model, len(model.output_table)
        self.layers = model.config.decoder_layers
        self.embed_source = Embedder(model.source_embedding, model.source_table)
        self.embed_target = Embedder(model.target_embedding, model.target_table)
        graphs = [Graph(heads=self.heads, eight_bits=eight_bits) for _ in range(2)]
        self._encoder, self._decoder = (
            write(model, graph).session(threads) for write, graph in zip((_encoder, _decoder), graphs, strict=True)
        )
        self._scaled_later = graphs[1].quantises(model.output_table)
        self._output_bias = torch.zeros(1) if model.output_bias is None else model.output_bias.detach()

    def encode(self, given: dict[str, Tensor], memory: dict[str, Tensor]) -> None:
        """Run the encoder and write the keys and values of the memory; see ``_encoder``."""
        binding = self._encoder.io_binding()
        bind(binding, given, memory)
        self._encoder.run_with_iobinding(binding)

    def binding(self) -> onnxruntime.IOBinding:
        """Return what remembers the tensors of decoder steps, so that only those that change are bound anew."""
        return self._decoder.io_binding()

    def step(
        self, binding: onnxruntime.IOBinding, given: dict[str, Tensor], past: dict[str, Tensor]
    ) -> Float[Tensor, "rows vocab"]:
        """Run a step of the decoder, write all keys and values so far and return the logits; see ``_decoder``.

        ``given`` is what has changed since the last step. In eight bits the logits are scaled here, in one pass where
        they lie: the runtime takes several, to new places.
        """
        rows = len(given["x"])
        logits, scale = torch.empty(rows, self.vocab), torch.empty(rows, 1)
        bind(binding, given, {"logits": logits, **({"scale": scale} if self._scaled_later else {}), **past})
        self._decoder.run_with_iobinding(binding)
        return torch.addcmul(self._output_bias, logits, scale, out=logits) if self._scaled_later else logits


def cache_names(layer: int) -> tuple[str, str, str, str]:
    """Name the keys and values of a decoder layer's self-attention, and those of its cross-attention."""
    return f"keys{layer}", f"values{layer}", f"memory_keys{layer}", f"memory_values{layer}"


def _encoder(model: Transformer, graph: Graph) -> Graph:
    """From embedded sources, without padding, to the keys and values that the decoder's cross-attention reads."""
    d_model, d_k = model.config.d_model, model.config.d_model // graph.heads
    x = graph.input("x", torch.float32, ["tokens", d_model])
    token = graph.input("token", torch.int64, ["batch", "src"])  # which is at each position; any where there is none
    position = graph.input("position", torch.int64, ["tokens"])  # of each token among all batch * src
    real = graph.input("real", torch.int32, ["batch", "src"])
    rows = graph.constant(torch.tensor([-1, d_model]))

    def attend(queries: str, keys: str, values: str) -> tuple[str, str, str]:
        padded = [graph.apply("Gather", part, token) for part in (queries, keys, values)]
        attended, keys, values = graph.attention(*padded, real=real)
        return graph.apply("Gather", graph.apply("Reshape", attended, rows), position), keys, values

    for module in model.encoder.layers:
        layer = cast(EncoderLayer, module)
        x, _, _ = _self_attention(graph, layer, x, attend)
        x = _feed(graph, layer, x)
    x = _final(graph, model.encoder.final_norm, x)
    heads = graph.constant(torch.tensor([0, 0, graph.heads, d_k]))  # 0: as it is
    for number, module in enumerate(model.decoder.layers):
        stacked = cast(DecoderLayer, module).cross_attention.in_projection
        remembered = graph.linear(x, stacked.weight[d_model:], stacked.bias[d_model:])
        parts = graph.apply_all("Split", remembered, results=2, axis=1)
        for part, name in zip(parts, cache_names(number)[2:], strict=True):
            cut = graph.apply("Reshape", graph.apply("Gather", part, token), heads)
            graph.output(graph.apply("Transpose", cut, perm=[0, 2, 1, 3]), name, ["batch", graph.heads, "src", d_k])
    return graph


def _decoder(model: Transformer, graph: Graph) -> Graph:
    """From embedded tokens, one a row, to logits; with the keys and values so far, to which this step's are added."""
    d_model, d_k = model.config.d_model, model.config.d_model // graph.heads
    x = graph.input("x", torch.float32, ["rows", d_model])
    shape = graph.input("shape", torch.int64, [3])  # batch, beam, d_model
    real = graph.input("real", torch.int32, ["batch", "src"])
    seen = graph.input("seen", torch.float32, ["batch", 1, "beam", "keys"])
    rows = graph.constant(torch.tensor([-1, d_model]))

    def attend(*parts: str, past: tuple[str, str]) -> tuple[str, str, str]:
        queries, keys, values = (graph.apply("Reshape", part, shape) for part in parts)
        attended, keys, values = graph.attention(queries, keys, values, seen=seen, past=past)
        return graph.apply("Reshape", attended, rows), keys, values

    for number, module in enumerate(model.decoder.layers):
        layer, names = cast(DecoderLayer, module), cache_names(number)
        keys, values = (
            graph.input(f"past_{name}", torch.float32, ["batch", graph.heads, "past", d_k]) for name in names[:2]
        )
        memory = [graph.input(name, torch.float32, ["batch", graph.heads, "src", d_k]) for name in names[2:]]
        x, keys, values = _self_attention(graph, layer, x, partial(attend, past=(keys, values)))
        for value, name in zip((keys, values), names, strict=False):
            graph.output(value, name, ["batch", graph.heads, "keys", d_k])
        asked = _before(graph, layer.cross_attention_norm, x)
        stacked = layer.cross_attention.in_projection
        queries = graph.linear(asked, stacked.weight[:d_model], stacked.bias[:d_model])
        attended, _, _ = graph.attention(graph.apply("Reshape", queries, shape), *memory, real=real)
        found = _joined(graph, layer.cross_attention, graph.apply("Reshape", attended, rows))
        x = _after(graph, layer.cross_attention_norm, x, found)
        x = _feed(graph, layer, x)
    x = _final(graph, model.decoder.final_norm, x)
    table, scale = model.output_table, None
    if graph.quantises(table):
        logits, scale = graph.unscaled(x, table)
    else:
        logits = graph.linear(x, table, model.output_bias)
    graph.output(logits, "logits", ["rows", len(table)])
    if scale is not None:
        graph.output(scale, "scale", ["rows", 1])
    return graph


def _self_attention(graph: Graph, layer: EncoderLayer | DecoderLayer, x: str, attend: Attend) -> tuple[str, str, str]:
    attention = layer.self_attention
    stacked = attention.in_projection
    projected = graph.linear(_before(graph, layer.self_attention_norm, x), stacked.weight, stacked.bias)
    attended, keys, values = attend(*graph.apply_all("Split", projected, results=3, axis=1))
    return _after(graph, layer.self_attention_norm, x, _joined(graph, attention, attended)), keys, values


def _joined(graph: Graph, attention: MultiHeadAttention, attended: str) -> str:
    """Multiply what the heads found, side by side, by W^O."""
    return graph.linear(attended, attention.out_projection.weight, attention.out_projection.bias)


def _feed(graph: Graph, layer: EncoderLayer | DecoderLayer, x: str) -> str:
    feed = layer.feed_forward
    inner = graph.linear(_before(graph, layer.feed_forward_norm, x), feed.inner.weight, feed.inner.bias)
    hidden = _activated(graph, feed, inner)
    outer = graph.linear(hidden, feed.outer.weight, feed.outer.bias)
    return _after(graph, layer.feed_forward_norm, x, outer)


def _activated(graph: Graph, feed: FeedForward | GatedFeedForward, inner: str) -> str:
    if isinstance(feed, GatedFeedForward):
        gate, value = graph.apply_all("Split", inner, results=2, axis=1)
        return graph.apply("Mul", _silu(graph, gate), value)
    if feed.activation is F.gelu:
        return graph.apply("Gelu", inner, domain=MICROSOFT)
    return graph.apply("Relu", inner) if feed.activation is F.relu else _silu(graph, inner)


def _silu(graph: Graph, x: str) -> str:
    return graph.apply("Mul", x, graph.apply("Sigmoid", x))


def _before(graph: Graph, norm: Norms, x: str) -> str:
    return graph.norm(x, norm.norm) if isinstance(norm, PreNorm) else x


def _after(graph: Graph, norm: Norms, x: str, sublayer: str) -> str:
    total = graph.apply("Add", x, sublayer)
    return total if isinstance(norm, PreNorm) else graph.norm(total, norm.norm)


def _final(graph: Graph, norm: nn.LayerNorm | None, x: str) -> str:
    return x if norm is None else graph.norm(x, norm)
