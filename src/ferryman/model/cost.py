"""What a model costs, by arithmetic alone: its weights and the operations of training it. Needs no PyTorch."""

from ferryman.config import ModelConfig

FORWARD_AND_BACKWARD = 3  # the backward pass has two matrix products for each of the forward pass
OPERATIONS = 2  # a weight multiplies and adds


def layer_weights(config: ModelConfig) -> tuple[int, int]:
    """Count the weights of the matrices in an encoder layer and in a decoder layer."""
    attention = 4 * config.d_model**2
    feed_forward = (3 if config.activation == "swiglu" else 2) * config.d_model * config.d_ff
    return attention + feed_forward, 2 * attention + feed_forward


def matrix_weights(config: ModelConfig, source_vocab: int, target_vocab: int) -> int:
    """Count a model's weights, its matrices alone: biases and norms are below 2 % even of the smallest."""
    encoder, decoder = layer_weights(config)
    tables = {
        "three-way": target_vocab,
        "two-way": source_vocab + target_vocab,
        "none": source_vocab + 2 * target_vocab,
    }[config.tie]
    return config.encoder_layers * encoder + config.decoder_layers * decoder + tables * config.d_model


def training_operations(config: ModelConfig, target_vocab: int, source_per_target: float) -> float:
    """Count the floating-point operations of training on one target token, forward and backward.

    Left out is what is small where sentences are: the products of queries, keys and values with one another.

    Args:
        config: the shape.
        target_vocab: rows of the output layer, which every target token meets.
        source_per_target: source tokens for each target token.
    """
    encoder, decoder = layer_weights(config)
    source = config.encoder_layers * encoder
    target = config.decoder_layers * decoder + target_vocab * config.d_model
    return OPERATIONS * FORWARD_AND_BACKWARD * (source * source_per_target + target)
