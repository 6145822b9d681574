"""HTML: what a reader reads is translated, a block at a time; tags, comments, scripts and code stay as they are.

Tags inside a sentence, and spaces that break no line, move with its words. Of attributes those that are read are
translated: ``alt``, ``title``, ``placeholder``, ``aria-label``, and a page's description. The page's ``lang`` becomes
that of the translation.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import escape, unescape

from ferryman.corpus.languages import related
from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment, Span
from ferryman.documents.encoding import Decoded, as_document, decoded
from ferryman.documents.inline import ALONE, CLOSE, HARD, OPEN, TEXT, Content, Kind, Piece

_INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q s samp small span "
        "strike strong sub sup time tt u var wbr",
    )
)
_VOID = frozenset(re.findall(r"\w+", "area base br col embed hr img input link meta param source track wbr"))
_RAW = frozenset({"script", "style"})  # in these nothing but their own end is mark-up
_OPAQUE = _RAW | frozenset(re.findall(r"\w+", "pre code kbd samp var tt textarea svg math template"))  # holds no text
_TOKEN = re.compile(  # a tag that does not end goes on to the end, as in browsers
    rf"""(?P<aside><!--.*?(?:-->|\Z)|<[!?][^>]*(?:>|\Z)) | </(?P<end>[A-Za-z][^\s/>]*)[^>]*(?:>|\Z) |
    <(?P<name>[A-Za-z][^\s/>]*)(?P<attributes>(?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+)(?:>|\Z) |
    (?P<hard>(?<!\d){HARD}|{HARD}(?!\d)) | (?:[^<&\u00a0\u202f]++|<(?![A-Za-z/!?]))++ | &\#?\w*;? | [<\u00a0\u202f]""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![^\s"'<>/=])([^\s"'<>/=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))""")
_READ = ("alt", "title", "placeholder", "aria-label")
_DESCRIPTIONS = {"description", "og:title", "og:description", "twitter:title", "twitter:description"}
_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


def read_html(data: bytes, reading: Reading) -> Document:
    """Read an HTML page, or a part of one; anything is HTML.

    Raises:
        DataError: the bytes are not of the encoding that the page declares (if it does not: UTF-8).

    """
    declared = _CHARSET.search(data[:2048])
    file = decoded(data, reading.name, declared[1].decode() if declared else None)
    found = Found()
    _Page(file, reading, found).read()
    return as_document(file, found, "xmlcharrefreplace")


def read_fragment(text: str) -> Document:
    """Read a text with mark-up, such as a program sends: attributes stay, and a line break ends a sentence."""
    file, found = decoded(text.encode(), "HTML"), Found()
    _Page(file, Reading("HTML"), found, whole=False).read()
    return as_document(file, found)


@dataclass
class _Page:
    """Goes through a page; gathers the pieces of a sentence until a tag ends it."""

    file: Decoded
    reading: Reading
    found: Found
    whole: bool = True
    pieces: list[Piece] = field(default_factory=list)
    language: list[Edit] = field(default_factory=list)

    def read(self) -> None:
        text = self.file.text
        self.lines = Lines(text)
        at = 0
        while token := _TOKEN.match(text, at):
            at = token.end()
            if token["name"] is not None:
                at = self._start(token)
            elif token["end"] is not None:
                self._tag(CLOSE, token["end"].lower(), token.span())
            elif token["aside"] is not None:
                self.pieces.append(Piece(ALONE, token.span()))
            elif token["hard"] is not None:
                self.pieces.append(Piece(ALONE, token.span(), " "))
            else:
                self.pieces.append(Piece(TEXT, token.span(), unescape(token[0])))
        self._end()

    def _start(self, token: re.Match[str]) -> int:
        """Take a start tag; of an element that holds no text, all of it. Return where to go on."""
        name, attributes = token["name"].lower(), dict(_attributes(token))
        alone = name in _VOID or token[0].endswith("/>")
        untouched = attributes.get("translate", (0, 0, ""))[2] == "no" or _is_marked(attributes)
        if self.whole and not untouched:
            self._attributes(name, attributes)
        if (name in _OPAQUE or untouched) and not alone:
            end = _end_of(self.file.text, name, token.end())
            self._tag(ALONE, name, (token.start(), end))
            return end
        self._tag(ALONE if alone else OPEN, name, token.span())
        return token.end()

    def _tag(self, kind: Kind, name: str, span: Span) -> None:
        if name in _INLINE and (self.whole or name != "br"):
            self.pieces.append(Piece(kind, span, " " if name == "br" else ""))
        else:
            self._end()

    def _attributes(self, name: str, attributes: dict[str, tuple[int, int, str]]) -> None:
        """Add the attributes that are read, and the page's language."""
        wanted = [attribute for attribute in _READ if attribute in attributes]
        if (
            name == "meta"
            and {value for _, _, value in attributes.values()} & _DESCRIPTIONS
            and "content" in attributes
        ):
            wanted.append("content")
        for start, end, value in (attributes[attribute] for attribute in wanted):
            if any(map(str.isalpha, value)):
                write = partial(self._attribute, (start, end))
                self.found.segments.append(Segment(" ".join(value.split()), write, self.lines.at(start)))
        if name == "html" and self.reading.target_language:
            for start, end, value in (attributes[one] for one in ("lang", "xml:lang") if one in attributes):
                if related(self.reading.source_language or value, value):
                    self.language.append(Edit(start, end, (self.reading.target_language,)))

    def _attribute(self, span: Span, translation: str) -> list[Edit]:
        text = self.file.text
        quoted = text[span[0] - 1] in "\"'"
        written = escape(translation, quote=True)
        return [Edit(*span, (written if quoted else f'"{written}"',)), *self.language]

    def _end(self) -> None:
        """End a sentence: a tag comes that does not belong to one."""
        content = Content.trimmed(self.pieces)
        self.pieces = []
        if content.has_words:
            write = partial(self._write, content)
            self.found.segments.append(Segment(content.source, write, self.lines.at(content.span[0])))

    def _write(self, content: Content, translation: str) -> list[Edit]:
        return [Edit(*content.span, content.fill(translation, self._escape)), *self.language]

    def _escape(self, words: str) -> str:
        """Write words; spaces that break no line as the page writes them."""
        hard = "&nbsp;" if "&nbsp;" in self.file.text else "\u00a0"
        return escape(words, quote=False).replace("\u00a0", hard)


def _attributes(token: re.Match[str]) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Give the attributes of a tag: where in the file their values stand, and what these say."""
    for found in _ATTRIBUTE.finditer(token.string, token.start("attributes"), token.end("attributes")):
        group = next(group for group in (2, 3, 4) if found[group] is not None)
        yield found[1].lower(), (*found.span(group), unescape(found[group]))


def _is_marked(attributes: dict[str, tuple[int, int, str]]) -> bool:
    return "notranslate" in attributes.get("class", (0, 0, ""))[2].split()


def _end_of(text: str, name: str, start: int) -> int:
    """Find where an element ends, elements of its name inside it counted; the end of the text if it does not."""
    depth = 1
    tags = re.compile(rf"<!--.*?(?:-->|\Z)|<(/?){re.escape(name)}(?=[\s/>])[^>]*(?:>|\Z)", re.DOTALL | re.IGNORECASE)
    for tag in tags.finditer(text, start):
        if tag[1] is None:
            continue
        depth += -1 if tag[1] else int(name not in _RAW and not tag[0].endswith("/>"))
        if not depth:
            return tag.end()
    return len(text)
