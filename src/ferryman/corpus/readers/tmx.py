"""TMX, the exchange format of translation memories: streamed through expat, whatever its encoding."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ferryman.corpus.characters import one_line
from ferryman.corpus.charset import check_charset
from ferryman.corpus.languages import OTHER, OtherLanguageError, closeness
from ferryman.corpus.lines import CHUNK_BYTES, open_bytes
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError

# Elements inside a segment that hold the native codes of a document, or a text of their own (sub): not this sentence.
_CODES = {"bpt", "ept", "ph", "it", "ut", "sub"}
_DECLARATION = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
_STARTS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)


@dataclass(slots=True)
class Unit:
    """A ``<tu>``: one segment in some languages."""

    line: int
    variants: list[tuple[str, str]] = field(default_factory=list)
    """Language tag and text, in the file's order."""


def read_tmx(path: Path, languages: tuple[str, str], report: ReadingReport) -> Iterator[Pair]:
    """Read the units that have both languages, in bounded memory.

    - Languages match by BCP-47 prefix without regard to case: ``en`` finds ``en-US``, but an exact match goes first.
      Of several variants that match equally well the first is taken.
    - Of inline elements ``hi`` (and any unknown one) keeps its text; the codes in ``bpt``, ``ept``, ``ph``, ``it``,
      ``ut`` and ``sub`` are dropped (TMX 1.4b, "Content Markup").
    - A DOCTYPE is normal and never fetched; a file that declares entities is refused.

    Raises:
        DataError: not well-formed, not TMX, an unknown encoding, or bytes that are not of it.
        OtherLanguageError: there are units, but none has both languages; names those it has.
    """
    if not all(languages):
        raise DataError(
            f"{path}: a TMX file may hold many languages; set data.source_language and data.target_language"
        )
    found: dict[str, int] = {}
    paired = False
    for unit in _units(path):
        for language, _ in unit.variants:
            found[language] = found.get(language, 0) + 1
        texts = _choose(unit, languages)
        if texts is None:
            report.skipped["translation unit without both languages"] += 1
            continue
        paired = True
        yield Pair(*texts, str(path), unit.line)
    if found and not paired:
        listed = ", ".join(f"{language or '(none)'} ({count:,})" for language, count in sorted(found.items()))
        raise OtherLanguageError(f"{path}: no unit has both {languages[0]} and {languages[1]}; the file has {listed}")


def _choose(unit: Unit, languages: tuple[str, str]) -> tuple[str, str] | None:
    """Find the unit's texts in the two languages; the more specific language chooses first (en-GB before en)."""
    left = list(unit.variants)
    texts = ["", ""]
    for side in sorted((0, 1), key=lambda side: -len(languages[side])):
        ranks = [closeness(languages[side], language) for language, _ in left]
        if not ranks or max(ranks) == OTHER:
            return None
        texts[side] = left.pop(ranks.index(max(ranks)))[1]
    return texts[0], texts[1]


def _units(path: Path) -> Iterator[Unit]:
    parser = _TmxParser(path)
    for text in _decoded(path):
        yield from parser.feed(text)
    yield from parser.feed("", last=True)


def _decoded(path: Path) -> Iterator[str]:
    """Decode by byte order mark or declaration; expat itself knows few encodings."""
    with open_bytes(path) as file:
        chunk = file.read(CHUNK_BYTES)
        declared = _DECLARATION.search(chunk[:1024])
        name = declared[1].decode() if declared and not declared[1].lower().startswith(b"utf-16") else "utf-8"
        name = next((charset for start, charset in _STARTS if chunk.startswith(start)), name)
        decoder = codecs.getincrementaldecoder(check_charset(name, str(path)))()
        position = 0
        while True:
            try:
                yield decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                start = position - (len(error.object) - len(chunk)) + error.start
                byte = error.object[error.start]
                message = (
                    f"{path}, byte {start + 1} of the file: 0x{byte:02x} is not valid {name}, the encoding it declares"
                )
                raise DataError(message) from error
            if not chunk:
                return
            position += len(chunk)
            chunk = file.read(CHUNK_BYTES)


class _TmxParser:
    """Collects units from expat's events."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._root_seen = False
        self._unit: Unit | None = None
        self._language = ""
        self._segment: list[str] | None = None
        self._codes = 0
        self._finished: list[Unit] = []
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._text
        self._expat.EntityDeclHandler = self._refuse_declaration
        self._expat.SkippedEntityHandler = self._refuse_entity

    def feed(self, text: str, last: bool = False) -> list[Unit]:
        """Parse more text; give the units that ended in it."""
        try:
            self._expat.Parse(text, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise DataError(f"{self._path}, line {error.lineno}: not well-formed XML: {reason}") from error
        finished, self._finished = self._finished, []
        return finished

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._root_seen and tag != "tmx":
            raise self._error(f"not TMX: its first element is <{tag}>, not <tmx>")
        self._root_seen = True
        if self._segment is not None:
            self._codes += self._codes > 0 or tag in _CODES
        elif tag == "tu":
            self._unit = Unit(self._expat.CurrentLineNumber)
        elif tag == "tuv":
            self._language = attributes.get("xml:lang") or attributes.get("lang", "")
        elif tag == "seg":
            self._segment = []

    def _end(self, tag: str) -> None:
        if self._codes:
            self._codes -= 1
        elif tag == "seg" and self._segment is not None:
            if self._unit is not None:
                self._unit.variants.append((self._language, one_line("".join(self._segment))))
            self._segment = None
        elif tag == "tu" and self._unit is not None:
            self._finished.append(self._unit)
            self._unit = None

    def _text(self, text: str) -> None:
        if self._segment is not None and not self._codes:
            self._segment.append(text)

    def _refuse_declaration(self, name: str, *_: object) -> None:
        raise self._error(
            f"it declares the entity '{name}', which TMX does not need and attacks use; remove the declaration"
        )

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise self._error(f"the entity &{name}; is not defined; write the character itself")

    def _error(self, reason: str) -> DataError:
        return DataError(f"{self._path}, line {self._expat.CurrentLineNumber}: {reason}")
