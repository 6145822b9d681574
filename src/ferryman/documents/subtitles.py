"""Subtitles: SubRip (SRT) and WebVTT. Numbers, time stamps, settings, notes and styles stay; cues are translated.

A cue of two lines is one sentence, or more, that was broken to fit: it is translated as one text and broken again into
as many lines, but lines that begin with a dash, which different people say, are translated each by itself.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from ferryman.documents.document import Document, Edit, Found, Reading, Segment
from ferryman.documents.encoding import as_document, decoded
from ferryman.documents.inline import ALONE, CLOSE, OPEN, TEXT, Content, Piece
from ferryman.errors import DataError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_TIME = re.compile(r"\s*(\d+:)?\d+:\d\d[.,]\d+\s*-->\s*(\d+:)?\d+:\d\d[.,]\d+")
_CODE = re.compile(r"<(?P<end>/)?(?P<name>[A-Za-z]+)?[^<>\n]*>|\{\\[^}\n]*\}")
_SPEAKERS = re.compile(r"\s*(?:<[^>]*>)*\s*[-–—]")
_ASIDE = ("WEBVTT", "NOTE", "STYLE", "REGION")

Row = tuple[int, int, int]  # number, start and end of a line


def read_subtitles(data: bytes, reading: Reading) -> Document:
    """Read an SRT or WebVTT file.

    Raises:
        DataError: there is text but no time stamp, or the bytes are of no known encoding.

    """
    file, found = decoded(data, reading.name), Found()
    text = file.text
    timed = False
    for block in _blocks(text):
        times = [at for at, (_, start, end) in enumerate(block) if _TIME.match(text, start, end)]
        first = text[block[0][1] : block[0][2]]
        if not times:
            found.kept["note or style" if first.startswith(_ASIDE) else "no time stamp"] += 1
            continue
        timed = True
        for rows in _texts(text, block[times[0] + 1 :]):
            _add(text, rows, found)
    if not timed and text.strip() and not text.startswith("WEBVTT"):
        raise DataError(f"{reading.name}: no subtitles: no line has time stamps such as 00:00:01,000 --> 00:00:02,500")
    return as_document(file, found)


def _blocks(text: str) -> Iterator[list[Row]]:
    """Give the lines between empty lines."""
    block: list[Row] = []
    for number, line in enumerate(_LINE.finditer(text), start=1):
        if line[1].strip("\ufeff \t"):
            block.append((number, line.start(1), line.end(1)))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _texts(text: str, rows: list[Row]) -> list[list[Row]]:
    """Divide a cue into what is translated as one."""
    if len(rows) > 1 and all(_SPEAKERS.match(text, start, end) for _, start, end in rows):
        return [[row] for row in rows]
    return [rows] if rows else []


def _add(text: str, rows: list[Row], found: Found) -> None:
    content = Content.trimmed(_pieces(text, rows))
    if not content.has_words:
        found.kept["no words"] += 1
        return
    lines = [row for row in rows if row[2] > content.span[0] and row[1] < content.span[1]]
    breaks = [text[one[2] : two[1]] for one, two in pairwise(lines)]
    found.segments.append(Segment(content.source, partial(_write, content, breaks), lines[0][0]))


def _pieces(text: str, rows: list[Row]) -> list[Piece]:
    pieces: list[Piece] = []
    for at, (_, start, end) in enumerate(rows):
        if at:
            pieces.append(Piece(TEXT, (rows[at - 1][2], start), " "))
        last = start
        for code in _CODE.finditer(text, start, end):
            pieces.append(Piece(TEXT, (last, code.start()), text[last : code.start()]))
            kind = ALONE if not code["name"] else CLOSE if code["end"] else OPEN
            pieces.append(Piece(kind, code.span()))
            last = code.end()
        pieces.append(Piece(TEXT, (last, end), text[last:end]))
    return [piece for piece in pieces if piece.kind != TEXT or piece.text]


def _write(content: Content, breaks: list[str], translation: str) -> list[Edit]:
    parts = content.fill(translation, lambda words: re.sub(r"\s+", " ", words).replace("-->", "→"))
    if breaks:
        parts = _broken(parts, breaks)
    return [Edit(*content.span, parts)]


def _broken(parts: tuple[str | tuple[int, int], ...], breaks: list[str]) -> tuple[str | tuple[int, int], ...]:
    """Break words into lines of about the same length; between characters where there are no spaces."""
    words = "".join(part for part in parts if isinstance(part, str))
    places = _places(words, len(breaks) + 1)
    written: list[str | tuple[int, int]] = []
    done = 0
    for part in parts:
        if not isinstance(part, str):
            written.append(part)
            continue
        last = 0
        for place, line_end in zip(places, breaks, strict=False):
            if done <= place < done + len(part):
                written += [part[last : place - done], line_end]
                last = place - done + words[place].isspace()
        written.append(part[last:])
        done += len(part)
    return tuple(part for part in written if part)


def _places(words: str, lines: int) -> list[int]:
    """Choose where to break: at the space nearest to each equal share; if there is none, after a mark or anywhere."""
    spaces = [at for at, sign in enumerate(words) if sign.isspace() and 0 < at < len(words) - 1]
    marks = [at + 1 for at, sign in enumerate(words[:-1]) if sign in "，。！？；、"]
    chosen: list[int] = []
    for number in range(1, lines):
        wanted, low = len(words) * number / lines, chosen[-1] + 1 if chosen else 1
        candidates = [at for at in spaces or marks or range(1, len(words)) if at >= low]
        if candidates:
            chosen.append(min(candidates, key=lambda at: abs(at - wanted)))
    return chosen
