"""Starting from a trained model: its tokenizer is the new run's too, and so is its shape unless told otherwise."""

import json
from pathlib import Path

from ferryman.checkpoint import CONFIG, WEIGHTS, load_weights, read_weights
from ferryman.config import Config
from ferryman.config_file import Tree, load_config, parse_config
from ferryman.errors import CheckpointError, ConfigError
from ferryman.model.transformer import Transformer
from ferryman.workflows.changes import FREE


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
        ConfigError: the configuration's own network cannot have that tokenizer, or another is asked for; or the network
            is not that model's.
    """
    start = config.training.start_from
    if start is None:
        return config
    trained = start_config(start).model_dump(mode="json")
    asked = config.model_dump(mode="json")
    set_ones = config.tokenizer.model_fields_set
    _check_same("tokenizer", {key: asked["tokenizer"][key] for key in set_ones}, trained["tokenizer"], start)
    tree = asked | {"tokenizer": trained["tokenizer"]}
    fitting = parse_config(tree, f"with training.start_from={start} comes that model's tokenizer, which does not fit")
    _check_same("model", {key: asked["model"][key] for key in _shape(config)}, trained["model"], start)
    return fitting


def _shape(config: Config) -> list[str]:
    """Name the settings of a model that its weights depend on."""
    unused = {"max_positions"} if config.model.positions == "sinusoidal" else set()
    return [key for key in type(config.model).model_fields if f"model.{key}" not in FREE and key not in unused]


def _check_same(section: str, asked: Tree, trained: Tree, start: Path) -> None:
    """Refuse settings that the model to start from decides, and has decided otherwise."""
    others = [key for key in trained if key in asked and asked[key] != trained[key]]
    if others:
        found = ", ".join(f"{key} {_shown(trained[key])} and not {_shown(asked[key])}" for key in others)
        right = " ".join(f"{section}.{key}={_shown(trained[key])}" for key in others)
        raise ConfigError(
            f"training.start_from: the {section} of {start} is taken as it is, and it has {found}; leave that out, or "
            f"set {right}"
        )


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def load_start(model: Transformer, folder: Path) -> None:
    """Put the weights of ``training.start_from`` into a model.

    Raises:
        CheckpointError: they are damaged or of another shape, or hold numbers that are not finite.
    """
    path = folder / WEIGHTS
    weights = read_weights(path)
    bad = next((name for name, weight in weights.items() if not weight.isfinite().all()), None)
    if bad:
        raise CheckpointError(
            f"training.start_from: {path}: {bad} holds numbers that are not finite, so its training went wrong; "
            "choose another model"
        )
    load_weights(model, weights, path)
