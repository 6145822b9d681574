"""All that a search knows of a model: the stepper protocol."""

from typing import Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

from ferryman.errors import ConfigError, TranslationError


@runtime_checkable  # so that shape checks can look at arguments
class Stepper(Protocol):
    """Run a decoder one token at a time over ``batch * beam`` rows, the rows of a sentence side by side.

    A search calls ``start`` once, then ``step`` until every sentence is done. Between two steps it may call ``keep``
    and then ``reorder``, each at most once.
    """

    def start(self, beam: int) -> int:
        """Prepare ``beam`` rows for every sentence and return the number of sentences."""
        ...

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row and return the log-probabilities (natural) of the next.

        They must be at most 0. The tensor belongs to the caller, who may write into it.
        """
        ...

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``, which is a row of the same sentence."""
        ...

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone, in this order: each is its present place in the batch."""
        ...


def start(stepper: Stepper, beam: int, max_lengths: Int[Tensor, "batch"]) -> int:
    """Start a stepper, after checking the bounds of the search, and return the number of sentences.

    Raises ``ConfigError`` if the beam or a maximum length is less than 1, and ``TranslationError`` if the number of
    maximum lengths is not the stepper's number of sentences.
    """
    if beam < 1:
        raise ConfigError(f"The beam is {beam}; it must be at least 1.")
    if (max_lengths < 1).any():
        raise ConfigError(
            f"A maximum length is {int(max_lengths.min())} tokens; it must be at least 1 (the end symbol)."
        )
    batch = stepper.start(beam)
    if batch != len(max_lengths):
        raise TranslationError(
            f"The stepper holds {batch} sentences, but {len(max_lengths)} maximum lengths were given."
        )
    return batch
