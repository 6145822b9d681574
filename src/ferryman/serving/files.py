"""Files of text: translated line by line, and kept until they are fetched."""

import asyncio
import re
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path, PurePath

from ferryman.serving.refusals import LaterError, UnfitError
from ferryman.serving.service import Order, Service

SUFFIXES = (".txt",)
WINDOW = 8  # a file has at most one part in so many of the queue
_LINE_END = re.compile(r"(\r\n|\n|\r)")


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


def translated_name(name: str, target: str) -> str:
    """Name the translation of a file: ``notes.txt`` gives ``notes.de.txt``."""
    path = PurePath(PurePath(name).name)
    return f"{path.stem}.{target}{path.suffix}"


async def translate_file(service: Service, name: str, content: bytes, order: Order) -> bytes:
    """Translate a file of plain text; its line ends and empty lines stay as they are.

    It takes its turn with what others ask, and waits while the service is busy.

    Raises:
        UnfitError: it is no text file, or not UTF-8.

    """
    if PurePath(name).suffix.lower() not in SUFFIXES:
        raise UnfitError(
            f"{PurePath(name).suffix or 'a file without ending'}: not supported; there are: {', '.join(SUFFIXES)}"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnfitError(f"the file is not UTF-8 at byte {error.start}") from error
    pieces = _LINE_END.split(text)
    lines, ends = pieces[0::2], [*pieces[1::2], ""]
    found: list[str] = []
    for window in _windows(lines, service.config.queue_tokens // WINDOW):
        found += await _patiently(service, window, order)
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    return mark + "".join(line + end for line, end in zip(found, ends, strict=True)).encode()


def _windows(lines: list[str], most: int) -> Iterator[list[str]]:
    """Take as many lines together as have so many characters, at least one."""
    window: list[str] = []
    characters = 0
    for line in lines:
        if window and characters + len(line) > most:
            yield window
            window, characters = [], 0
        window.append(line)
        characters += len(line)
    yield window


async def _patiently(service: Service, lines: list[str], order: Order) -> list[str]:
    while True:
        try:
            return [one.text for one in await service.translate(lines, order)]
        except LaterError as error:
            if service.queue.closed:
                raise
            await asyncio.sleep(min(error.retry_seconds, 5))
