"""How much a model may change in eight bits."""

import math
from dataclasses import dataclass

from ferryman.errors import ConfigError


@dataclass(frozen=True)
class Gate:
    """What the translations of a changed model are held to; raises ``ConfigError`` where that is no number."""

    min_agreement: float = 90.0
    """Least chrF against the translations in float32."""
    max_loss: float = 0.5
    """Most BLEU that may be lost, where there are references."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if math.isnan(value):
                raise ConfigError(f"{name}: expected a number, found {value}, which nothing can be compared with")

    def passes(self, agreement: float, loss: float) -> bool:
        """Tell whether a model that agrees so far, and loses so much, may be used."""
        return agreement >= self.min_agreement and loss <= self.max_loss


USUAL = Gate()
