"""A translation memory: what somebody has translated already, word for word, is taken over."""

import sqlite3
import unicodedata
from pathlib import Path

from ferryman.documents.pairs import read_pairs


class Memory:
    """The pairs of a file, in a database on disk that ends with the process; so its size does not matter."""

    def __init__(self, path: Path, languages: tuple[str, str]) -> None:
        """Read the pairs; of two for one source the later holds.

        Raises:
            ConfigError, DataError: see ``read_pairs``.

        """
        self._database = sqlite3.connect("", check_same_thread=False)
        self._database.execute("CREATE TABLE pairs (source TEXT PRIMARY KEY, target TEXT) WITHOUT ROWID")
        rows = ((_normal(source), target) for source, target in read_pairs(path, languages, "documents.memory"))
        self._database.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?)", rows)

    def get(self, source: str) -> str | None:
        """Return the translation of a text; white space and Unicode's composition do not count."""
        found = self._database.execute("SELECT target FROM pairs WHERE source = ?", (_normal(source),)).fetchone()
        return None if found is None else str(found[0])

    def close(self) -> None:
        """Delete the database."""
        self._database.close()


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
