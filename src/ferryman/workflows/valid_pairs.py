"""The pairs to validate on, as they lie beside a prepared corpus: a JSON object a line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ferryman.corpus import Pair
from ferryman.errors import DataError
from ferryman.files import write_text
from ferryman.text.directions import Direction
from ferryman.wording import counted


def write_valid(path: Path, valid: Mapping[Direction, Sequence[Pair]]) -> None:
    """Write pairs, each with its direction where there are several."""
    several = len(valid) > 1
    rows = (
        {"source": pair.source, "target": pair.target} | ({"from": one.source, "to": one.target} if several else {})
        for one, pairs in valid.items()
        for pair in pairs
    )
    write_text(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def read_valid(path: Path, known: Sequence[Direction], count: int | None) -> dict[Direction, list[Pair]]:
    """Read the pairs of each known direction.

    Raises:
        DataError: the file is missing or damaged, or there are not ``count`` pairs in it, where that is known.
    """
    valid: dict[Direction, list[Pair]] = {direction: [] for direction in known}
    try:
        rows = path.read_text(encoding="utf-8").split("\n")[:-1]
        for line, row in enumerate(rows, start=1):
            value = json.loads(row)
            direction = Direction(value["from"], value["to"]) if "to" in value else known[0]
            valid[direction].append(Pair(value["source"], value["target"], str(path), line))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error}); delete {path.parent} to prepare it again") from error
    if count is not None and len(rows) != count:
        raise DataError(
            f"{path}: damaged, it holds {counted(len(rows), 'pair')} and was written with {count:,}; delete "
            f"{path.parent} to prepare it again"
        )
    return valid
