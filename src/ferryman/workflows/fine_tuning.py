"""Starting from a trained model: its tokenizer is the new run's too, and so is its shape unless told otherwise."""

import json
from pathlib import Path

from ferryman.checkpoint import CONFIG, WEIGHTS
from ferryman.config import Config
from ferryman.config_file import load_config, parse_config
from ferryman.errors import CheckpointError


def start_config(folder: Path) -> Config:
    """Read the configuration of the model folder ``training.start_from``.

    Raises:
        CheckpointError: it is none.
    """
    missing = [name for name in (CONFIG, WEIGHTS) if not (folder / name).is_file()]
    if missing:
        raise CheckpointError(f"training.start_from: {folder} is no model folder, there is no {missing[0]} in it")
    return load_config(folder / CONFIG)


def inherited_settings(folder: Path) -> list[str]:
    """Name a model's shape and tokenizer as settings, for a run that starts from it and says nothing else."""
    start = start_config(folder).model_dump(mode="json", include={"model", "tokenizer"})
    return [f"{section}.{key}={json.dumps(value)}" for section, keys in start.items() for key, value in keys.items()]


def with_tokenizer_of(config: Config) -> Config:
    """Say in a configuration what is so: a run that starts from a model has that model's tokenizer.

    Raises:
        CheckpointError: ``training.start_from`` is no model folder.
        ConfigError: the configuration's own network cannot have that tokenizer.
    """
    start = config.training.start_from
    if start is None:
        return config
    tree = config.model_dump(mode="json") | {"tokenizer": start_config(start).tokenizer.model_dump(mode="json")}
    return parse_config(tree, f"with training.start_from={start} comes that model's tokenizer, which does not fit")
