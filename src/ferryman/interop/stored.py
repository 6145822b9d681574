"""Reading what other toolkits stored, and never running it."""

import json
import pickletools
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import IO, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from ferryman.errors import ConversionError

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
_LEGACY_PICKLES = 4  # of PyTorch before 1.6: three about the file, then that of the object
_BEGINNINGS = (b"PK", *(b"\x80" + bytes([protocol]) for protocol in range(2, 6)))  # of PyTorch's files
_REFUSED = re.compile(r"(Trying to load u|U)nsupported .+?(?= Please use|\n|$)")  # PyTorch's reason


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        ConversionError: the file is missing or holds something else.

    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ConversionError(f"{path}: expected an object in braces, found a {type(value).__name__}")
    return value


def read_json_if_there(path: Path) -> dict[str, Any]:
    """Read a JSON object; of a missing file, nothing."""
    return read_json(path) if path.exists() else {}


def read_pickle(path: Path, allowed: Sequence[type | tuple[type, str]] = ()) -> Any:
    """Read a PyTorch file of plain data; whatever would run code is refused before it runs.

    Args:
        path: the file.
        allowed: classes of plain data that may occur in it besides tensors, numbers, texts and their collections; or
            one and the full name of that for which it stands.

    Raises:
        ConversionError: it holds something else, is damaged or no PyTorch file.

    """
    try:
        with torch.serialization.safe_globals(list(allowed)), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the pickle's version
            return torch.load(path, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        if _begins_as_one(path) and (refused := _REFUSED.search(str(error))):
            raise ConversionError(
                f"{path}: it holds more than weights, and to read that would run code ({refused[0]}); it is refused, "
                "and nothing was run"
            ) from error
        raise ConversionError(f"{path}: not a PyTorch file, or a damaged one") from error
    except (OSError, RuntimeError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ConversionError(f"{path}: not a PyTorch file, or a damaged one{_reason(path, error)}") from error


def _begins_as_one(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) in _BEGINNINGS


def pickle_operations(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the operations in a PyTorch file, their names and arguments, without doing any.

    Of a damaged file come those before the damage; of another file, none.
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
                with archive.open(name) as pickled:
                    yield from _operations(pickled)
        else:
            with path.open("rb") as file:
                for _ in range(_LEGACY_PICKLES):
                    yield from _operations(file)
    except (OSError, ValueError, StopIteration, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        return


def read_tensors(folder: Path) -> tuple[dict[str, Tensor], Path]:
    """Read the weights of a folder, in one file or several; return them and the name of the file for messages.

    Raises:
        ConversionError: there are none, or they cannot be read.

    """
    path = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
    if path is None:
        raise ConversionError(f"{folder}: no weights in it; expected one of {', '.join(WEIGHTS)}")
    if path.suffix != ".json":
        return read_tensor_file(path), path
    names = read_json(path).get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise ConversionError(f"{path}: no weight_map in it, which says which file holds what")
    weights: dict[str, Tensor] = {}
    for name in sorted(set(names.values())):
        if Path(name).name != name or name in ("", ".."):
            raise ConversionError(f"{path}: names the file {name!r} outside of its folder")
        weights |= read_tensor_file(folder / name)
    return weights, path


def read_tensor_file(path: Path) -> dict[str, Tensor]:
    """Read a file of names and tensors, of safetensors or PyTorch.

    Raises:
        ConversionError: it cannot be read, or holds something else.

    """
    if path.suffix == ".safetensors":
        try:
            tensors: dict[str, Tensor] = load_file(path)
        except (OSError, SafetensorError) as error:
            raise ConversionError(f"{path}: cannot read the weights: {error}") from error
        return tensors
    value = read_pickle(path)
    if not isinstance(value, dict) or not all(isinstance(tensor, Tensor) for tensor in value.values()):
        raise ConversionError(f"{path}: expected names and their tensors, found something else")
    return {str(name): tensor for name, tensor in value.items()}


def _operations(pickled: IO[bytes]) -> Iterator[tuple[str, Any]]:
    return ((operation.name, argument) for operation, argument, _ in pickletools.genops(pickled))


def _reason(path: Path, error: Exception) -> str:
    """Say what PyTorch told, where that tells a person something; of many damages it names a byte or nothing."""
    if path.is_file() and not path.stat().st_size:
        return ": it is empty"
    if isinstance(error, OSError) and error.filename:
        return f": {error.strerror}"
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f": {first.split('. ')[0]}" if isinstance(error, RuntimeError) and first else ""
