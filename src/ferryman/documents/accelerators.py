"""Keyboard accelerators of menus (``_File``, ``&File``): taken off before translation, and put on again."""

import re
from dataclasses import dataclass

from ferryman.corpus.accelerators import LONGEST_LABEL

_MARKED = re.compile(r"(?<!\w)([_&])([^\W\d_])(?!\w*;)")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Label:
    """A text without its accelerator."""

    text: str
    marker: str = ""
    letter: str = ""

    @classmethod
    def of(cls, text: str) -> "Label":
        """Take the accelerator off a label: a short text with exactly one marker, before a word."""
        found = _MARKED.search(text)
        if found is None or len(text) > LONGEST_LABEL or text.count(found[1]) > 1:
            return cls(text)
        return cls(text[: found.start()] + text[found.start() + 1 :], found[1], found[2])

    def put_on(self, translation: str, *, spaced: bool) -> str:
        """Put it on a translation: before its first letter, or as in ``文件(_F)`` where nobody types the letters."""
        if not self.marker:
            return translation
        first = _LETTER.search(translation)
        if spaced and first is not None:
            return translation[: first.start()] + self.marker + translation[first.start() :]
        words = translation.rstrip("….:：")
        return f"{words}({self.marker}{self.letter.upper()}){translation[len(words) :]}"
