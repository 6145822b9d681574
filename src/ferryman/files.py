"""Writing files so that a crash, a kill or a full disk leaves the old one whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


@contextmanager
def naming(what: Path | str) -> Iterator[None]:
    """Say in an error of the operating system what it is about, where it does not: that of a full disk does not."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(what)
        raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` to write to; flush it to disk and rename it when the block succeeds.

    Of a symbolic link the target is replaced. What is there and no regular file (a pipe, ``/dev/null``) is given
    itself, to be written to directly: it cannot be replaced without losing it.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with naming(path):
            unfinished.touch()
            mode = unfinished.stat().st_mode
            yield unfinished
            unfinished.chmod(mode)  # writers of other libraries make files that only their owner may read
            with unfinished.open("rb+") as file:
                os.fsync(file.fileno())
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file with LF line ends, whole or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a binary file, whole or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


@contextmanager
def locking(path: Path) -> Iterator[bool]:
    """Lock a file, made for that and removed afterwards; tell whether it is locked: not if another process has it.

    A lock ends with its process, however that ends. On Windows, where nothing is as simple, nothing is locked.
    """
    if fcntl is None:
        yield True
        return
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        try:
            yield True
        finally:
            path.unlink(missing_ok=True)
