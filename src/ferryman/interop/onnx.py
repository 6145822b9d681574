"""ONNX: an encoder, and one step of the decoder with its cache, for ONNX Runtime and whatever else reads them.

    encoder.onnx   source (batch, src) int64, real (batch, src) bool
                   -> cross_keys.N, cross_values.N (batch, heads, src, d_k)
    decoder.onnx   tokens (rows) int64, position () int64, real, cross_keys.N, cross_values.N,
                   past_keys.N, past_values.N (rows, heads, past, d_k)
                   -> logits (rows, vocab), keys.N, values.N (rows, heads, past + 1, d_k)

``rows`` is a multiple of ``batch``: the beams of a sentence follow one another. At the first step ``past`` is 0.
"""

import json
import math
import warnings
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn

from ferryman.checkpoint import assemble
from ferryman.errors import ConversionError
from ferryman.files import write_text
from ferryman.interop.stored_model import StoredModel
from ferryman.model.embedding import Embedding
from ferryman.model.masks import source_mask
from ferryman.model.positions import LearnedPositions, sinusoids
from ferryman.model.state import LayerState
from ferryman.model.transformer import Transformer

ENCODER, DECODER, ABOUT = "encoder.onnx", "decoder.onnx", "ferryman.json"
POSITIONS = 2048
OPSET = 17


def write_onnx(model: StoredModel, folder: Path) -> None:
    """Write the two graphs, the tokenizers and a description of what goes in first.

    Raises:
        ConversionError: the packages that write ONNX are not installed.

    """
    network = assemble(model.weights, model.config, model.tokenizers, folder)
    layers, shape = len(network.decoder.layers), model.config.model
    symbols = model.tokenizers.symbols(shape.start_symbol, source_end=shape.source_end)
    cross = [f"cross_{kind}.{layer}" for layer in range(layers) for kind in ("keys", "values")]
    past = [f"past_{kind}.{layer}" for layer in range(layers) for kind in ("keys", "values")]
    new = [f"{kind}.{layer}" for layer in range(layers) for kind in ("keys", "values")]
    source, real = torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    batch, rows = {0: "batch", 1: "src"}, {0: "rows"}
    encoder = EncoderGraph(network)
    with torch.no_grad():
        memory = encoder(source, real)
    kept = torch.zeros(4, network.config.heads, 5, memory[0].size(-1))
    _export(
        encoder, (source, real), folder / ENCODER, ["source", "real"], cross,
        {"source": batch, "real": batch} | {name: {0: "batch", 2: "src"} for name in cross},
    )  # fmt: skip
    _export(
        DecoderGraph(network),
        (torch.ones(4, dtype=torch.long), torch.tensor(5), real, *memory, *[kept] * len(past)),
        folder / DECODER, ["tokens", "position", "real", *cross, *past], ["logits", *new],
        {"tokens": rows, "real": batch, "logits": rows}
        | {name: {0: "batch", 2: "src"} for name in cross}
        | {name: {0: "rows", 2: "past"} for name in past}
        | {name: {0: "rows", 2: "length"} for name in new},
    )  # fmt: skip
    about = {
        "pad": symbols.pad,
        "start": symbols.start,
        "eos": symbols.eos,
        "source_end": symbols.source_end,
        "forbidden": sorted(model.tokenizers.target.never_text - {symbols.eos}),
        "layers": layers,
        "positions": encoder.embedded.positions,
    }
    write_text(folder / ABOUT, json.dumps(about, indent=1) + "\n")
    model.tokenizers.save(folder)


class Embedded(nn.Module):
    """An embedding whose positions are a table, so that a graph can look them up."""

    def __init__(self, embedding: Embedding, network: Transformer) -> None:
        super().__init__()
        config = network.config
        self.scale = math.sqrt(config.d_model) if config.scale_embedding else 1.0
        if config.positions == "learned":
            table = cast(LearnedPositions, embedding.positions).weight.detach()
        else:
            table = sinusoids(POSITIONS + config.position_offset, config.d_model, config.sinusoid_layout)
        self.register_buffer("table", table[config.position_offset :].clone())
        self.positions = table.size(0) - config.position_offset

    def forward(self, tokens: Tensor, table: Tensor, position: Tensor) -> Tensor:
        """Embed tokens (rows, length) that stand at the positions (length)."""
        return nn.functional.embedding(tokens, table) * self.scale + self.table[position]  # type: ignore[index]


class EncoderGraph(nn.Module):
    """Source tokens to the keys and values of every decoder layer."""

    def __init__(self, network: Transformer) -> None:
        super().__init__()
        self.network = network
        self.embedded = Embedded(network.source_embedding, network)

    def forward(self, source: Tensor, real: Tensor) -> tuple[Tensor, ...]:
        """Run the encoder."""
        positions = torch.arange(source.size(1))
        mask = source_mask(real)
        memory = self.network.encoder(self.embedded(source, self.network.source_table, positions), mask)
        state = self.network.decoder.start(memory, mask)
        return tuple(part for layer in state.layers for part in (layer.cross_keys, layer.cross_values))


class DecoderGraph(nn.Module):
    """One token a row to logits and a longer past."""

    def __init__(self, network: Transformer) -> None:
        super().__init__()
        self.network = network
        self.embedded = Embedded(network.target_embedding, network)

    def forward(self, tokens: Tensor, position: Tensor, real: Tensor, *memory: Tensor) -> tuple[Tensor, ...]:
        """Run one step; ``memory`` are cross keys and values of all layers, then past ones."""
        half = len(memory) // 2
        cross, past = memory[:half], memory[half:]
        decoder, mask, kept = self.network.decoder, source_mask(real), []
        x = self.embedded(tokens[:, None], self.network.target_table, position[None])
        for index, layer in enumerate(decoder.layers):
            before = slice(2 * index, 2 * index + 2)
            x, after = layer(x, LayerState(*cross[before], *past[before]), mask)
            kept += [after.past_keys, after.past_values]
        x = x if decoder.final_norm is None else decoder.final_norm(x)
        return self.network.project(x[:, 0]), *kept


def _export(
    graph: nn.Module,
    example: tuple[Tensor, ...],
    path: Path,
    inputs: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                graph.eval(), example, str(path), input_names=inputs, output_names=outputs, dynamic_axes=axes,
                opset_version=OPSET, dynamo=False,
            )  # fmt: skip
    except ImportError as error:
        raise ConversionError(f"onnx is not installed; pip install 'ferryman[convert]' ({error})") from error
