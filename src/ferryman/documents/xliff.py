"""XLIFF 1.x and 2.x: units without a translation get a target, and a state that says a person should look at it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ferryman.corpus.languages import canonical, related
from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment
from ferryman.documents.encoding import as_document
from ferryman.documents.inline import ALONE, CLOSE, OPEN, TEXT, Content, Piece
from ferryman.documents.xml import Element, Words, escaped, inserted_after, read_xml, with_attribute
from ferryman.errors import DataError

# Inline elements that stand for the codes of a document: what is inside them is no text.
_OPENING, _CLOSING = {"bpt", "bx", "sc", "sm"}, {"ept", "ex", "ec", "em"}
_CODES = {"ph", "it", "ut", "x", "cp", *_OPENING, *_CLOSING}
_UNTRANSLATED = {"new", "initial", "needs-translation"}


@dataclass(frozen=True)
class _Unit:
    """What has one translation: a ``trans-unit`` of 1.x, a ``segment`` of 2.x."""

    element: Element
    source: Element
    target: Element | None
    stated: Element | None
    """What has the attribute ``state``."""


def read_xliff(data: bytes, reading: Reading) -> Document:
    """Read an XLIFF file.

    Units that have a target, unless its state says that it is none (``new``, ``needs-translation``; if wanted, any
    ``needs-…``), and units with ``translate="no"`` are kept.

    Raises:
        DataError: not XLIFF, not well-formed, or of other languages than the model's.

    """
    file, root = read_xml(data, reading.name)
    if root.name != "xliff":
        raise DataError(f"{reading.name}: not XLIFF: its first element is <{root.name}>, not <xliff>")
    found, lines = Found(), Lines(file.text)
    second = root.attributes.get("version", "1").startswith("2")
    for unit in _units(root, second):
        line = lines.at(unit.source.start[0])
        if reason := _reason_to_keep(unit, reading):
            found.kept[reason] += 1
            continue
        home = root if second else _file_of(unit.element)
        _check_languages(home, second, reading, line)
        folded = unit.source.inherited("xml:space") != "preserve"
        content = Content.trimmed(_pieces(unit.source), folded=folded)
        if not content.has_words:
            found.kept["no words"] += 1
            continue
        named = list(_named(file.text, home, second, reading))
        write = partial(_write, file.text, unit, content, named, _state(second, reading))
        found.segments.append(Segment(content.source, write, line, in_place=False))
    return as_document(file, found, "xmlcharrefreplace")


def _units(root: Element, second: bool) -> Iterator[_Unit]:
    for element in root.find("segment" if second else "trans-unit"):
        source, target = element.child("source"), element.child("target")
        if source is None:
            continue
        if second:
            yield _Unit(element, source, target, element)
        else:
            yield _Unit(element, element.child("seg-source") or source, target, target)


def _file_of(element: Element) -> Element:
    while element.parent is not None and element.name != "file":
        element = element.parent
    return element


def _reason_to_keep(unit: _Unit, reading: Reading) -> str:
    if unit.element.inherited("translate") == "no":
        return "not to be translated"
    if unit.element.attributes.get("approved") == "yes":
        return "approved"
    if unit.target is None or (not unit.target.text.strip() and not unit.target.elements):
        return ""
    state = unit.stated.attributes.get("state", "") if unit.stated else ""
    if state in _UNTRANSLATED or (reading.fuzzy and state.startswith("needs-")):
        return ""
    return "already translated"


def _check_languages(home: Element, second: bool, reading: Reading, line: int) -> None:
    names = ("srcLang", "trgLang") if second else ("source-language", "target-language")
    wanted = (reading.source_language, reading.target_language)
    for name, language in zip(names, wanted, strict=True):
        found = canonical(home.attributes.get(name, ""))
        if found and language and not related(language, found):
            raise DataError(
                f"{reading.name}, line {line}: {name} is {found}, but the model translates from {wanted[0] or '?'} "
                f"into {wanted[1]}; take another model, or correct the attribute"
            )


def _pieces(source: Element) -> list[Piece]:
    pieces: list[Piece] = []
    for child in source.children:
        if isinstance(child, Words):
            pieces.append(Piece(TEXT, child.span, child.text))
        elif not isinstance(child, Element):
            pieces.append(Piece(ALONE, child.span))
        elif child.name in _CODES or child.attributes.get("translate") == "no" or _is_protected(child):
            kind = OPEN if child.name in _OPENING else CLOSE if child.name in _CLOSING else ALONE
            pieces.append(Piece(kind, child.span))
        elif not child.children:
            pieces.append(Piece(ALONE, child.span))
        else:
            pieces += [Piece(OPEN, child.start), *_pieces(child), Piece(CLOSE, child.end)]
    return pieces


def _is_protected(element: Element) -> bool:
    return element.name == "mrk" and element.attributes.get("mtype") == "protected"


def _named(text: str, home: Element, second: bool, reading: Reading) -> Iterator[Edit]:
    """Name the language that is translated into, where nothing does."""
    name = "trgLang" if second else "target-language"
    if reading.target_language and not home.attributes.get(name):
        yield with_attribute(text, home, name, reading.target_language)


def _state(second: bool, reading: Reading) -> str:
    """Say that the translation is there and, if wanted, is to be reviewed, which ``translated`` means in 2.x."""
    return "needs-review-translation" if reading.mark and not second else "translated"


def _write(text: str, unit: _Unit, content: Content, named: list[Edit], state: str, translation: str) -> list[Edit]:
    start, end = content.span
    filled = content.fill(translation, escaped)
    parts = ((unit.source.inner[0], start), *filled, (end, unit.source.inner[1]))
    edits = list(named)
    if unit.stated is not None:
        edits.append(with_attribute(text, unit.stated, "state", state))
    if unit.target is None:
        attribute = f' state="{state}"' if unit.stated is None else ""
        prefix = _prefix(text, unit.source)
        new = (f"<{prefix}target{attribute}>", *parts, f"</{prefix}target>")
        edits.append(inserted_after(text, unit.source, new))
    elif unit.target.end == (unit.target.start[1], unit.target.start[1]):  # <target/>
        opened = (unit.target.start[0], unit.target.start[1] - len("/>"))
        edits.append(Edit(*unit.target.start, (opened, ">", *parts, f"</{_prefix(text, unit.source)}target>")))
    else:
        edits.append(Edit(*unit.target.inner, parts))
    return edits


def _prefix(text: str, element: Element) -> str:
    name = text[element.start[0] + 1 :].partition("source")[0]
    return name.removesuffix("seg-")
