"""From a folder to a translator."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.checkpoint import CONFIG, load_model
from ferryman.config_file import load_config
from ferryman.engines.devices import choose_device, keep_memory, set_threads
from ferryman.errors import CheckpointError, ConfigError, TranslationError
from ferryman.text.directions import find_target
from ferryman.translator import Translator


def load(folder: str | Path, overrides: Sequence[str] = (), *, to: str | None = None) -> Translator:
    """Load a trained model.

    With ``decoding.threads`` PyTorch's number of threads is set, which is the whole process's; with 0, the default, it
    is left as it is.

    Args:
        folder: a model folder, such as a run's.
        overrides: ``decoding.key=value`` texts, such as ``decoding.beam=1``.
        to: language to translate into where a call names none; for a model of several.

    Raises:
        CheckpointError: the folder is no model, or a damaged one.
        ConfigError: an override is not a setting of ``decoding``.
        TranslationError: the model does not translate into ``to``.

    """
    folder = Path(folder)
    for override in overrides:
        if not override.startswith("decoding."):
            raise ConfigError(f"{override}: of a trained model only decoding.* can be set")
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder; give the folder of a trained model, such as runs/demo")
    model, config, tokenizers = load_model(folder)
    if overrides:
        config = load_config(folder / CONFIG, overrides)
    if config.decoding.threads:
        set_threads(config.decoding.threads)
    if to is not None:
        find_target(config.data, to)
    return Translator(model.to(choose_device(config.decoding.device)), config, tokenizers, to=to)


def load_ready(folder: Path, overrides: Sequence[str], *, to: str | None) -> Translator:
    """Load a model to translate into one language with it; what is wrong with language or tag is told at once.

    The process keeps the memory that it frees: every step of a search asks for the same again.

    Raises:
        CheckpointError: see ``load``.
        ConfigError: see ``load``; or the model does not translate into ``to``, or has no tag ``decoding.tag``.

    """
    keep_memory()
    try:
        translator = load(folder, overrides, to=to)
        translator.prefix()
    except TranslationError as error:
        raise ConfigError(f"{folder}: {error}") from error
    return translator
