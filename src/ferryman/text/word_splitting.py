"""From text to words and their parts, by the libraries that other toolkits use: sacremoses and subword-nmt."""

import importlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferryman.errors import TokenizerError

MOST_CACHED = 1 << 18  # words that subword-nmt may remember the parts of
END_OF_WORD = "</w>"
DASHES = {"@-@": "-"}  # what stands for itself in words that were cut at dashes


@dataclass(frozen=True)
class Moses:
    """How the scripts of Moses cut punctuation off words."""

    language: str
    """Whose abbreviations keep their full stop, and whose apostrophes stay where."""
    dashes: bool = False
    """Whether words are cut at dashes (``tokenizer.perl -a``): ``well @-@ known``."""
    escape: bool = True
    """Whether what is special to Moses is written as an entity: ``&apos;``."""


class MosesScripts:
    """The tokeniser and the detokeniser of Moses, as sacremoses has them."""

    def __init__(self, settings: Moses) -> None:
        """Set up; raise ``TokenizerError`` where sacremoses is not installed."""
        package = _import("sacremoses")
        self.settings = settings
        self._tokenizer = package.MosesTokenizer(lang=settings.language)
        self._detokenizer = package.MosesDetokenizer(lang=settings.language)

    def split(self, text: str) -> list[str]:
        """Return the words and punctuation marks of a text."""
        words: list[str] = self._tokenizer.tokenize(
            text, aggressive_dash_splits=self.settings.dashes, escape=self.settings.escape, return_str=False
        )
        return words

    def join(self, words: Sequence[str]) -> str:
        """Return the text of words and punctuation marks."""
        return str(self._detokenizer.detokenize(words, return_str=True, unescape=self.settings.escape))

    def unescape(self, word: str) -> str:
        """Write characters for entities."""
        return str(self._detokenizer.unescape_xml(word)) if self.settings.escape else word


class Merges:
    """Byte-pair encoding (Sennrich et al., 2016), as subword-nmt applies it."""

    def __init__(self, codes: str, separator: str) -> None:
        """Read a file of merges, of subword-nmt or fastBPE.

        Raises:
            TokenizerError: a line is no merge, or subword-nmt is not installed.
        """
        self._bpe = _import("subword_nmt.apply_bpe").BPE(io.StringIO(_checked(codes)), separator=separator)

    def split(self, word: str) -> list[str]:
        """Return the parts of a word; all but the last end with the separator."""
        if len(self._bpe.cache) > MOST_CACHED:  # it never forgets a word
            self._bpe.cache.clear()
        parts: list[str] = self._bpe.segment_tokens([word])
        return parts

    @property
    def halves(self) -> Mapping[str, tuple[str, str]]:
        """Return the two that each part was merged from; what ends a word has ``</w>`` behind it."""
        halves: Mapping[str, tuple[str, str]] = self._bpe.bpe_codes_reverse
        return halves


def _checked(codes: str) -> str:
    """Check merges, for subword-nmt would end the program; bring those of fastBPE into its form."""
    lines = [line.strip("\r ") for line in codes.rstrip("\r\n").split("\n")]
    version = [lines.pop(0)] if lines[0].startswith("#version:") else []
    fields = [line.split(" ") for line in lines]
    if not version and all(len(field) == 3 and field[2].isdecimal() for field in fields):  # fastBPE counts its merges
        version, fields = ["#version: 0.2"], [field[:2] for field in fields]
    for number, field in enumerate(fields, start=1 + len(version)):
        if len(field) != 2 or not all(field):
            raise TokenizerError(f"line {number} of the codes, {' '.join(field)!r}, is no pair of parts to merge.")
    return "\n".join([*version, *map(" ".join, fields)])


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".")[0].replace("_", "-")
        raise TokenizerError(f"the tokenizer needs {package}: pip install 'ferryman[words]'") from error
