"""Which of our weights are which of a checkpoint's, and what older versions called them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.errors import ConversionError
from ferryman.interop.huggingface.tables import layer_table
from ferryman.interop.renames import Rename

SOURCE, TARGET = "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"
OUTPUT = "decoder.output_projection.weight"
POSITIONS = ("encoder.embed_positions.weight", "decoder.embed_positions.weight")
_UNSTACKED = "decoder.embed_out"  # what the output was called
_NO_WEIGHT = re.compile(
    r"(en|de)coder\.(version|embed_positions\._float_tensor|embed_positions\.weights)"
    r"|encoder\.layers\.\d+\.(in_proj|out_proj|fc1|fc2)_(weight|bias)"  # room for a fast path; filled in on loading
)
_STACKED = re.compile(r"(.*_attn)\.in_proj_(weight|bias)")
_NORMS = re.compile(r"((en|de)coder)\.layers\.(\d+)\.layer_norms\.(\d+)\.(weight|bias)")
_NORM_NAMES = {
    "encoder": ("self_attn_layer_norm", "final_layer_norm"),
    "decoder": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
}


def network_weights(state: Mapping[str, Any], path: Path) -> dict[str, Tensor]:
    """Return the weights of a checkpoint by the names of its latest versions.

    Raises:
        ConversionError: something else stands among them.

    """
    found: dict[str, Tensor] = {}
    for name, tensor in state["model"].items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise ConversionError(f"{path}: model: expected names and their tensors, found {name!r}")
        if not _NO_WEIGHT.fullmatch(name):
            found |= _renamed(name, tensor)
    return found


def weight_table(config: ModelConfig) -> list[Rename]:
    """Name all weights of a network."""
    table = layer_table(config, prefix="")
    if config.positions == "learned":
        sides = ("source_embedding", "target_embedding")
        table += [Rename(f"{side}.positions.weight", (name,)) for side, name in zip(sides, POSITIONS, strict=True)]
    if config.tie == "three-way":
        return [*table, Rename("target_table", (TARGET,), copies=(SOURCE, OUTPUT))]
    table.append(Rename("source_table", (SOURCE,)))
    if config.tie == "two-way":
        return [*table, Rename("target_table", (TARGET,), copies=(OUTPUT,))]
    return [*table, Rename("target_table", (TARGET,)), Rename("output_table", (OUTPUT,))]


def _renamed(name: str, tensor: Tensor) -> dict[str, Tensor]:
    if name == _UNSTACKED:
        return {OUTPUT: tensor}
    if (stacked := _STACKED.fullmatch(name)) and tensor.dim() and tensor.size(0) % 3 == 0:
        parts = zip("qkv", tensor.chunk(3), strict=True)
        return {f"{stacked[1]}.{part}_proj.{stacked[2]}": each for part, each in parts}
    if norm := _NORMS.fullmatch(name):
        names = _NORM_NAMES[norm[1]]
        if int(norm[4]) < len(names):
            return {f"{norm[1]}.layers.{norm[3]}.{names[int(norm[4])]}.{norm[5]}": tensor}
    return {name: tensor}
