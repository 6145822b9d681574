"""``metrics.jsonl``: one JSON object a line for every logged step, validation and stop of a run."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ferryman.files import naming, write_text
from ferryman.training.events import Event, Logged, Stopped, Validated

KINDS = {Logged: "step", Validated: "validation", Stopped: "stop"}


class MetricsFile:
    """Appends events to a metrics file; a run that goes on takes back what came after its saved state."""

    def __init__(self, path: Path, *, step: int, validations: int) -> None:
        """Open the file and drop what was written after ``step`` or after so many ``validations``.

        A run killed after a validation, before that was saved, makes it again at the very same step.
        """
        if path.exists():
            kept = [line for line in read_metrics(path) if line["step"] <= step and line["kind"] != "stop"]
            write_text(path, "".join(map(_line, _with_validations(kept, validations))))
        self.path = path
        self.file = path.open("a", encoding="utf-8", newline="\n")

    def write(self, event: Event) -> None:
        """Append an event of the kinds that are kept; others are passed over."""
        kind = KINDS.get(type(event))
        if kind:
            with naming(self.path):
                self.file.write(_line({"kind": kind, **asdict(event)}))
                self.file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with naming(self.path):
            self.file.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read a metrics file; a last line cut off by a crash is left out."""
    records = []
    for line in path.read_bytes().split(b"\n"):
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def _with_validations(records: list[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    for record in records:
        count -= record["kind"] == "validation"
        if count >= 0 or record["kind"] != "validation":
            yield record


def _line(record: dict[str, Any]) -> str:
    return json.dumps(_finite(record), ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Put null where a number is not finite: JSON has no other word for it."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
