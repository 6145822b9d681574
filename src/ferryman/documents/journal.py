"""What was translated of a document so far, beside the file that is to be written, for the work to be gone on with."""

import json
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from ferryman.documents.results import Result

_VERSION = 1


class Journal:
    """Translations by the content of their sources; of another model or other settings they are not taken."""

    def __init__(self, path: Path | None, fingerprint: str) -> None:
        """Read what is there.

        Args:
            path: the file; None: nothing is kept.
            fingerprint: of all that decides how a text is translated.

        """
        self._path = path
        self._head = {"ferryman_journal": _VERSION, "of": fingerprint}
        self._known: dict[str, Result] = {}
        if path is not None and path.is_file():
            self._read(path)

    def get(self, source: str) -> Result | None:
        """Return the translation of a text, if it was translated before."""
        return self._known.get(_key(source))

    def add(self, results: Iterable[tuple[str, Result]]) -> None:
        """Write translations down."""
        if self._path is None:
            return
        rows = [{"key": _key(source), "text": found.text, "flags": found.flags} for source, found in results]
        begins = not self._path.is_file()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            for row in ([self._head] if begins else []) + rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def remove(self) -> None:
        """Delete the file: the document is whole."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        whole = [row for row in map(_parsed, lines[:-1]) if row is not None]  # the last may have been cut short
        if not whole or whole[0] != self._head:
            path.unlink()
            return
        for row in whole[1:]:
            self._known[str(row["key"])] = Result(str(row["text"]), tuple(row["flags"]), resumed=True)
        if lines[-1]:
            with path.open("r+b") as file:
                content = file.read()
                file.truncate(content.rfind(b"\n") + 1)


def _parsed(line: str) -> dict[str, list[str]] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return (
        row if isinstance(row, dict) and (row.keys() >= {"key", "text", "flags"} or "ferryman_journal" in row) else None
    )


def _key(source: str) -> str:
    return blake2b(source.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
