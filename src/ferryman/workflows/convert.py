"""From one toolkit's model to another's, with a check that both translate alike."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ferryman.checkpoint import save_model
from ferryman.config_file import change_config
from ferryman.errors import ConfigError, ConversionError
from ferryman.interop import argos, ctranslate2, onnx_peer
from ferryman.interop.agreement import Agreement, Peer, compare, read_back
from ferryman.interop.argos import SUFFIX, write_argos
from ferryman.interop.ctranslate2 import Quantization, write_ctranslate2
from ferryman.interop.formats import find_format, read_stored
from ferryman.interop.huggingface import peer as huggingface_peer
from ferryman.interop.huggingface.writing import write_huggingface
from ferryman.interop.onnx import write_onnx
from ferryman.interop.stored_model import StoredModel
from ferryman.workflows.card import model_card
from ferryman.workflows.origin import origin_of

Target = Literal["ferryman", "huggingface", "ctranslate2", "argos", "onnx"]
LEAST, LEAST_QUANTISED = 0.9, 0.7  # of the translations that must be the same, not to be told as a failure


@dataclass(frozen=True)
class Conversion:
    """What was written, and whether it translates as its source does."""

    source: Path
    destination: Path
    format: Target
    agreement: Agreement | None
    """None where the other toolkit is not installed and the format is only written."""
    least: float = LEAST
    """Share of the translations that must be the same."""

    @property
    def is_good(self) -> bool:
        """Whether nothing speaks against the conversion."""
        found = self.agreement
        return found is None or found.equal >= self.least * found.sentences

    def to_json(self) -> dict[str, Any]:
        """Give it as a value that ``json`` can write."""
        found = self.agreement and self.agreement.to_json()
        return {
            "source": str(self.source),
            "destination": str(self.destination),
            "format": self.format,
            "agreement": found,
        }


def convert(
    source: str | Path,
    destination: str | Path,
    to: Target,
    overrides: Sequence[str] = (),
    *,
    texts: Sequence[str] | None = None,
    quantization: Quantization = "float32",
) -> Conversion:
    """Convert a model, and compare what both sides say to sample sentences.

    The other side is the other toolkit, if it is installed; else what was written, read back, if it can be.

    Args:
        source: folder of a model, ours or one that ``load`` reads.
        destination: where to write; nothing may be there yet.
        to: the format to write.
        overrides: settings to change on the way, as ``section.key=value``.
        quantization: numbers of a CTranslate2 model or Argos package.
        texts: sample sentences; unset: of the phrasebook, or made of the model's vocabulary.

    Raises:
        CheckpointError: the source is no model, or a damaged one.
        ConversionError: the source is another toolkit's and cannot be read, or the format has no such model.
        ConfigError: there is something at the destination; or a setting is wrong.

    """
    source, destination = Path(source), Path(destination)
    if to not in get_args(Target):
        raise ConfigError(f"no format {to!r}; there are: {', '.join(get_args(Target))}")
    if to == "argos" and destination.suffix != SUFFIX:
        raise ConfigError(f"{destination}: a package's name ends in {SUFFIX}")
    if quantization != "float32" and to not in ("ctranslate2", "argos"):
        raise ConfigError(f"only ctranslate2 and argos have other numbers than float32; {to} has no {quantization}")
    model = read_stored(source)
    model = replace(model, config=change_config(model.config, overrides))
    card = model_card(model.config, {}, origin=origin_of(source))
    with _making(destination) as unfinished:
        _write(model, unfinished, to, quantization, card)
    found = _peer(source if to == "ferryman" else destination, model)
    if found is None and to in ("ferryman", "huggingface"):
        found = read_back(read_stored(destination))
    agreement = None if found is None else compare(model, *found, texts)
    return Conversion(source, destination, to, agreement, LEAST if quantization == "float32" else LEAST_QUANTISED)


def _write(model: StoredModel, path: Path, to: Target, quantization: Quantization, card: str) -> None:
    if to == "argos":
        write_argos(model, path, quantization)
        return
    path.mkdir()
    match to:
        case "ferryman":
            save_model(path, model.weights, model.config, model.tokenizers, card)
        case "huggingface":
            write_huggingface(model, path)
        case "ctranslate2":
            write_ctranslate2(model, path, quantization)
        case "onnx":
            write_onnx(model, path)


def _peer(path: Path, model: StoredModel) -> tuple[Peer, str] | None:
    """Open a converted model, or what a model of ours was converted from, with its own toolkit, if that is here."""
    match find_format(path):
        case "huggingface" if huggingface_peer.is_installed():
            return huggingface_peer.open_peer(path)
        case "ctranslate2":
            return ctranslate2.open_peer(path, model)
        case "argos":
            return argos.open_peer(path)
        case "onnx" if onnx_peer.is_installed():
            return onnx_peer.open_peer(path, model)
    return None


@contextmanager
def _making(destination: Path) -> Iterator[Path]:
    """Give a path beside the destination to write to, which takes its place when the block succeeds.

    Raises:
        ConfigError: something is there.

    """
    if destination.exists() and not (destination.is_dir() and not any(destination.iterdir())):
        raise ConfigError(f"{destination} is there already; choose another destination, or delete it")
    destination.parent.mkdir(parents=True, exist_ok=True)
    unfinished = destination.with_name(f".{destination.name}.{os.getpid()}.unfinished")
    try:
        yield unfinished
        unfinished.replace(destination)
    except OSError as error:
        raise ConversionError(f"{destination}: cannot write it: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.unlink(missing_ok=True)
