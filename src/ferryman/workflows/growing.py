"""A file that takes hours to make, and is never begun twice: it grows by parts, and goes on after any interruption.

PATH.unfinished/content       the parts so far
PATH.unfinished/state.json    what is being made, how much of the content is kept, and where its maker is
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ferryman.errors import ConfigError, DataError
from ferryman.files import locking, write_text

CONTENT, STATE, LOCK = "content", "state.json", ".lock"


def check_free(path: Path) -> None:
    """Refuse to make a file that is there: it may have taken hours.

    Raises:
        ConfigError: it is.
    """
    if path.exists():
        raise ConfigError(f"{path} is there already; delete it, or choose another --output")


@contextmanager
def growing(path: Path, job: Mapping[str, Any]) -> Iterator["GrowingFile"]:
    """Give the file to add to; it gets its name when the block succeeds, and is kept for the next time if it does not.

    Args:
        path: what the file is to be called.
        job: all that its content depends on, by name; a file begun with something else is not gone on with.

    Raises:
        ConfigError: it is there already, or was begun with something else.
        DataError: another process is making it, or the disk is full.
    """
    check_free(path)
    folder = path.with_name(f"{path.name}.unfinished")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locking(folder / LOCK) as locked:
            if not locked:
                raise DataError(f"{path}: another process is making this file")
            file = GrowingFile(folder, job)
            yield file
            file.content.replace(path)
        shutil.rmtree(folder)
    except OSError as error:
        raise DataError(
            f"{path}: cannot write it: {error.strerror or error}; make room, then the same command goes on"
        ) from error


class GrowingFile:
    """See ``growing``. ``state`` is what ``add`` was told last; empty at the beginning."""

    def __init__(self, folder: Path, job: Mapping[str, Any]) -> None:
        self.content = folder / CONTENT
        self.about = folder / STATE
        self.job = dict(job)
        self.state: dict[str, Any] = {}
        self.content.touch()
        kept_bytes = 0
        if self.about.exists():
            before = self._before()
            self._check_same(before["job"])
            if before["bytes"] <= self.content.stat().st_size:  # else somebody took the content away
                self.state, kept_bytes = before["state"], before["bytes"]
        os.truncate(self.content, kept_bytes)  # a part that was cut off is made again

    def add(self, text: str, state: Mapping[str, Any]) -> None:
        """Add a part; when this returns, it is on disk, and so is where its maker is after it."""
        with self.content.open("ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
            length = file.tell()
        self.state = dict(state)
        write_text(self.about, json.dumps({"job": self.job, "state": self.state, "bytes": length}, indent=1))

    def _before(self) -> dict[str, Any]:
        try:
            before = json.loads(self.about.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(f"{self.about}: damaged ({error}); delete {self.about.parent} to begin anew") from error
        if not isinstance(before, dict) or not {"job", "bytes", "state"} <= before.keys():
            raise DataError(f"{self.about}: damaged; delete {self.about.parent} to begin anew")
        return before

    def _check_same(self, before: Mapping[str, Any]) -> None:
        changed = [name for name in self.job if before.get(name) != self.job[name]]
        if changed:
            raise ConfigError(
                f"{self.content.parent}: what it is made of has changed since it was begun ({', '.join(changed)}); "
                "delete that folder to begin anew, or choose another --output"
            )
