"""TensorBoard events of a run (extra ``tensorboard``): the figures of ``metrics.jsonl`` as curves."""

import importlib.util
from pathlib import Path
from types import TracebackType
from typing import Self

from ferryman.errors import ConfigError
from ferryman.training.events import Event, Logged, Validated

FIGURES = ("loss", "nll", "learning_rate", "gradient_norm", "tokens_per_second")


def check_tensorboard() -> None:
    """Check that TensorBoard is installed.

    Raises:
        ConfigError: it is not; says how to get it.
    """
    if importlib.util.find_spec("tensorboard") is None:
        raise ConfigError(
            "training.tensorboard: TensorBoard is not installed; install it with pip install 'ferryman[tensorboard]', "
            "or leave the setting out (metrics.jsonl holds the same figures)"
        )


class TensorBoard:
    """Writes events as scalars by step; a run that goes on hides what came after its saved state."""

    def __init__(self, folder: Path, *, step: int) -> None:
        """Open the folder and hide what was written after ``step``."""
        from torch.utils.tensorboard import SummaryWriter  # imports slowly, so only where it is wanted

        self.writer = SummaryWriter(str(folder), purge_step=step + 1)

    def write(self, event: Event) -> None:
        """Write an event of the kinds that have figures; others are passed over."""
        match event:
            case Logged():
                for name in FIGURES:
                    self._add(f"train/{name}", getattr(event, name), event.step)
            case Validated():
                for name, value in event.figures.items():
                    self._add(f"validation/{name}", value, event.step)

    def _add(self, name: str, value: float, step: int) -> None:
        self.writer.add_scalar(name, value, step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.close()
