"""A whole model as a value, whatever folder it came from."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config
from ferryman.errors import ConversionError
from ferryman.text import SentencePieceTokenizer


@dataclass(frozen=True)
class StoredModel:
    """Weights by our names, with the settings and tokenizers that belong to them."""

    weights: Mapping[str, Tensor]
    config: Config
    tokenizers: Tokenizers


def sentencepiece_sides(model: StoredModel, what: str) -> tuple[SentencePieceTokenizer, SentencePieceTokenizer]:
    """Return the tokenizers of source and target, which ``what`` is to be made of.

    Raises:
        ConversionError: they are not of SentencePiece.

    """
    source, target = model.tokenizers.source, model.tokenizers.target
    if isinstance(source, SentencePieceTokenizer) and isinstance(target, SentencePieceTokenizer):
        return source, target
    raise ConversionError(
        f"{what} holds SentencePiece models, and this model's tokens are words; write it for ctranslate2 or onnx"
    )
