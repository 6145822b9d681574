"""The ``config.json`` of an Eole folder: only what was set, at the level of the model or of one side."""

from typing import Any

from ferryman.interop.opennmt.settings import ATTENTION, LAYOUTS, Network, Settings, make_network

EPSILON, OLD_EPSILON = 1e-5, 1e-6  # of layer norms, where none is set; the old one while positions had to be asked for
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "silu": "silu", "gated-silu": "swiglu"}
MODEL: dict[str, tuple[Any, ...]] = {
    "generator_function": ("softmax",),
    "add_estimator": (False,),
    "left_pad": (False,),
}
EMBEDDINGS: dict[str, tuple[Any, ...]] = {
    "position_encoding": (True,),
    "position_encoding_type": (*LAYOUTS, "Learned"),
    "normalize": (False,),
    "embedding_type": ("standard",),
    "embedding_layer_norm": (False,),
}
SIDE: dict[str, tuple[Any, ...]] = {
    "encoder_type": ("transformer",),
    "decoder_type": ("transformer",),
    "self_attn_type": ("scaled-dot", "scaled-dot-flash"),
    "layer_norm": ("standard", "standardFP32"),
    "parallel_residual": (False,),
    "ffn_layernorm": (False,),
    "query_norm": (False,),
    "key_norm": (False,),
    "value_norm": (False,),
    "q_gating": (False,),
    "encoder_layer_style": ("standard",),
    "final_encoder_layer_norm": (True,),
    "layer_types": (None,),
    "attn_scaling": (None,),
    "sliding_window": (0,),
    "max_relative_positions": (0,),
    "relative_positions_buckets": (0,),
    "num_experts": (0,),
    "num_kv": (0,),
    "multiquery": (False,),
}
TRAINING: dict[str, tuple[Any, ...]] = {"quant_layers": ([],), "lora_layers": ([],), "lora_embedding": (False,)}


def read_config(config: Settings, d_model: int, *, gated: bool) -> Network:
    """Read the network of a folder whose embeddings are ``d_model`` wide.

    Args:
        config: the whole of ``config.json``.
        d_model: width of the embeddings.
        gated: whether there are weights of a gate; the name ``silu`` had one once.

    Raises:
        ConversionError: ours cannot be it; names the key and its value.

    """
    model, training = config.inside("model"), config.inside("training")
    embeddings, (encoder, decoder) = model.inside("embeddings"), sides(model)
    training.check(TRAINING)
    model.check(MODEL)
    _check_alike(encoder, decoder)
    kind = "mlp_activation_fn" if "mlp_activation_fn" in encoder.values else "pos_ffn_activation_fn"
    activations = ACTIVATIONS | ({"silu": "swiglu"} if gated else {})
    dropout = training.rate("dropout", 0.0)
    biased = encoder.flag("add_qkvbias", default=False)
    heads = encoder.number("heads")
    encoder.check({"heads_kv": (None, heads), "head_dim": (None, d_model // max(1, heads))})
    return make_network(
        config.where,
        share_embeddings=model.flag("share_embeddings", default=False),
        share_output=model.flag("share_decoder_embeddings", default=False),
        without_bias=[
            () if biased else ATTENTION,
            () if encoder.values.get("add_key_bias") in (None, True) else ("linear_keys",),
            ("final_linear",),  # of which the setting tells nothing: Eole itself sets it on one side alone
            () if encoder.flag("add_ffnbias", default=False) else ("gate_up_proj", "up_proj", "down_proj"),
        ],
        d_model=d_model,
        d_ff=encoder.number("transformer_ff"),
        heads=heads,
        encoder_layers=encoder.number("layers"),
        decoder_layers=decoder.number("layers"),
        norm_epsilon=encoder.rate("norm_eps", OLD_EPSILON if "position_encoding" in embeddings.values else EPSILON),
        activation=encoder.choice(kind, activations, "relu"),
        dropout=dropout,
        attention_dropout=training.rate("attention_dropout", dropout),
        feed_forward_dropout=dropout,
        **_positions(embeddings),
    )


def sides(model: Settings) -> tuple[Settings, Settings]:
    """Return the settings of both sides: their own, before those of the model, before Eole's defaults."""
    defaults = {"heads": 8, "transformer_ff": 2048}
    common = defaults | {name: value for name, value in model.values.items() if name not in ("encoder", "decoder")}
    encoder, decoder = (
        Settings(common | dict(model.inside(side).values), model.where, f"{model.prefix}{side}.")
        for side in ("encoder", "decoder")
    )
    return encoder, decoder


def _positions(embeddings: Settings) -> dict[str, Any]:
    embeddings.check(EMBEDDINGS)
    if embeddings.values.get("position_encoding_type") != "Learned":
        embeddings.check({"position_shift": (0, None)})
        layout = embeddings.choice("position_encoding_type", LAYOUTS, "SinusoidalInterleaved")
        return {"sinusoid_layout": layout}
    shift = embeddings.number("position_shift") if "position_shift" in embeddings.values else 0
    return {
        "positions": "learned",
        "position_offset": shift,
        "max_positions": embeddings.number("n_positions") - shift,
        "scale_embedding": False,
    }


def _check_alike(encoder: Settings, decoder: Settings) -> None:
    """Check both sides, and what ours has one value for."""
    encoder.check(SIDE)
    decoder.check(SIDE)
    for name in (
        "heads", "heads_kv", "head_dim", "transformer_ff", "norm_eps", "mlp_activation_fn", "pos_ffn_activation_fn",
        "add_qkvbias", "add_key_bias", "add_ffnbias",
    ):  # fmt: skip
        value = encoder.values.get(name)
        if decoder.values.get(name) != value:
            raise decoder.refused(name, f"the encoder's is {value!r}, and ours has one for both")
