"""TMX, translation memories: units that lack the target language get a variant in it."""

from functools import partial

from ferryman.corpus.languages import OTHER, closeness, related
from ferryman.documents.document import Document, Edit, Found, Lines, Reading, Segment
from ferryman.documents.encoding import as_document
from ferryman.documents.inline import ALONE, CLOSE, OPEN, TEXT, Content, Piece
from ferryman.documents.xml import Element, Words, escaped, inserted_after, read_xml, space_before
from ferryman.errors import DataError

_CREATOR = "Ferryman"  # by which translations nobody has looked at can be found
_KINDS = {"bpt": OPEN, "ept": CLOSE, "ph": ALONE, "it": ALONE, "ut": ALONE}


def read_tmx(data: bytes, reading: Reading) -> Document:
    """Read a TMX file.

    Units that have the target language already, and those without the source language, are kept.

    Raises:
        DataError: not TMX, not well-formed, of unknown languages, or without any unit in the source language.

    """
    file, root = read_xml(data, reading.name)
    if root.name != "tmx":
        raise DataError(f"{reading.name}: not TMX: its first element is <{root.name}>, not <tmx>")
    found, lines = Found(), Lines(file.text)
    wanted = reading.source_language or _source_language(root)
    if not wanted or not reading.target_language:
        raise DataError(f"{reading.name}: a TMX file may hold many languages, and the model's are not known")
    for unit in root.find("tu"):
        segment = _segment(file.text, unit, wanted, reading, lines)
        if isinstance(segment, Segment):
            found.segments.append(segment)
        else:
            found.kept[segment] += 1
    return as_document(file, found, "xmlcharrefreplace")


def _source_language(root: Element) -> str:
    header = root.child("header")
    return header.attributes.get("srclang", "") if header else ""


def _segment(text: str, unit: Element, wanted: str, reading: Reading, lines: Lines) -> Segment | str:
    """Make a segment of a unit; or tell the reason to keep it."""
    variants = [(one.attributes.get("xml:lang") or one.attributes.get("lang", ""), one) for one in unit.find("tuv")]
    ranked = sorted(variants, key=lambda variant: -closeness(wanted, variant[0]))
    if not ranked or (closeness(wanted, ranked[0][0]) == OTHER and not related(wanted, ranked[0][0])):
        return "no text in the source language"
    if any(related(reading.target_language, language) for language, _ in variants):
        return "already translated"
    source = ranked[0][1].child("seg")
    content = Content.trimmed(_pieces(source)) if source else Content(())
    if source is None or not content.has_words:
        return "no words"
    write = partial(_write, text, ranked[0][1], source, content, reading)
    return Segment(content.source, write, lines.at(source.start[0]), in_place=False)


def _pieces(segment: Element) -> list[Piece]:
    pieces: list[Piece] = []
    for child in segment.children:
        if isinstance(child, Words):
            pieces.append(Piece(TEXT, child.span, child.text))
        elif not isinstance(child, Element) or child.name in _KINDS or not child.children:
            pieces.append(Piece(_KINDS.get(child.name, ALONE) if isinstance(child, Element) else ALONE, child.span))
        else:
            pieces += [Piece(OPEN, child.start), *_pieces(child), Piece(CLOSE, child.end)]
    return pieces


def _write(
    text: str, variant: Element, source: Element, content: Content, reading: Reading, translation: str
) -> list[Edit]:
    start, end = content.span
    attribute = "xml:lang" if "xml:lang" in variant.attributes else "lang"
    marked = f' creationid="{_CREATOR}"' if reading.mark else ""
    parts = (
        f'<tuv {attribute}="{reading.target_language}"{marked}>',
        space_before(text, source.start[0]),
        (source.start[0], start),
        *content.fill(translation, escaped),
        (end, source.end[1]),
        space_before(text, variant.inner[1]),
        "</tuv>",
    )
    return [inserted_after(text, variant, parts)]
