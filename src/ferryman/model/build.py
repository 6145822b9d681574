"""From the configuration to the parts of a Transformer: the only place in ``model`` that reads ``ModelConfig``."""

from torch import nn

from ferryman.config import ModelConfig
from ferryman.model.attention import MultiHeadAttention
from ferryman.model.embedding import Embedding
from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.layers import Decoder, DecoderLayer, Encoder, EncoderLayer
from ferryman.model.norm import AddNorm, PostNorm, PreNorm
from ferryman.model.positions import LearnedPositions, SinusoidalPositions


def build_encoder(config: ModelConfig) -> Encoder:
    """Build the encoder stack (Figure 1, left)."""
    layers = [
        EncoderLayer(_attention(config), _feed_forward(config), (_add_norm(config), _add_norm(config)))
        for _ in range(config.encoder_layers)
    ]
    return Encoder(layers, _final_norm(config))


def build_decoder(config: ModelConfig) -> Decoder:
    """Build the decoder stack (Figure 1, right)."""
    layers = [
        DecoderLayer(
            _attention(config),
            _attention(config),
            _feed_forward(config),
            (_add_norm(config), _add_norm(config), _add_norm(config)),
        )
        for _ in range(config.decoder_layers)
    ]
    return Decoder(layers, _final_norm(config))


def build_embedding(config: ModelConfig) -> Embedding:
    """Build what turns tokens and positions into vectors (Figure 1, bottom)."""
    positions = (
        SinusoidalPositions(config.d_model, layout=config.sinusoid_layout, offset=config.position_offset)
        if config.positions == "sinusoidal"
        else LearnedPositions(config.d_model, config.max_positions, offset=config.position_offset)
    )
    return Embedding(positions, scale=config.scale_embedding, dropout=config.dropout)


def _attention(config: ModelConfig) -> MultiHeadAttention:
    return MultiHeadAttention(config.d_model, config.heads, dropout=config.attention_dropout)


def _feed_forward(config: ModelConfig) -> FeedForward | GatedFeedForward:
    if config.activation == "swiglu":
        return GatedFeedForward(config.d_model, config.d_ff, dropout=config.feed_forward_dropout)
    return FeedForward(config.d_model, config.d_ff, activation=config.activation, dropout=config.feed_forward_dropout)


def _add_norm(config: ModelConfig) -> AddNorm:
    order = PreNorm if config.norm_order == "pre" else PostNorm
    return order(config.d_model, dropout=config.dropout, epsilon=config.norm_epsilon)


def _final_norm(config: ModelConfig) -> nn.LayerNorm | None:
    return nn.LayerNorm(config.d_model, eps=config.norm_epsilon) if config.norm_order == "pre" else None
