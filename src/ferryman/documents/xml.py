"""XML as a tree of places in the text, so that edits leave everything else as it was.

The text is first checked by expat, which reads no other file. Declarations of a document's own are refused: no
format here needs them, and attacks do.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from ferryman.documents.document import Edit, Span
from ferryman.documents.encoding import Decoded, decoded
from ferryman.errors import DataError

_DECLARED = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
_TOKEN = re.compile(
    r"""(?P<aside><!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>) | <!\[CDATA\[(?P<cdata>.*?)\]\]> | </(?P<end>[^\s>]+)\s*> |
    <(?P<name>[^\s/>]+)(?P<attributes>(?:[^"'/>]|"[^"]*"|'[^']*'|/(?!>))*)(?P<empty>/)?> | (?P<text>[^<]+)""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:\#x([0-9a-fA-F]+)|\#([0-9]+)|(\w+));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
DEEPEST = 250  # elements within each other


@dataclass
class Words:
    """Text between tags."""

    span: Span
    text: str


@dataclass
class Aside:
    """A comment or processing instruction."""

    span: Span


@dataclass
class Element:
    """An element: ``start`` its start tag, ``inner`` what is between the tags, ``end`` its end tag (empty: none)."""

    name: str
    """Without a prefix."""
    attributes: Mapping[str, str]
    """By name, with a prefix if they have one."""
    start: Span
    inner: Span
    parent: "Element | None" = None
    end: Span = (0, 0)
    children: list["Element | Words | Aside"] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """All of it."""
        return self.start[0], self.end[1]

    @property
    def elements(self) -> list["Element"]:
        """The elements directly inside."""
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        """All text inside."""
        return "".join(each.text for each in self.walk() if isinstance(each, Words))

    def child(self, name: str) -> "Element | None":
        """Return the first element of a name directly inside."""
        return next((each for each in self.elements if each.name == name), None)

    def walk(self) -> Iterator["Element | Words | Aside"]:
        """Give everything inside, in the order of the text."""
        waiting = list(reversed(self.children))
        while waiting:
            each = waiting.pop()
            yield each
            if isinstance(each, Element):
                waiting += reversed(each.children)

    def find(self, name: str) -> Iterator["Element"]:
        """Give the elements of a name inside, in the order of the text."""
        return (each for each in self.walk() if isinstance(each, Element) and each.name == name)

    def inherited(self, attribute: str) -> str | None:
        """Return an attribute of the element, or of the nearest around it that has it."""
        element: Element | None = self
        while element is not None:
            if attribute in element.attributes:
                return element.attributes[attribute]
            element = element.parent
        return None


def read_xml(data: bytes, name: str) -> tuple[Decoded, Element]:
    """Read an XML file; return its text and its first element.

    Raises:
        DataError: not well-formed, with declarations of its own, nested too deeply, or not of the encoding it declares.

    """
    declared = _DECLARED.search(data[:200])
    charset = declared[1].decode() if declared else _wide(data)
    file = decoded(data, name, charset if charset and not charset.lower().startswith("utf-16") else _wide(data))
    _check(file.text, name)
    return file, _tree(file.text)


def _wide(data: bytes) -> str | None:
    return {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}.get(data[:2])


def _check(text: str, name: str) -> None:
    """Let expat look for what is not XML."""
    parser = expat.ParserCreate("utf-8")
    depth = 0

    def refuse(reason: str) -> None:
        raise DataError(f"{name}, line {parser.CurrentLineNumber}: {reason}")

    def doctype(_: str, __: str | None, ___: str | None, internal: bool) -> None:
        if internal:
            refuse(
                "it has declarations of its own (DOCTYPE), which its format does not need and attacks use; remove them"
            )

    def skipped(entity: str, _: bool) -> None:
        refuse(f"the entity &{entity}; is not defined; write the character itself")

    def start(_: str, __: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            refuse(f"more than {DEEPEST:,} elements within each other")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = doctype
    parser.SkippedEntityHandler = skipped
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise DataError(f"{name}, line {error.lineno}: not well-formed XML: {reason}") from error


def _tree(text: str) -> Element:
    """Note where the elements of a well-formed text stand."""
    top = here = Element("", {}, (0, 0), (0, 0))
    for token in _TOKEN.finditer(text):
        if token["aside"] is not None:
            here.children.append(Aside(token.span()))
        elif token["end"] is not None:
            here.inner, here.end = (here.inner[0], token.start()), token.span()
            here = here.parent or top
        elif token["name"] is not None:
            attributes = {
                found[1]: unescaped(found[2] or found[3] or "") for found in _ATTRIBUTE.finditer(token["attributes"])
            }
            at = token.end()
            element = Element(token["name"].rpartition(":")[2], attributes, token.span(), (at, at), here, (at, at))
            here.children.append(element)
            here = here if token["empty"] else element
        else:
            raw = token["cdata"] if token["cdata"] is not None else unescaped(token["text"])
            here.children.append(Words(token.span(), raw))
    return top.elements[0]


def unescaped(text: str) -> str:
    """Return what a text of XML says."""
    return _REFERENCE.sub(_meaning, text) if "&" in text else text


def _meaning(reference: re.Match[str]) -> str:
    if reference[3]:
        return _NAMED.get(reference[3], reference[0])
    return chr(int(reference[1], 16) if reference[1] else int(reference[2]))


_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def escaped(text: str) -> str:
    """Write a text for XML, without characters that it cannot hold."""
    return _FORBIDDEN.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def with_attribute(text: str, element: Element, name: str, value: str) -> Edit:
    """Give an element's start tag an attribute, or another value for it."""
    tag = text[slice(*element.start)]
    for found in _ATTRIBUTE.finditer(tag):
        if found[1] == name:
            start, end = found.span(2 if found[2] is not None else 3)
            return Edit(element.start[0] + start, element.start[0] + end, (value,))
    at = element.start[1] - (2 if tag.endswith("/>") else 1)
    return Edit(at, at, (f' {name}="{value}"',))


def inserted_after(text: str, element: Element, parts: tuple[str | Span, ...]) -> Edit:
    """Write something after an element, with the white space that stands before that."""
    return Edit(element.span[1], element.span[1], (space_before(text, element.start[0]), *parts))


def space_before(text: str, place: int) -> str:
    """Return the white space that ends at a place."""
    start = place
    while start and text[start - 1].isspace():
        start -= 1
    return text[start:place]
