"""Translations that can be read while they are searched for."""

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue

from ferryman.decoding import BeamStep

Watch = Callable[[int, tuple[int, ...]], None]  # takes the index of a row and the tokens of its likeliest hypothesis
Tell = Callable[[str], None]


class Follower:
    """Tells after each step of a beam search the likeliest hypothesis of every sentence, by the search's events."""

    def __init__(self, rows: Sequence[int], watch: Watch) -> None:
        """Set up; ``rows`` are the indices of the batch's sentences."""
        self.rows = rows
        self.watch = watch
        self.beams: dict[int, list[tuple[int, ...]]] = {}

    def __call__(self, step: BeamStep) -> None:
        """Follow one step."""
        columns = (step.sentences, step.token, step.origin, step.kept)
        for sentence, token, origin, kept in zip(*(column.tolist() for column in columns), strict=True):
            past = self.beams.get(sentence, [()] * len(kept))
            paths = [(*past[before], last) for before, last in zip(origin, token, strict=True)]
            self.beams[sentence] = [paths[place] for place in kept]
            self.watch(self.rows[sentence], paths[0])


class Partial:
    """Makes text of what a watched search tells of the pieces of one source."""

    def __init__(self, decode: Callable[[Sequence[int]], str], separator: str, tell: Tell) -> None:
        self.decode = decode
        self.separator = separator
        self.tell = tell
        self.pieces: dict[int, str] = {}

    def __call__(self, row: int, tokens: tuple[int, ...]) -> None:
        """Take a piece's likeliest beginning."""
        self.pieces[row] = self.decode(tokens).strip().rstrip("\N{REPLACEMENT CHARACTER}")
        self.tell(self.separator.join(text for _, text in sorted(self.pieces.items()) if text))


class _Left(Exception):  # noqa: N818 - not an error
    """Nobody reads any more."""


def stream(translate: Callable[[Tell], str]) -> Iterator[str]:
    """Yield what ``translate`` tells while it works, each time that it changes, and at last what it returns.

    It works in a thread of its own, which ends when the iterator is closed. What it raises is raised here.
    """
    told: SimpleQueue[str | BaseException | None] = SimpleQueue()
    left = threading.Event()

    def tell(text: str) -> None:
        if left.is_set():
            raise _Left
        told.put(text)

    def work() -> None:
        try:
            told.put(translate(tell))
            told.put(None)
        except BaseException as error:
            told.put(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        last = None
        while (text := told.get()) is not None:
            if isinstance(text, BaseException):
                raise text
            if text != last:
                yield text
            last = text
    finally:
        left.set()
        worker.join()
