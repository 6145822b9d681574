"""YAML string files (Rails, Symfony): values are translated; keys, comments, anchors and layout stay.

A single key at the top that is the source language's code, as in Rails, becomes the target language's.
"""

import json
import re
from collections.abc import Iterator
from functools import partial

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ferryman.documents.document import Document, Edit, Found, Reading, Segment
from ferryman.documents.encoding import as_document, decoded
from ferryman.documents.json_strings import reason_to_keep
from ferryman.errors import DataError

_STRING = "tag:yaml.org,2002:str"
_PLAIN = re.compile(r"[^\W\d_][^:#\n\"'\[\]{}&*!|>%@`,]*")  # surely no other thing than a string
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")  # an anchor, a tag
_NOT_STRINGS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n", "~"}


def read_yaml(data: bytes, reading: Reading) -> Document:
    """Read a YAML file, of one or several documents.

    Raises:
        DataError: not YAML, or not UTF-8 (or another encoding told by a byte order mark).

    """
    file, found = decoded(data, reading.name), Found()
    # A value's place is an index into the text, which is the same only if that has no byte order mark.
    try:
        yaml = YAML(pure=True)
        yaml.composer.warn_double_anchors = False  # which may be, and would be told with words of the file
        roots = list(yaml.compose_all(file.text))
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise DataError(f"{reading.name}, line {line}: not YAML: {error.problem}") from error
    except RecursionError as error:
        raise DataError(f"{reading.name}: nested too deeply") from error
    except YAMLError as error:
        raise DataError(f"{reading.name}: not YAML: {' '.join(str(error).split())[:200]}") from error
    for root in roots:
        language = _language(root, reading)
        for node in _strings(root, set()):
            _add(file.text, node, language, found)
    return as_document(file, found)


def _language(root: Node | None, reading: Reading) -> list[Edit]:
    if isinstance(root, MappingNode) and len(root.value) == 1:
        key = root.value[0][0]
        if reading.target_language and isinstance(key, ScalarNode) and key.value == reading.source_language:
            return [Edit(key.start_mark.index, key.end_mark.index, (reading.target_language,))]
    return []


def _strings(node: Node | None, seen: set[int]) -> Iterator[ScalarNode]:
    """Give the strings that are values, those that several aliases name once."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, ScalarNode):
        if node.tag == _STRING:
            yield node
    elif isinstance(node, MappingNode):
        for _, value in node.value:
            yield from _strings(value, seen)
    elif isinstance(node, SequenceNode):
        for value in node.value:
            yield from _strings(value, seen)


def _add(text: str, node: ScalarNode, language: list[Edit], found: Found) -> None:
    properties = _PROPERTIES.match(text, node.start_mark.index)
    start, end = properties.end() if properties else node.start_mark.index, node.end_mark.index
    line = node.start_mark.line + 1
    if reason := reason_to_keep(node.value):
        found.kept[reason] += 1
    elif node.style in ("|", ">"):
        for source, span in _block(text, start, end, folded=node.style == ">"):
            first = line + text.count("\n", start, span[0])
            found.segments.append(Segment(source, partial(_write_line, span, language), first))
    else:
        source = node.value.strip()
        write = partial(_write, (start, end), node.value.partition(source), node.style or "", language)
        found.segments.append(Segment(source, write, line))


def _block(text: str, start: int, end: int, *, folded: bool) -> list[tuple[str, tuple[int, int]]]:
    """Find the lines of a block that are translated each by itself; of a folded one, the paragraphs."""
    first = text.index("\n", start) + 1
    pattern = r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*" if folded else r"\S[^\n]*"
    blocks = []
    for one in re.compile(pattern).finditer(text, first, end):
        source = " ".join(one[0].split()) if folded else one[0].rstrip()
        if not reason_to_keep(source):
            blocks.append((source, (one.start(), one.start() + len(one[0].rstrip()))))
    return blocks


def _write_line(span: tuple[int, int], language: list[Edit], translation: str) -> list[Edit]:
    return [Edit(*span, (" ".join(translation.split()),)), *language]


def _write(
    span: tuple[int, int], around: tuple[str, str, str], style: str, language: list[Edit], translation: str
) -> list[Edit]:
    """Write a string in its style, or in double quotation marks where that could mean something else."""
    value = around[0] + translation + around[2]
    if style == "'" and "\n" not in value:
        written = "'" + value.replace("'", "''") + "'"
    elif not style and _PLAIN.fullmatch(value) and value == value.strip() and value.lower() not in _NOT_STRINGS:
        written = value
    else:
        quoted = json.dumps(value, ensure_ascii=False)
        written = _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", quoted)
    return [Edit(*span, (written,)), *language]
