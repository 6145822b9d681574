"""Which of our weights are which of a Hugging Face model's."""

import torch
from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.interop.renames import Rename
from ferryman.model.positions import sinusoids

SHARED, SOURCE, TARGET = "model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens"
OUTPUT, BIAS = "lm_head", "final_logits_bias"
POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")

_STACKED = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}
_SAME = {
    "self_attention.out_projection": "self_attn.out_proj",
    "self_attention_norm.norm": "self_attn_layer_norm",
    "feed_forward.inner": "fc1",
    "feed_forward.outer": "fc2",
    "feed_forward_norm.norm": "final_layer_norm",
}
_SAME_IN_DECODER = {
    "cross_attention.out_projection": "encoder_attn.out_proj",
    "cross_attention_norm.norm": "encoder_attn_layer_norm",
}


def layer_table(config: ModelConfig, prefix: str = "model.") -> list[Rename]:
    """Name the weights of all layers, as this family of models does (fairseq's too, with another prefix)."""
    table = []
    for stack, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        decoder = stack == "decoder"
        for kind in ("weight", "bias"):
            for layer in range(layers):
                ours, theirs = f"{stack}.layers.{layer}", f"{prefix}{stack}.layers.{layer}"
                for attention in _STACKED if decoder else ("self_attention",):
                    parts = tuple(f"{theirs}.{_STACKED[attention]}.{part}_proj.{kind}" for part in "qkv")
                    table.append(Rename(f"{ours}.{attention}.in_projection.{kind}", parts))
                for one, other in (_SAME | _SAME_IN_DECODER if decoder else _SAME).items():
                    table.append(Rename(f"{ours}.{one}.{kind}", (f"{theirs}.{other}.{kind}",)))
            if config.norm_order == "pre":
                table.append(Rename(f"{stack}.final_norm.{kind}", (f"{prefix}{stack}.layer_norm.{kind}",)))
    return table


def embedding_table(config: ModelConfig) -> list[Rename]:
    """Name the tables of embeddings and the output, as they are tied."""
    shared, source, target, output = (f"{name}.weight" for name in (SHARED, SOURCE, TARGET, OUTPUT))
    table = [Rename("output_bias", (BIAS,), as_row=True)] if config.output_bias else []
    if config.tie == "three-way":
        return [*table, Rename("target_table", (shared,), copies=(source, target, output))]
    table.append(Rename("source_table", (source,), copies=(shared,)))
    if config.tie == "two-way":
        return [*table, Rename("target_table", (target,), copies=(output,))]
    return [*table, Rename("target_table", (target,), copies=(shared,)), Rename("output_table", (output,))]


def check_positions(weights: dict[str, Tensor]) -> str | None:
    """Take out the tables of positions that older files hold; name one that is not what its class would make."""
    for name in POSITIONS:
        table = weights.pop(name, None)
        if table is not None:
            expected = sinusoids(table.size(0), table.size(1), "halves") if table.dim() == 2 else table[:0]
            if table.shape != expected.shape or not torch.allclose(table.float(), expected, atol=1e-3):
                return name
    return None


def to_halves(weights: dict[str, Tensor], d_model: int, *, back: bool = False) -> dict[str, Tensor]:
    """Reorder the features of the whole model, so that interleaved sinusoids become halves, or ``back``.

    The function stays the same: every matrix that reads or writes a layer's vectors is reordered alike.
    """
    order = torch.arange(d_model).view(-1, 2).t().flatten()
    order = order.argsort() if back else order

    def reordered(name: str, tensor: Tensor) -> Tensor:
        if name.endswith(("_table", "in_projection.weight", "feed_forward.inner.weight")):
            return tensor[:, order]
        if name.endswith(("in_projection.bias", "feed_forward.inner.bias", "output_bias")):
            return tensor
        return tensor[order]  # what is added to the vectors, and norms

    return {name: reordered(name, tensor) for name, tensor in weights.items()}
