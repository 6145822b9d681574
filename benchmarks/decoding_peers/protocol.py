"""What the decoding benchmark and its sides tell each other.

A side reads a ``Task`` (one line of JSON) from standard input, loads its model, translates one sentence and answers
with its version. Then every line is a ``Request``, and it answers how long that took. Sentences are token ids without
end symbols, and so are translations. Needs nothing but Python, so that it can be read in any environment.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

EOS, UNKNOWN, FIRST_WORD = 0, 1, 2  # as in Marian's vocabularies, whose last entry is the padding


@dataclass(frozen=True)
class Task:
    """A model in all its forms, and how a side is to run it."""

    folder: str
    sentences: str
    preset: str
    settings: list[str]
    pad: int
    max_length: int  # tokens of a translation, at the most; no sentence's comes near
    device: str  # "cpu" or "cuda"
    compute: str  # "float32", "int8" or "bfloat16"
    replicas: int  # of the model inside the process
    threads: int  # of each

    def to_line(self) -> str:
        """Write as one line of JSON."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Request:
    """Sentences to translate, by number, and how."""

    sentences: list[int]
    beam: int
    at_once: int  # sentences handed over at a time; 0: all of them, and the side makes batches as it likes
    batch_tokens: int  # source tokens of the batches that it makes, padding counted and beams not
    outputs: bool = False  # whether to answer with the translations

    def to_line(self) -> str:
        """Write as one line of JSON."""
        return json.dumps(asdict(self))


Output = tuple[Sequence[int], float | None]
"""A translation and its log-probability, where the side tells it."""
Search = Callable[[Sequence[list[int]], int, int], list[Output]]
"""Translate rows with a beam, in batches of so many tokens; 0: in one batch."""


def serve(package: str, build: Callable[[Task], Search]) -> None:
    """Be a side: load the model and answer requests until standard input ends.

    Args:
        package: the distribution whose version is told.
        build: loads the model and makes its search.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    task = Task(**json.loads(sys.stdin.readline()))
    rows: list[list[int]] = json.loads(Path(task.sentences).read_text(encoding="utf-8"))
    search = build(task)
    search([min(rows, key=len)], 1, 0)  # what is only set up when needed belongs to the start
    print(json.dumps({"version": version(package)}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(search, rows, Request(**json.loads(line)))), file=answers, flush=True)


def answer(search: Search, rows: Sequence[list[int]], request: Request) -> dict[str, Any]:
    """Translate; tell the seconds, the tokens (end symbols counted) and the most memory that the process ever took."""
    chosen = [rows[number] for number in request.sentences]
    size = request.at_once or len(chosen) or 1  # of few sentences, one of several processes may get none
    start = time.perf_counter()
    found = [
        output
        for first in range(0, len(chosen), size)
        for output in search(chosen[first : first + size], request.beam, 0 if request.at_once else request.batch_tokens)
    ]
    told = {
        "seconds": time.perf_counter() - start,
        "tokens": sum(len(tokens) + 1 for tokens, _ in found),
        "peak_bytes": peak_bytes(),
    }
    if request.outputs:
        told["outputs"] = [[list(tokens), log_prob] for tokens, log_prob in found]
    return told


def peak_bytes() -> int:
    """Measure this process's peak of resident memory.

    Linux's own figure for a process that was started by a larger one is that of the larger one, so it is read where it
    is right.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) << 10 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def batches(rows: Sequence[Sequence[int]], batch_tokens: int) -> Iterator[list[int]]:
    """Put rows of like length together, longest first, for sides that do not do it themselves; 0: all in one."""
    order = sorted(range(len(rows)), key=lambda number: -len(rows[number]))
    start = 0
    while start < len(order):
        size = max(1, batch_tokens // (len(rows[order[start]]) + 1)) if batch_tokens else len(order)
        yield order[start : start + size]
        start += size


def in_batches(search: Callable[[list[list[int]], int], list[Output]]) -> Search:
    """Make a search of a function that translates one batch."""

    def whole(rows: Sequence[list[int]], beam: int, batch_tokens: int) -> list[Output]:
        found: dict[int, Output] = {}
        for batch in batches(rows, batch_tokens):
            found.update(zip(batch, search([rows[number] for number in batch], beam), strict=True))
        return [found[number] for number in range(len(rows))]

    return whole
