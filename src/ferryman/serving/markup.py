"""HTML in parts that are translated as sentences, and HTML again, with the same tags.

Tags inside a sentence are replaced by short ones of our own (``<f1>…</f1>``, ``<f2/>``), which the translator keeps and
puts where they belong (``decoding.protect``). Everything else stays as it is.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count

_INLINE = (
    "a abbr acronym b bdi bdo big cite data del dfn em font i img ins kbd label mark q s samp small span strike strong "
    "sub sup time tt u var wbr code"
)
_VOID = "area base br col embed hr img input link meta param source track wbr"
_OPAQUE = "script style pre code kbd samp textarea svg math"  # what is inside is no text
INLINE, VOID, OPAQUE = (frozenset(names.split()) for names in (_INLINE, _VOID, _OPAQUE))
RAW = frozenset({"script", "style"})  # in these nothing is escaped
_SPACE = re.compile(r"[ \t\n\r\f]+")
_LETTERS = "fgxyz"


@dataclass
class Segment:
    """Text, which is unescaped, and tags, which are kept, in order."""

    pieces: list[tuple[str, str]] = field(default_factory=list)  # kind: text, open, close or alone; and what it says
    letter: str = ""
    before: str = ""
    after: str = ""

    @property
    def has_words(self) -> bool:
        """Whether there is anything to translate."""
        return any(kind == "text" and any(map(str.isalnum, said)) for kind, said in self.pieces)

    @property
    def raw(self) -> str:
        """The segment as HTML."""
        return "".join(html.escape(said, quote=False) if kind == "text" else said for kind, said in self.pieces)

    def prepare(self) -> None:
        """Move what stands around the words out of the segment: tags around all of it, and white space."""
        while len(self.pieces) > 2 and self._is_around():
            self.before += self.pieces.pop(0)[1]
            self.after = self.pieces.pop()[1] + self.after
        text = "".join(said for kind, said in self.pieces if kind == "text").lower()
        self.letter = next(
            (letter for letter in _LETTERS if f"<{letter}" not in text and f"</{letter}" not in text), ""
        )

    @property
    def text(self) -> str:
        """What is to be translated."""
        names = self._names()
        said = "".join(said if kind == "text" else names[place] for place, (kind, said) in enumerate(self.pieces))
        return _SPACE.sub(" ", said).strip()

    def fill(self, translation: str) -> str:
        """Make HTML of the translation of ``text``."""
        names = self._names()
        tags = [said for kind, said in self.pieces if kind != "text"]
        by_name = dict(zip(names.values(), tags, strict=True))
        parts = re.split(rf"(</?{self.letter}[0-9]+/?>)", translation) if self.letter and tags else [translation]
        found = [part for part in parts[1::2] if part in by_name]
        if sorted(found) != sorted(by_name):  # some are lost: none is worth more than the others
            return self._around(html.escape("".join(parts[0::2]).strip(), quote=False) + "".join(tags))
        written = tags if not _is_nested(found) else [by_name[name] for name in found]
        rest = iter(written)
        return self._around(
            "".join(next(rest) if part in by_name else html.escape(part, quote=False) for part in parts)
        )

    def _around(self, inner: str) -> str:
        space = [self.pieces[0][1][:1], self.pieces[-1][1][-1:]]
        left, right = (" " if _SPACE.fullmatch(edge) else "" for edge in space)
        return f"{self.before}{left}{inner}{right}{self.after}"

    def _names(self) -> dict[int, str]:
        """Name the tags by their places, a pair of them with one number."""
        names, numbers, waiting = {}, count(1), []
        for place, (kind, _) in enumerate(self.pieces):
            if kind == "open":
                waiting.append(next(numbers))
                names[place] = f"<{self.letter}{waiting[-1]}>"
            elif kind == "close":
                names[place] = f"</{self.letter}{waiting.pop() if waiting else next(numbers)}>"
            elif kind == "alone":
                names[place] = f"<{self.letter}{next(numbers)}/>"
        return names

    def _is_around(self) -> bool:
        """Tell whether the first tag is closed by the last."""
        depth = 0
        for place, (kind, _) in enumerate(self.pieces):
            depth += (kind == "open") - (kind == "close")
            if depth < 1:
                return place == len(self.pieces) - 1 and kind == "close" and place > 0
        return False


def _is_nested(names: Sequence[str]) -> bool:
    waiting: list[str] = []
    for name in names:
        if name.startswith("</"):
            if waiting and waiting[-1] == name.replace("/", "", 1):
                waiting.pop()
            elif name.replace("/", "", 1) in names:
                return False
        elif not name.endswith("/>") and f"</{name[1:]}" in names:
            waiting.append(name)
    return not waiting


class Page(HTMLParser):
    """An HTML text, whole or a part of one, in segments to translate and what is between them."""

    def __init__(self, text: str) -> None:
        """Read the text; anything is HTML."""
        super().__init__(convert_charrefs=True)
        self._parts: list[str | Segment] = []
        self._segment = Segment()
        self._opaque: list[str] = []
        self._kept = ""
        self.feed(text)
        self.close()
        self._end()
        self.segments = [part for part in self._parts if isinstance(part, Segment)]

    @property
    def texts(self) -> list[str]:
        """What is to be translated."""
        return [segment.text for segment in self.segments]

    def fill(self, translations: Sequence[str]) -> str:
        """Make HTML of the translations of ``texts``."""
        rest = iter(translations)
        return "".join(part if isinstance(part, str) else part.fill(next(rest)) for part in self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an opening tag."""
        said = self.get_starttag_text() or ""
        untouched = tag in OPAQUE or ("translate", "no") in attrs
        if self._opaque:
            self._kept += said
            if tag == self._opaque[0]:
                self._opaque.append(tag)
        elif untouched and tag not in VOID and not said.endswith("/>"):
            self._opaque, self._kept = [tag], said
        elif tag in INLINE:
            self._segment.pieces.append(("alone" if tag in VOID or said.endswith("/>") else "open", said))
        else:
            self._end(said)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag that closes itself."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Take a closing tag."""
        said = f"</{tag}>"
        if self._opaque:
            self._kept += said
            if tag == self._opaque[-1]:
                self._opaque.pop()
            if not self._opaque:
                self._add_kept(tag)
        elif tag in INLINE:
            self._segment.pieces.append(("close", said))
        else:
            self._end(said)

    def handle_data(self, data: str) -> None:
        """Take text."""
        if self._opaque:
            self._kept += data if self._opaque[0] in RAW else html.escape(data, quote=False)
            return
        pieces = self._segment.pieces
        if pieces and pieces[-1][0] == "text":
            data = pieces.pop()[1] + data
        pieces.append(("text", data))

    def handle_comment(self, data: str) -> None:
        """Take a comment."""
        self._aside(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        """Take a declaration."""
        self._end(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        """Take a processing instruction."""
        self._aside(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        """Take a section of another kind."""
        self._aside(f"<![{data}]]>" if data.startswith("CDATA[") else f"<![{data}]>")

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Take what looks like a section of another kind but is none, at which Python's parser fails, as text."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            self.handle_data("<![")
            return i + len("<![")

    def _aside(self, said: str) -> None:
        if self._opaque:
            self._kept += said
        else:
            self._segment.pieces.append(("alone", said))

    def _add_kept(self, tag: str) -> None:
        if tag in INLINE:
            self._segment.pieces.append(("alone", self._kept))
        else:
            self._end(self._kept)
        self._kept = ""

    def _end(self, said: str = "") -> None:
        """End a segment, with a tag that does not belong to a sentence."""
        if self._opaque and not said:  # the text ended first
            said, self._opaque = self._kept, []
        segment, self._segment = self._segment, Segment()
        if segment.has_words:
            segment.prepare()
            self._parts.append(segment)
        else:
            self._parts.append(segment.raw)
        self._parts.append(said)
