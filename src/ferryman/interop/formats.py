"""Which format a model is in, told by the files in its folder."""

import json
import re
from pathlib import Path
from typing import Literal

from ferryman.checkpoint import CONFIG, load_model, weights_of
from ferryman.errors import CheckpointError, ConversionError
from ferryman.interop.huggingface.reading import read_huggingface
from ferryman.interop.huggingface.settings import CONFIG as SETTINGS
from ferryman.interop.huggingface.settings import Settings
from ferryman.interop.opennmt.reading import is_eole, is_opennmt, read_eole, read_opennmt
from ferryman.interop.stored_model import StoredModel

Format = Literal["ferryman", "huggingface", "ctranslate2", "argos", "onnx", "opennmt", "eole"]
_LICENCE = re.compile(r"^license: *[\"']?([^\s\"']+)", re.MULTILINE)
_CTRANSLATE2 = "model.bin"


def find_format(path: Path) -> Format | None:
    """Tell the format of a model; None if there is no known one."""
    if path.is_file():
        return "argos" if path.suffix == ".argosmodel" else "opennmt" if is_opennmt(path) else None
    if (path / CONFIG).is_file():
        return "ferryman"
    if (path / _CTRANSLATE2).is_file():
        return "ctranslate2"
    if (path / "encoder.onnx").is_file():
        return "onnx"
    if is_eole(path):
        return "eole"
    return "huggingface" if _has_model_type(path / SETTINGS) else None


def about_format(folder: Path) -> dict[str, str]:
    """Say which format a model is in, of those that can be read, and its licence if its card names one."""
    match find_format(folder):
        case "ferryman":
            return {}
        case "opennmt":
            return {"format": "OpenNMT-py"}
        case "eole":
            return {"format": "Eole"}
    facts = {"format": f"Hugging Face, {Settings.read(folder).model_type}"}
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return facts
    licence = _LICENCE.search(card.split("\n---", 2)[0])  # between the first two lines of dashes
    return facts | ({"licence": licence[1]} if licence else {})


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
        case "opennmt":
            return read_opennmt(folder)
        case "eole":
            return read_eole(folder)
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
