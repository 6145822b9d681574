"""Which of our weights are which of Joey NMT's."""

import torch
from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.interop.renames import Rename
from ferryman.model.positions import sinusoids

SOURCE, TARGET, OUTPUT = "src_embed.lut.weight", "trg_embed.lut.weight", "decoder.output_layer.weight"
FINAL_NORM = "encoder.layer_norm.weight"
POSITIONS = ("encoder.pe.pe", "decoder.pe.pe")
CHECKED = 1024  # positions; theirs are computed in float32, which tells far ones less well

_ATTENTION = {
    "encoder": {"self_attention": "src_src_att"},
    "decoder": {"self_attention": "trg_trg_att", "cross_attention": "src_trg_att"},
}
_NORMS = {
    "encoder": {"self_attention_norm.norm": "layer_norm"},
    "decoder": {"self_attention_norm.norm": "x_layer_norm", "cross_attention_norm.norm": "dec_layer_norm"},
}
_FEED_FORWARD = {
    "feed_forward.inner": "feed_forward.pwff_layer.0",
    "feed_forward.outer": "feed_forward.pwff_layer.3",
    "feed_forward_norm.norm": "feed_forward.layer_norm",
}


def layer_table(config: ModelConfig) -> list[Rename]:
    """Name the weights of all layers."""
    table = []
    for stack, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        same = _NORMS[stack] | _FEED_FORWARD
        for kind in ("weight", "bias"):
            for place in (f"{stack}.layers.{layer}" for layer in range(layers)):
                for ours, theirs in _ATTENTION[stack].items():
                    parts = tuple(f"{place}.{theirs}.{part}_layer.{kind}" for part in "qkv")
                    table.append(Rename(f"{place}.{ours}.in_projection.{kind}", parts))
                    table.append(
                        Rename(f"{place}.{ours}.out_projection.{kind}", (f"{place}.{theirs}.output_layer.{kind}",))
                    )
                table += [Rename(f"{place}.{one}.{kind}", (f"{place}.{other}.{kind}",)) for one, other in same.items()]
            if config.norm_order == "pre":
                table.append(Rename(f"{stack}.final_norm.{kind}", (f"{stack}.layer_norm.{kind}",)))
    return table


def embedding_table(config: ModelConfig) -> list[Rename]:
    """Name the tables of embeddings and the output, as they are tied."""
    if config.tie == "three-way":
        return [Rename("target_table", (TARGET,), copies=(SOURCE, OUTPUT))]
    source = Rename("source_table", (SOURCE,))
    if config.tie == "two-way":
        return [source, Rename("target_table", (TARGET,), copies=(OUTPUT,))]
    return [source, Rename("target_table", (TARGET,)), Rename("output_table", (OUTPUT,))]


def check_positions(weights: dict[str, Tensor]) -> str | None:
    """Take out the tables of positions; name one that holds other than interleaved sinusoids."""
    for name in POSITIONS:
        table = weights.pop(name, None)
        if table is None:
            continue
        rows = table[0, :CHECKED].float() if table.dim() == 3 and len(table) else table.new_empty(0, 2)
        if not len(rows) or not torch.allclose(rows, sinusoids(len(rows), rows.size(1)), atol=1e-3):
            return name
    return None


def weigh_residuals(weights: dict[str, Tensor], alpha: float) -> dict[str, Tensor]:
    """Turn LayerNorm(alpha x + f(x)) into LayerNorm(x + f(x) / alpha): the same, with epsilon over the square of alpha.

    Args:
        weights: of a post-norm model, by our names.
        alpha: what its residuals are multiplied by.

    """
    added = (".out_projection", ".feed_forward.outer")
    return {
        name: tensor / alpha if name.rpartition(".")[0].endswith(added) else tensor for name, tensor in weights.items()
    }
