"""Files of tensors, in the safetensors format: nothing in them runs when they are read."""

import json
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ferryman.errors import CheckpointError
from ferryman.files import replacing


def save_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, str]) -> None:
    """Write a safetensors file with ``about`` as its metadata, whole or not at all.

    Raises:
        CheckpointError: it could not be written; the old file, if any, is as it was.

    """
    try:
        with replacing(path) as unfinished:
            save_file(dict(tensors), unfinished, metadata=dict(about))
            _sort_metadata(unfinished)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot write it: {error}; make room, or choose another folder") from error


def _sort_metadata(path: Path) -> None:
    """Put what a safetensors file says about itself into one order: the library's differs from process to process.

    So equal tensors make equal files. The header, JSON after its length in eight bytes, stays as long as it was.
    """
    with path.open("rb+") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        if "__metadata__" in header:
            header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        file.seek(8)
        file.write(text.ljust(size))


def read_about(path: Path) -> dict[str, str]:
    """Read what a weights file says about itself.

    Raises:
        CheckpointError: it is damaged.

    """
    try:
        with safe_open(path, framework="pt") as file:
            return file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot read the weights: {error}") from error
