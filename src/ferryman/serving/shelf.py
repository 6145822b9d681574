"""Translated files, until they are fetched."""

import secrets
import tempfile
from collections import OrderedDict
from pathlib import Path, PurePath


class Files:
    """Translated files in a temporary folder, under names that nobody can guess; the oldest make room for new ones."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._folder = tempfile.TemporaryDirectory(prefix="ferryman-")
        self._names: OrderedDict[str, str] = OrderedDict()  # what it is kept under, and what it is called

    def put(self, name: str, content: bytes) -> str:
        """Keep a file and return what it is kept under."""
        kept = f"{secrets.token_urlsafe(16)}{PurePath(name).suffix}"
        (Path(self._folder.name) / kept).write_bytes(content)
        self._names[kept] = name
        while len(self._names) > self.most:
            oldest, _ = self._names.popitem(last=False)
            (Path(self._folder.name) / oldest).unlink(missing_ok=True)
        return kept

    def find(self, kept: str) -> tuple[str, bytes] | None:
        """Return what a file is called, and its content."""
        return (self._names[kept], (Path(self._folder.name) / kept).read_bytes()) if kept in self._names else None

    def close(self) -> None:
        """Delete all."""
        self._folder.cleanup()
