"""How good a model of several directions is while it is in training: figures of each, and their mean."""

import math
from collections.abc import Mapping, Sequence

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config
from ferryman.corpus import Pair
from ferryman.model.transformer import Transformer
from ferryman.text.directions import Direction
from ferryman.workflows.validation import Validation

MEANS = ("loss", "bleu", "chrf")


class Validations:
    """One validation a direction; by the mean over all directions the best checkpoint is chosen."""

    def __init__(self, pairs: Mapping[Direction, Sequence[Pair]], config: Config, tokenizers: Tokenizers) -> None:
        """Set up; directions without pairs do not count."""
        self.of = {
            direction: Validation(of_it, config, tokenizers, to=direction.target)
            for direction, of_it in pairs.items()
            if of_it
        }

    @property
    def about(self) -> str:
        """Say what the scores are measured on; see ``Validation.about``."""
        return "; ".join(f"{direction}: {one.about}" for direction, one in self.of.items())

    @property
    def signatures(self) -> dict[str, str]:
        """Give the scores' signatures, once there are any: one of all directions, or those of each."""
        found: dict[str, dict[str, str]] = {}
        for direction, validation in self.of.items():
            for name, signature in validation.signatures.items():
                found.setdefault(name, {})[str(direction)] = signature
        return {name: _together(signatures) for name, signatures in found.items()}

    def __call__(self, model: Transformer) -> dict[str, float]:
        """Return the means ``loss``, ``perplexity`` (of the mean loss), ``bleu`` and ``chrf``; and of each direction.

        Those are called ``bleu/en-de`` and the like.
        """
        by_direction = {direction.name: validation(model) for direction, validation in self.of.items()}
        means: dict[str, float] = {}
        for name in MEANS:
            values = [figures[name] for figures in by_direction.values() if name in figures]
            if values and len(values) == len(by_direction):  # one that diverged has no scores, so there is no mean
                means[name] = sum(values) / len(values)
        if "loss" in means:
            means["perplexity"] = math.exp(min(means["loss"], 700.0))
        return means | {
            f"{name}/{direction}": figures[name]
            for name in MEANS
            for direction, figures in by_direction.items()
            if name in figures
        }


RunValidation = Validation | Validations


def validation_of(pairs: Mapping[Direction, Sequence[Pair]], config: Config, tokenizers: Tokenizers) -> RunValidation:
    """Make the validation of a run, of one direction or several.

    What is only of corpora of weight 0 is not learned, so it does not count: the best model would be chosen by chance.
    """
    trained = {Direction.of(corpus) for corpus in config.data.every_corpus.values() if corpus.weight}
    counting = {direction: of_it for direction, of_it in pairs.items() if direction in trained}
    if len(counting) > 1:
        return Validations(counting, config, tokenizers)
    ((direction, of_it),) = counting.items()
    return Validation(of_it, config, tokenizers, to=direction.target or None)


def _together(signatures: Mapping[str, str]) -> str:
    different = list(dict.fromkeys(signatures.values()))
    return (
        different[0]
        if len(different) == 1
        else ", ".join(f"{direction} {signature}" for direction, signature in signatures.items())
    )
