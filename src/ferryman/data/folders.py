"""Folders written whole or not at all, also while other processes write the same one."""

import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ferryman.files import naming

LONGEST_PAUSE_SECONDS = 24 * 3600
"""A folder of another machine's process in which nothing was written for so long is taken for abandoned."""
_UNFINISHED = re.compile(r"\.(?P<name>.+)@(?P<host>[^@]*)\.(?P<process>\d+)\.[0-9a-f]{8}\.unfinished")


@contextmanager
def finishing(folder: Path, *, keep: Callable[[Path], bool] = lambda _: False) -> Iterator[Path]:
    """Give an empty folder to fill; it is flushed to disk and gets the name ``folder`` when the block succeeds.

    Folders beside it that a dead process left unfinished are removed.

    Args:
        folder: what the folder is to be called; a folder of that name is replaced.
        keep: tells whether a folder found under that name, such as one that another process has finished meanwhile,
            is as good; then it stays and the new one is thrown away.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(folder.parent)
    unfinished = folder.with_name(_unfinished_name(folder.name))
    unfinished.mkdir()
    try:
        with naming(folder):
            yield unfinished
            for path in unfinished.rglob("*"):
                if path.is_file():
                    _flush(path)
            _give_name(unfinished, folder, keep)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _unfinished_name(name: str) -> str:
    return f".{name}@{_host()}.{os.getpid()}.{secrets.token_hex(4)}.unfinished"


def _host() -> str:
    return platform.node().replace("@", "-")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _give_name(unfinished: Path, folder: Path, keep: Callable[[Path], bool]) -> None:
    while not (folder.exists() and keep(folder)):
        _remove(folder)
        try:
            unfinished.rename(folder)
            return
        except OSError:
            if not folder.exists():  # else another process was faster
                raise


def _remove(folder: Path) -> None:
    """Take the name away first: nobody is to find half a folder under it."""
    aside = folder.with_name(_unfinished_name(folder.name))
    with suppress(FileNotFoundError):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    for path in parent.iterdir():
        if (found := _UNFINISHED.fullmatch(path.name)) and _is_abandoned(path, found["host"], int(found["process"])):
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path, host: str, process: int) -> bool:
    if host == _host() and os.name == "posix":
        return not _is_alive(process)
    with suppress(OSError):
        latest = max(entry.stat().st_mtime for entry in (path, *path.rglob("*")))
        return time.time() - latest > LONGEST_PAUSE_SECONDS
    return False


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)  # sends nothing; on Windows it would
    except ProcessLookupError:
        return False
    except OSError:
        pass  # another user's
    return True
