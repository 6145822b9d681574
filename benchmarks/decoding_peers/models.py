"""Our form of the model, from which all others are made."""

import json
from pathlib import Path

from safetensors.torch import save_file

from decoding_peers.conversion import OURS, SHAPE, model_folder
from decoding_peers.copying import make_copier
from ferryman.checkpoint import weights_of
from ferryman.config import Config
from ferryman.errors import ConfigError


def shape_of(config: Config) -> dict[str, int]:
    """Say what distinguishes one model of Marian's kind from another.

    Raises:
        ConfigError: the peers cannot build it.

    """
    if config.model.activation != "relu":
        raise ConfigError(
            f"model.activation: the peers have relu, not {config.model.activation}; add model.activation=relu"
        )
    names = ("d_model", "d_ff", "heads", "encoder_layers", "decoder_layers")
    return {"vocab": config.tokenizer.vocab_size, **{name: getattr(config.model, name) for name in names}}


def make_model(config: Config, folder: Path) -> Path:
    """Build the model, unless it is there, and return its folder."""
    shape = shape_of(config)
    model = model_folder(folder, shape)
    if not (model / SHAPE).exists():
        model.mkdir(parents=True, exist_ok=True)
        save_file(weights_of(make_copier(shape["vocab"], config.model)), model / OURS)
        (model / SHAPE).write_text(json.dumps(shape), encoding="utf-8")
    return model
