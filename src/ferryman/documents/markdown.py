"""Markdown: paragraphs, headings, list items and table cells are translated; code, links' targets and the rest stay.

CommonMark with tables and strike-through. A translation whose mark-up would be read differently from the source's is
not written: what is read is compared.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ferryman.documents.document import Document, Edit, Found, Reading, Segment, Span
from ferryman.documents.encoding import as_document, decoded
from ferryman.documents.inline import Content
from ferryman.documents.markdown_inline import read_inline, variants, write_words
from ferryman.errors import DataError

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n.*?^(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEPT = {"fence": "code", "code_block": "code", "html_block": "HTML block"}
_LINE_END = re.compile(r"\r\n?|\n")
_LINE_START = re.compile(r"(?:\r\n?|\n)[ \t>]*")
LONGEST = 20_000  # characters of a paragraph, whose reading may take the square of them


@dataclass(frozen=True)
class _Block:
    """A paragraph, in the file's text."""

    text: str
    content: Content
    starts: bool
    """Whether the content begins the paragraph."""
    table: bool
    environment: dict[str, Any]


def read_markdown(data: bytes, reading: Reading) -> Document:
    """Read a Markdown file.

    Raises:
        DataError: it is not UTF-8, nor another encoding told by a byte order mark; or a paragraph is longer than any
            that people write.

    """
    file, found = decoded(data, reading.name), Found()
    text = file.text
    front = _FRONT_MATTER.match(text)
    begin = front.end() if front else 0
    found.kept["front matter"] += front is not None
    environment: dict[str, Any] = {}
    tokens = _block_parser().parse(text[begin:], environment)
    starts = [begin, *(begin + end.end() for end in _LINE_END.finditer(text[begin:]))]
    before = len(_LINE_END.findall(text[:begin]))
    table, last = False, begin
    for token in tokens:
        table = token.type == "table_open" or (table and token.type != "table_close")
        if token.type in _KEPT:
            found.kept[_KEPT[token.type]] += 1
        if token.type != "inline" or not token.map or not token.content:
            continue
        line = before + token.map[0] + 1
        if len(token.content) > LONGEST:
            raise DataError(
                f"{reading.name}, line {line}: a paragraph of {len(token.content):,} characters, of which {LONGEST:,} "
                "are allowed; put empty lines between its parts"
            )
        places = _places(text, token, starts, last)
        if places is None:
            found.kept["not found again in the text"] += 1
            continue
        last = places[-1] + len(token.content.rpartition("\n")[2])
        content = _content(token, places, environment)
        if content.has_words:
            block = _Block(text, content, content.span[0] == places[0], table, environment)
            found.segments.append(Segment(content.source, partial(_write, block), line, fits=partial(_fits, block)))
        else:
            found.kept["no words"] += 1
    found.kept = +found.kept
    return as_document(file, found)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


@cache
def _block_parser() -> MarkdownIt:
    """Return a parser that leaves what is in paragraphs as it is."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _places(text: str, token: Token, starts: list[int], last: int) -> list[int] | None:
    """Find where the lines of a paragraph begin in the file, after what was found before."""
    places: list[int] = []
    first = token.map[0] if token.map else 0
    for number, line in enumerate(token.content.split("\n"), start=first):
        end = starts[number + 1] if number + 1 < len(starts) else len(text)
        at = text.find(line, max(last, starts[number]), end) if number < len(starts) else -1
        if at < 0:
            return None
        places.append(at)
    return places


def _content(token: Token, places: list[int], environment: dict[str, Any]) -> Content:
    lines = token.content.split("\n")
    begins = [0]
    for line in lines[:-1]:
        begins.append(begins[-1] + len(line) + 1)

    def place(at: int) -> int:
        number = bisect_right(begins, at) - 1
        return places[number] + at - begins[number]

    labels = set(environment.get("references", {}))
    return Content.trimmed(read_inline(token.content, place, labels))


def _write(block: _Block, translation: str) -> list[Edit]:
    """Write a translation in the first way that is read as the source is; if there is none, leave the source."""
    way = next(_ways(block, translation), None)
    return [] if way is None else [Edit(*block.content.span, way)]


def _fits(block: _Block, translation: str) -> bool:
    return next(_ways(block, translation), None) is not None


def _ways(block: _Block, translation: str) -> Iterator[tuple[str | Span, ...]]:
    pieces = block.content.pieces
    wanted = _shape(_read(block, [piece.span for piece in pieces]), block)
    first = block.starts

    def write(words: str, begins: bool) -> str:
        return write_words(words, first=begins and first, table=block.table)

    for way in variants(block.content.arrange(translation), block.text, write):
        if _shape(_read(block, way), block) == wanted:
            yield way


def _read(block: _Block, parts: Sequence[str | Span]) -> str:
    """Put parts together as they are read: without what stands before the lines, such as the sign of a quotation."""
    raw = (part if isinstance(part, str) else block.text[slice(*part)] for part in parts)
    return "".join(_LINE_START.sub("\n", part) for part in raw).strip()


def _shape(text: str, block: _Block) -> tuple[list[str], Counter[str]]:
    """Tell how a paragraph is read: its blocks, and the mark-up within it."""
    tokens = _parser().parse(text, {"references": block.environment.get("references", {})})
    inner = [child for token in tokens for child in token.children or () if child.type not in ("text", "softbreak")]
    marks = Counter(
        f"{child.type} {child.attrs.get('href', child.attrs.get('src', ''))} "
        f"{'' if child.type in ('image', 'text_special') else child.content}"
        for child in inner
        if child.type != "text_special"
    )
    return [token.type for token in tokens], marks
