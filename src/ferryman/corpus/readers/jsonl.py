"""JSON lines: an object a line, two of whose keys are a pair."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ferryman.corpus.characters import one_line
from ferryman.corpus.lines import RawLine, raw_lines
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport
from ferryman.errors import DataError


def read_jsonl(path: Path, fields: tuple[str, str], report: ReadingReport) -> Iterator[Pair]:
    """Read the two fields of each object; blank lines are skipped and counted.

    Raises:
        DataError: a line is not UTF-8, not JSON or not an object; a field is missing, no string or holds half a
            surrogate pair.
    """
    for line in raw_lines(path):
        if not line.data.strip():
            report.skipped["blank line"] += 1
            continue
        try:
            value = _object(line)
            pair = Pair(_text(value, fields[0], line), _text(value, fields[1], line), str(path), line.number)
        except DataError as error:
            report.refuse("bad JSON line", error)
        else:
            yield pair


def _object(line: RawLine) -> dict[str, Any]:
    try:
        value = json.loads(line.text())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{line.path}, line {line.number}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{line.path}, line {line.number}: a JSON object is wanted, not {_kind(value)}")
    return value


def _text(value: dict[str, Any], field: str, line: RawLine) -> str:
    where = f"{line.path}, line {line.number}"
    if field not in value:
        keys = ", ".join(list(value)[:8]) or "none"
        raise DataError(f'{where}: there is no key "{field}" (keys: {keys}); set data.fields')
    text = value[field]
    if not isinstance(text, str):
        raise DataError(f'{where}: "{field}" must be a string, not {_kind(text)}')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(text[error.start]):04x}"
        raise DataError(f'{where}: "{field}" holds {half}, half of a surrogate pair, which is no character') from error
    return one_line(text)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
