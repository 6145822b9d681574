"""A pair of texts that mean the same, and where it stands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """One source text and its translation.

    Neither text contains a line feed: line-based formats cannot hold one, and the readers of the others (JSON lines,
    TMX, PO, MO) turn white space with a line break in it into one space (``one_line``).
    """

    source: str
    target: str
    file: str
    """The file it comes from (the source side's, of two)."""
    line: int
    """The line it starts on, counted from 1; in a ``.mo`` file, which has no lines, the message's number."""

    @property
    def place(self) -> str:
        """Say where the pair stands, for messages: ``file:line``."""
        return f"{self.file}:{self.line}"
