"""How large a model is and what training it takes, before anything is allocated."""

from dataclasses import dataclass

import torch

from ferryman.config import ModelConfig
from ferryman.model.transformer import Transformer

FLOAT = 4
TRAINING_COPIES = 4  # weights, gradients and Adam's two moments


@dataclass(frozen=True)
class Estimate:
    """Sizes of a model in training."""

    parameters: int
    weights_bytes: int
    training_bytes: int  # weights, gradients, optimiser and the activations of one batch

    def __str__(self) -> str:
        return (
            f"{self.parameters:,} parameters, {self.weights_bytes / 1e6:,.0f} MB of weights, "
            f"about {self.training_bytes / 1e6:,.0f} MB in training"
        )


def count_parameters(model: torch.nn.Module) -> int:
    """Count a model's weights; tied ones count once."""
    return sum(parameter.numel() for parameter in model.parameters())


def estimate(config: ModelConfig, source_vocab: int, target_vocab: int, batch_tokens: int) -> Estimate:
    """Estimate the memory of training with ``batch_tokens`` tokens a side in float32."""
    with torch.device("meta"):
        parameters = count_parameters(Transformer(source_vocab, target_vocab, config))
    # Kept for the backward pass, per token and layer: what each sub-layer read and made, about 12 vectors of d_model in
    # an attention sub-layer with its norm and 4 beside the feed-forward's hidden ones.
    encoder = config.encoder_layers * (16 * config.d_model + 2 * config.d_ff)
    decoder = config.decoder_layers * (28 * config.d_model + 2 * config.d_ff)
    activations = batch_tokens * (encoder + decoder) * FLOAT
    weights = parameters * FLOAT
    return Estimate(parameters, weights, TRAINING_COPIES * weights + activations)
