"""Which format a model is in, told by the files in its folder."""

import json
from pathlib import Path
from typing import Literal

from ferryman.checkpoint import CONFIG, load_model, weights_of
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.huggingface.card import card_facts
from ferryman.interop.huggingface.reading import read_huggingface
from ferryman.interop.huggingface.settings import CONFIG as SETTINGS
from ferryman.interop.huggingface.settings import Settings
from ferryman.interop.joeynmt.reading import about_joeynmt, is_joeynmt, read_joeynmt
from ferryman.interop.stored_model import StoredModel

Format = Literal["ferryman", "huggingface", "joeynmt", "ctranslate2", "argos", "onnx"]
_CTRANSLATE2 = "model.bin"


def find_format(path: Path) -> Format | None:
    """Tell the format of a model; None if there is no known one."""
    if is_joeynmt(path):
        return "joeynmt"
    if path.is_file():
        return "argos" if path.suffix == ".argosmodel" else None
    if (path / CONFIG).is_file():
        return "ferryman"
    if (path / _CTRANSLATE2).is_file():
        return "ctranslate2"
    if (path / "encoder.onnx").is_file():
        return "onnx"
    return "huggingface" if _has_model_type(path / SETTINGS) else None


def about_format(folder: Path) -> dict[str, str]:
    """Say which format a model is in, of those that can be read, and its licence if its card names one."""
    match find_format(folder):
        case "joeynmt":
            return about_joeynmt(folder)
        case "huggingface":
            card = {name: value for name, value in card_facts(folder).items() if name == "licence"}
            return {"format": f"Hugging Face, {Settings.read(folder).model_type}", **card}
    return {}


def read_stored(folder: Path) -> StoredModel:
    """Read a model of ours, or of a format that can be read.

    Raises:
        CheckpointError: the folder is none, or a damaged one of ours.
        ConversionError: it is another toolkit's, in a format that is only written, damaged, or of a kind that ours
            cannot be.

    """
    match find_format(folder):
        case "huggingface":
            return read_huggingface(folder)
        case "joeynmt":
            return read_joeynmt(folder)
        case "ctranslate2" | "argos" | "onnx" as other:
            raise ConversionError(
                f"{folder}: a model in the format {other}, which is only written; convert what it was made from"
            )
    if not folder.is_dir():
        found = "this is a file, not a folder" if folder.exists() else "no such folder"
        raise CheckpointError(f"{folder}: {found}; give the folder of a trained model, such as runs/demo")
    model, config, tokenizers = load_model(folder)
    return StoredModel(weights_of(model), config, tokenizers)


def _has_model_type(path: Path) -> bool:
    """Tell whether this is Hugging Face's file; a damaged one is, so that what is wrong with it will be told."""
    try:
        return "model_type" in json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return False
    except (ValueError, RecursionError, TypeError):
        return True
