"""What all of them share: how much is read, and what is said."""

from pathlib import Path

from ferryman.checkpoint import Tokenizers
from ferryman.errors import ConversionError

LIMIT = 64 << 20
"""Bytes that a file of settings or tokens may have."""
ONLY_WRITTEN = "no: this format is only written; what it was made from can be used"


def read_bounded(path: Path) -> bytes:
    """Read a file that is to be small.

    Raises:
        ConversionError: it is too large, or cannot be read.

    """
    try:
        if (size := path.stat().st_size) > LIMIT:
            raise ConversionError(f"{path}: {size:,} bytes; such a file has {LIMIT:,} at most")
        return path.read_bytes()
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error


def size_of(folder: Path) -> int:
    """Add up the files of a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def vocabulary_size(tokenizers: Tokenizers) -> str:
    """Say how many tokens a model has."""
    if tokenizers.joint:
        return f"{tokenizers.target.vocab_size} joint"
    return f"{tokenizers.source.vocab_size} source, {tokenizers.target.vocab_size} target"
