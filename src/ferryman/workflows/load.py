"""From a folder to a translator."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.checkpoint import Tokenizers, assemble, load_model
from ferryman.config import Config
from ferryman.config_file import change_config
from ferryman.engines.devices import choose_device, keep_memory, set_threads
from ferryman.errors import ConfigError, TranslationError
from ferryman.interop.formats import find_format, read_stored
from ferryman.model.transformer import Transformer
from ferryman.text.directions import find_target
from ferryman.translator import Translator


def load(
    folder: str | Path | Sequence[str | Path], overrides: Sequence[str] = (), *, to: str | None = None
) -> Translator:
    """Load a trained model, or several that translate together: the probabilities they give are averaged.

    With ``decoding.threads`` PyTorch's number of threads is set, which is the whole process's; with 0, the default, it
    is left as it is.

    Args:
        folder: a model folder, such as a run's, or a model of another toolkit that can be read (``ferryman.interop``);
            or several, of any sizes, with the same tokenizers. How to search is the first one's.
        overrides: ``decoding.key=value`` texts, such as ``decoding.beam=1``; and ``documents.key=value``.
        to: language to translate into where a call names none; for a model of several.

    Raises:
        CheckpointError: the folder is no model, or a damaged one.
        ConfigError: an override is no setting of ``decoding`` or ``documents``; or the models have different
            vocabularies.
        TranslationError: the model does not translate into ``to``.

    """
    folders = [Path(name) for name in ([folder] if isinstance(folder, str | Path) else folder)]
    if not folders:
        raise CheckpointError("no model is named; give the folder of a trained model, such as runs/demo")
    folder, *others = folders
    for override in overrides:
        if not override.startswith(("decoding.", "documents.")):
            raise ConfigError(f"{override}: of a trained model only decoding.* can be set, and documents.*")
    model, config, tokenizers = read_model(folder)
    config = change_config(config, overrides)
    if config.decoding.threads:
        set_threads(config.decoding.threads)
    if to is not None:
        find_target(config.data, to)
    device = choose_device(config.decoding.device)
    partners = [_partner(other, folder, config, tokenizers).to(device) for other in others]
    return Translator(model.to(device), config, tokenizers, to=to, partners=partners)


def read_model(folder: Path) -> tuple[Transformer, Config, Tokenizers]:
    """Read a model of ours, or of a format that can be read, ready to translate; raises what ``read_stored`` does."""
    if find_format(folder) == "ferryman":
        return load_model(folder)  # without a copy of its weights
    stored = read_stored(folder)
    return assemble(stored.weights, stored.config, stored.tokenizers, folder), stored.config, stored.tokenizers


def _partner(folder: Path, first: Path, config: Config, tokenizers: Tokenizers) -> Transformer:
    """Read a model that is to translate together with the first."""
    model, other, its_own = read_model(folder)
    if its_own.fingerprint != tokenizers.fingerprint or other.tokenizer.normal_form != config.tokenizer.normal_form:
        raise ConfigError(
            f"{folder} and {first} have different tokenizers, so they cannot translate together; train one with "
            "training.start_from of the other, or on the same prepared corpus"
        )
    if other.model.start_symbol != config.model.start_symbol:
        raise ConfigError(
            f"{folder} begins with the symbol {other.model.start_symbol} and {first} with {config.model.start_symbol}, "
            "so they cannot translate together"
        )
    if other.model.source_end != config.model.source_end:
        raise ConfigError(
            f"model.source_end is {other.model.source_end} in {folder} and {config.model.source_end} in {first}, so "
            "they cannot translate together"
        )
    return model


def load_ready(folder: Path, overrides: Sequence[str], *, to: str | None, partners: Sequence[Path] = ()) -> Translator:
    """Load a model, alone or with partners, to translate into one language; a wrong language or tag is told at once.

    The process keeps the memory that it frees: every step of a search asks for the same again.

    Raises:
        CheckpointError: see ``load``.
        ConfigError: see ``load``; or the model does not translate into ``to``, or has no tag ``decoding.tag``.

    """
    keep_memory()
    try:
        translator = load([folder, *partners], overrides, to=to)
        translator.prefix()
    except TranslationError as error:
        raise ConfigError(f"{folder}: {error}") from error
    return translator
