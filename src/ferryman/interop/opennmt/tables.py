"""Which of our weights are which of theirs, under the names of OpenNMT-py and those of Eole."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.interop.opennmt.settings import ATTENTION, Network
from ferryman.interop.renames import Rename
from ferryman.model.positions import sinusoids


@dataclass(frozen=True)
class Names:
    """What a toolkit calls its weights; ours on the left, both without the place of the layer."""

    source: str
    target: str
    output: str
    positions: tuple[str, str]
    """Tables of positions, without weight."""
    stacks: tuple[str, str]
    """Layers of the encoder and of the decoder."""
    feed_forward: tuple[str, str, str]
    """The first matrix, which has the activation, the one beside it, and the last."""
    encoder_norms: Mapping[str, str]
    decoder_norms: Mapping[str, str]


OPENNMT = Names(
    source="encoder.embeddings.make_embedding.emb_luts.0.weight",
    target="decoder.embeddings.make_embedding.emb_luts.0.weight",
    output="generator",
    positions=("encoder.embeddings.make_embedding.pe", "decoder.embeddings.make_embedding.pe"),
    stacks=("encoder.transformer", "decoder.transformer_layers"),
    feed_forward=("feed_forward.w_1", "feed_forward.w_3", "feed_forward.w_2"),
    encoder_norms={"self_attention_norm": "layer_norm", "feed_forward_norm": "feed_forward.layer_norm"},
    decoder_norms={
        "self_attention_norm": "layer_norm_1",
        "cross_attention_norm": "layer_norm_2",
        "feed_forward_norm": "feed_forward.layer_norm",
    },
)
_EOLE_NORMS = {"self_attention_norm": "input_layernorm", "feed_forward_norm": "post_attention_layernorm"}
EOLE = Names(
    source="src_emb.embeddings.weight",
    target="tgt_emb.embeddings.weight",
    output="generator",
    positions=("src_emb.pe", "tgt_emb.pe"),
    stacks=("encoder.transformer_layers", "decoder.transformer_layers"),
    feed_forward=("mlp.gate_up_proj", "mlp.up_proj", "mlp.down_proj"),
    encoder_norms=_EOLE_NORMS,
    decoder_norms=_EOLE_NORMS | {"cross_attention_norm": "precontext_layernorm"},
)


def rename_table(network: Network, names: Names) -> list[Rename]:
    """Name the weights of a network."""
    shape, table = network.shape, _embeddings(network, names)
    for kind in ("weight", "bias"):
        for side, layers in (("encoder", shape.encoder_layers), ("decoder", shape.decoder_layers)):
            stack, norms = (
                (names.stacks[0], names.encoder_norms) if side == "encoder" else (names.stacks[1], names.decoder_norms)
            )
            for layer in range(layers):
                pairs = _layer(shape, names) | {f"{ours}.norm": (theirs,) for ours, theirs in norms.items()}
                table += [
                    Rename(
                        f"{side}.layers.{layer}.{ours}.{kind}",
                        tuple(f"{stack}.{layer}.{one}.{kind}" for one in theirs),
                    )
                    for ours, theirs in pairs.items()
                    if side == "decoder" or not ours.startswith("cross_attention")
                ]
            table.append(Rename(f"{side}.final_norm.{kind}", (f"{side}.layer_norm.{kind}",)))
    return table


def add_zero_biases(weights: Mapping[str, Tensor], network: Network) -> dict[str, Tensor]:
    """Give linear layers without bias one of zeros, which changes nothing.

    They have none if the settings say so and no layer of their kind on that side has one.
    """
    biased = {_kind(name) for name in weights if name.endswith(".bias")}
    zeros = {
        f"{name.removesuffix('.weight')}.bias": tensor.new_zeros(tensor.size(0))
        for name, tensor in weights.items()
        if name.endswith(".weight") and tensor.dim() == 2 and _kind(name) not in biased
        if _kind(name)[1] in network.without_bias
    }
    return zeros | dict(weights)


def _kind(name: str) -> tuple[str, str]:
    """Return the side of a weight and the last part of its layer's name."""
    parts = name.split(".")
    return parts[0], parts[-2] if len(parts) > 1 else ""


def take_constants(weights: dict[str, Tensor], shape: ModelConfig, names: Names) -> str | None:
    """Take out what is no weight: sinusoids, and factors; name what is not what ours computes."""
    for name in [name for name in weights if name.endswith(".layer_scalar")]:
        if not torch.equal(scalar := weights.pop(name), torch.ones_like(scalar)):
            return name
    for name in (f"{name}.pe" for name in names.positions):
        table = weights.pop(name, None)
        if table is not None:
            expected = sinusoids(table.size(0), shape.d_model, shape.sinusoid_layout)
            if table.numel() != expected.numel() or not torch.allclose(
                table.float().view_as(expected), expected, atol=5e-3
            ):
                return name
    return None


def _embeddings(network: Network, names: Names) -> list[Rename]:
    shape, output = network.shape, f"{names.output}.weight"
    table = [Rename("output_bias", (f"{names.output}.bias",))] if shape.output_bias else []
    if shape.positions == "learned":
        table += [
            Rename(f"{side}_embedding.positions.weight", (f"{name}.weight",))
            for side, name in zip(("source", "target"), names.positions, strict=True)
        ]
    shared = (names.source,) if network.share_embeddings else ()
    if shape.tie == "three-way":
        return [*table, Rename("target_table", (names.source,), copies=(names.target, output))]
    table.append(Rename("source_table", (names.source,)))
    if shape.tie == "two-way":
        return [*table, Rename("target_table", (names.target,), copies=(output,))]
    return [*table, Rename("target_table", (names.target,), copies=shared), Rename("output_table", (output,))]


def _layer(shape: ModelConfig, names: Names) -> dict[str, tuple[str, ...]]:
    """Name the linear layers of a layer, those of the encoder-decoder attention among them."""
    first, beside, last = names.feed_forward
    found: dict[str, tuple[str, ...]] = {
        "feed_forward.inner": (first, beside) if shape.activation == "swiglu" else (first,),
        "feed_forward.outer": (last,),
    }
    for ours, theirs in (("self_attention", "self_attn"), ("cross_attention", "context_attn")):
        found[f"{ours}.in_projection"] = tuple(f"{theirs}.{part}" for part in ATTENTION)
        found[f"{ours}.out_projection"] = (f"{theirs}.final_linear",)
    return found
