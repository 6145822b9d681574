"""The options in an OpenNMT-py checkpoint."""

from typing import Any

from ferryman.interop.opennmt.settings import ATTENTION, LAYOUTS, Network, Settings, make_network

EPSILON = 1e-6  # of layer norms, before it was an option
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "silu": "swiglu"}  # silu has a gate
ONLY: dict[str, tuple[Any, ...]] = {
    "model_type": ("text",),
    "model_task": ("seq2seq",),
    "encoder_type": ("transformer",),
    "decoder_type": ("transformer",),
    "self_attn_type": ("scaled-dot", "scaled-dot-flash"),
    "position_encoding": (True,),
    "max_relative_positions": (0,),
    "relative_positions_buckets": (0,),
    "layer_norm": ("standard",),
    "parallel_residual": (False,),
    "num_kv": (0,),
    "multiquery": (False,),
    "num_experts": (0,),
    "sliding_window": (0,),
    "copy_attn": (False,),
    "generator_function": ("softmax",),
    "n_src_feats": (0,),
    "quant_layers": ([],),
    "lora_layers": ([],),
    "lora_embedding": (False,),
}


def read_options(opt: Settings, d_model: int) -> Network:
    """Read the network of a checkpoint whose embeddings are ``d_model`` wide.

    Raises:
        ConversionError: ours cannot be it; names the option and its value.

    """
    opt.check(ONLY)
    dropout = opt.rate("dropout", 0.0)
    return make_network(
        opt.where,
        share_embeddings=opt.flag("share_embeddings", default=False),
        share_output=opt.flag("share_decoder_embeddings", default=False),
        without_bias=[
            () if opt.flag("add_qkvbias", default=True) else (*ATTENTION, "final_linear"),
            () if opt.flag("add_ffnbias", default=True) else ("w_1", "w_2", "w_3"),
        ],
        d_model=d_model,
        d_ff=opt.number("transformer_ff"),
        heads=opt.number("heads"),
        encoder_layers=opt.number("enc_layers"),
        decoder_layers=opt.number("dec_layers"),
        norm_epsilon=opt.rate("norm_eps", EPSILON),
        activation=opt.choice("pos_ffn_activation_fn", ACTIVATIONS, "relu"),
        sinusoid_layout=opt.choice("position_encoding_type", LAYOUTS, "SinusoidalInterleaved"),
        dropout=dropout,
        attention_dropout=opt.rate("attention_dropout", dropout),
        feed_forward_dropout=dropout,
    )
