"""A whole model as a value, whatever folder it came from."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config


@dataclass(frozen=True)
class StoredModel:
    """Weights by our names, with the settings and tokenizers that belong to them."""

    weights: Mapping[str, Tensor]
    config: Config
    tokenizers: Tokenizers
