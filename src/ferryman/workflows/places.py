"""Where a model may be written: nowhere that the files of somebody else, or another model, would be lost."""

from collections.abc import Iterable
from pathlib import Path

from ferryman.checkpoint import CARD, CONFIG, WEIGHTS
from ferryman.errors import ConfigError

_TOKENIZERS = ("tokenizer", "source", "target")
MODEL_FILES = (CONFIG, CARD, WEIGHTS, *(f"{name}{end}" for name in _TOKENIZERS for end in (".model", ".ids.json")))
"""What is written into a model folder."""


def standing(folder: Path, names: Iterable[str] = MODEL_FILES) -> list[str]:
    """List those of the names that are taken in a folder."""
    return [name for name in names if (folder / name).exists()]


def check_new_model(folder: Path) -> None:
    """Refuse a folder in which a new model would take the place of something.

    Raises:
        ConfigError: says what is in it.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file, and a model needs a folder; choose another --output")
    if (folder / WEIGHTS).exists():
        raise ConfigError(f"{folder} already holds a model; choose another --output, or delete it")
    if any(folder.glob("step-*.safetensors")):
        raise ConfigError(f"{folder} holds the checkpoints of a training run; choose another --output")
    if taken := standing(folder):
        raise ConfigError(f"{folder} holds {' and '.join(taken)}, which would be replaced; choose another --output")
