"""Where a run is, as one value that is saved with the weights: all that the rest of it depends on besides them."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from ferryman.data.sampler import Position


@dataclass
class Window:
    """Sums over the steps since the last ``Logged``."""

    loss: float = 0.0
    nll: float = 0.0
    target_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Mark:
    """A moment of a run, as its budget measures it."""

    step: int = 0
    position: Position = field(default_factory=Position)
    seconds: float = 0.0


@dataclass
class Progress:
    """Where a run is. Everything here is saved with the weights."""

    step: int = 0
    position: Position = field(default_factory=Position)
    seconds: float = 0.0  # used by the whole run, from the first process's start
    validation_seconds: float = 0.0  # of the longest validation so far
    validations: int = 0
    validated: Mark = field(default_factory=lambda: Mark(step=-1))  # the latest one
    best_score: float | None = None
    best_loss: float = math.inf  # decides between equal scores
    best_step: int = 0
    without_improvement: int = 0  # validations in a row
    skipped_steps: int = 0
    skipped_in_a_row: int = 0
    splits: int = 0
    window: Window = field(default_factory=Window)
    step_batches: int = 0  # batches that a step takes, of all workers; 0 before the first
    completed: bool = False  # ended by its budget or patience, with all that comes after the last step

    @property
    def mark(self) -> Mark:
        """What the budget looks at."""
        return Mark(self.step, self.position, self.seconds)


def progress_to_json(progress: Progress) -> dict[str, Any]:
    """Turn progress into JSON values; floats survive exactly."""
    return asdict(progress)


def progress_from_json(values: dict[str, Any]) -> Progress:
    """Do the reverse of ``progress_to_json``."""
    validated = values["validated"]
    nested = {
        "position": Position(**values["position"]),
        "validated": Mark(**{**validated, "position": Position(**validated["position"])}),
        "window": Window(**values["window"]),
    }
    return Progress(**{**values, **nested})
