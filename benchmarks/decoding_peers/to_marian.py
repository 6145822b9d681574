"""Write our weights as a Hugging Face Marian model: ``python -m decoding_peers.to_marian MODEL TARGET``."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import GenerationConfig, MarianConfig, MarianMTModel

from decoding_peers.conversion import OURS, SHAPE
from decoding_peers.protocol import EOS

NAMES = {
    "self_attention.out_projection": "self_attn.out_proj",
    "cross_attention.out_projection": "encoder_attn.out_proj",
    "self_attention_norm.norm": "self_attn_layer_norm",
    "cross_attention_norm.norm": "encoder_attn_layer_norm",
    "feed_forward_norm.norm": "final_layer_norm",
    "feed_forward.inner": "fc1",
    "feed_forward.outer": "fc2",
}
STACKED = {"self_attention.in_projection": "self_attn", "cross_attention.in_projection": "encoder_attn"}
KEPT = {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}  # sinusoids, which it makes


def marian_config(shape: dict[str, int]) -> MarianConfig:
    """Describe the model."""
    pad = shape["vocab"] - 1
    return MarianConfig(
        vocab_size=shape["vocab"],
        d_model=shape["d_model"],
        encoder_layers=shape["encoder_layers"],
        decoder_layers=shape["decoder_layers"],
        encoder_attention_heads=shape["heads"],
        decoder_attention_heads=shape["heads"],
        encoder_ffn_dim=shape["d_ff"],
        decoder_ffn_dim=shape["d_ff"],
        activation_function="relu",
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True,
        max_position_embeddings=1024,
        pad_token_id=pad,
        eos_token_id=EOS,
        decoder_start_token_id=pad,
        forced_eos_token_id=None,
    )


def renamed(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give our weights Marian's names."""
    result = {"final_logits_bias": weights["output_bias"][None]}
    table = weights["target_table"]
    for name in ("model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"):
        result[f"{name}.weight"] = table
    for name in weights.keys() - {"output_bias", "target_table"}:
        for ours, theirs in STACKED.items():
            if ours in name:
                for part, tensor in zip("qkv", weights[name].chunk(3), strict=True):
                    result[f"model.{name.replace(ours, f'{theirs}.{part}_proj')}"] = tensor.contiguous()
                break
        else:
            for ours, theirs in NAMES.items():
                if ours in name:
                    result[f"model.{name.replace(ours, theirs)}"] = weights[name]
    return result


def main() -> None:
    """Convert a model."""
    source, target = map(Path, sys.argv[1:3])
    config = marian_config(json.loads((source / SHAPE).read_text(encoding="utf-8")))
    torch.manual_seed(1)
    model = MarianMTModel(config)
    missing, left_over = model.load_state_dict(renamed(load_file(source / OURS)), strict=False)
    if left_over or set(missing) - KEPT:
        sys.exit(f"Marian lacks {left_over}; ours lacks {sorted(set(missing) - KEPT)}")
    model.generation_config = GenerationConfig(
        pad_token_id=config.pad_token_id,
        eos_token_id=EOS,
        decoder_start_token_id=config.decoder_start_token_id,
        max_length=config.max_position_embeddings,
    )
    model.save_pretrained(target)


if __name__ == "__main__":
    main()
