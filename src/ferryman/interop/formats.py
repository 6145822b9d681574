"""Which format a model is in, told by its files."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from ferryman.checkpoint import CONFIG, load_model, weights_of
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.fairseq.files import is_fairseq
from ferryman.interop.fairseq.reading import read_fairseq
from ferryman.interop.huggingface.card import card_facts
from ferryman.interop.huggingface.reading import read_huggingface
from ferryman.interop.huggingface.settings import CONFIG as SETTINGS
from ferryman.interop.huggingface.settings import Settings
from ferryman.interop.joeynmt.reading import about_joeynmt, is_joeynmt, read_joeynmt
from ferryman.interop.opennmt.reading import is_eole, is_opennmt, read_eole, read_opennmt
from ferryman.interop.stored_model import StoredModel

Format = Literal["ferryman", "huggingface", "fairseq", "joeynmt", "opennmt", "eole", "ctranslate2", "argos", "onnx"]
READERS: Mapping[Format, Callable[[Path], StoredModel]] = {
    "huggingface": read_huggingface,
    "fairseq": read_fairseq,
    "joeynmt": read_joeynmt,
    "opennmt": read_opennmt,
    "eole": read_eole,
}
_NAMES: Mapping[Format, str] = {"fairseq": "fairseq", "opennmt": "OpenNMT-py", "eole": "Eole"}
_CTRANSLATE2 = "model.bin"
_CHECKPOINTS = {
    ".pt": "no checkpoint of fairseq or OpenNMT-py, or a damaged one",
    ".ckpt": "a checkpoint of Joey NMT is read with the config.yaml of its run, which is not beside it",
}


def find_format(path: Path) -> Format | None:
    """Tell the format of a model; None if there is no known one."""
    if is_joeynmt(path):
        return "joeynmt"
    tests = _OF_FILES if path.is_file() else _OF_FOLDERS
    return next((name for name, holds in tests.items() if holds(path)), None)


def about_format(path: Path) -> dict[str, str]:
    """Say which format a model is in, of those that can be read, and its licence if its card names one."""
    found = find_format(path)
    if found == "joeynmt":
        return about_joeynmt(path)
    if found == "huggingface":
        card = {name: value for name, value in card_facts(path).items() if name == "licence"}
        return {"format": f"Hugging Face, {Settings.read(path).model_type}", **card}
    return {"format": _NAMES[found]} if found and found in _NAMES else {}


def read_stored(path: Path) -> StoredModel:
    """Read a model of ours, or of a format that can be read.

    Raises:
        CheckpointError: there is none, or a damaged one of ours.
        ConversionError: it is another toolkit's, in a format that is only written, damaged, or of a kind that ours
            cannot be.

    """
    found = find_format(path)
    if found and found in READERS:
        return READERS[found](path)
    if found and found != "ferryman":
        raise ConversionError(
            f"{path}: a model in the format {found}, which is only written; convert what it was made from"
        )
    if not path.is_dir():
        raise CheckpointError(f"{path}: {_why_none(path)}")
    if not found and (checkpoint := next(filter(is_opennmt, sorted(path.glob("*.pt"))), None)):
        raise CheckpointError(f"{path}: checkpoints of OpenNMT-py are given by their names, such as {checkpoint}")
    model, config, tokenizers = load_model(path)
    return StoredModel(weights_of(model), config, tokenizers)


def _why_none(path: Path) -> str:
    """Say why there is no model in something that is no folder."""
    if path.suffix in _CHECKPOINTS and path.exists():
        return _CHECKPOINTS[path.suffix]
    kind = "this is a file, not a folder" if path.exists() else "no such folder"
    return f"{kind}; give the folder of a trained model, such as runs/demo"


def _has_model_type(path: Path) -> bool:
    """Tell whether this is Hugging Face's file; a damaged one is, so that what is wrong with it will be told."""
    try:
        return "model_type" in json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return False
    except (ValueError, RecursionError, TypeError):
        return True


_OF_FILES: Mapping[Format, Callable[[Path], bool]] = {
    "argos": lambda path: path.suffix == ".argosmodel",
    "opennmt": is_opennmt,
    "fairseq": is_fairseq,
}
_OF_FOLDERS: Mapping[Format, Callable[[Path], bool]] = {
    "ferryman": lambda path: (path / CONFIG).is_file(),
    "ctranslate2": lambda path: (path / _CTRANSLATE2).is_file(),
    "onnx": lambda path: (path / "encoder.onnx").is_file(),
    "eole": is_eole,
    "huggingface": lambda path: _has_model_type(path / SETTINGS),
    "fairseq": is_fairseq,
}
