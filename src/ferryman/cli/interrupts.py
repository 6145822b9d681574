"""Ctrl-C, SIGTERM and SIGHUP during training: the first one saves and stops, a second one stops at once."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import typer

from ferryman.cli.console import SIGNALLED

if TYPE_CHECKING:
    from ferryman.workflows.run import TrainingRun

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def stopping_on_signals(run: "TrainingRun") -> Iterator[None]:
    """Let signals stop a run between two steps; leave with exit code 128 + the signal's number, as shells have it.

    Before the first step there is nothing to save: then they end the command at once. Signals that were ignored when
    the command began (``nohup``) stay ignored.
    """
    heeded = [number for number in SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    before = {number: signal.getsignal(number) for number in heeded}
    caught: list[int] = []

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, _frame: FrameType | None) -> None:
        restore()
        caught.append(number)
        if not run.stop(f"interrupted by {signal.Signals(number).name}"):
            raise KeyboardInterrupt(number)
        # Not through the console: it may be the one that was interrupted.
        with suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), b"\nstopping after this step; once more to stop at once without saving\n")

    for number in heeded:
        signal.signal(number, handle)
    try:
        yield
    finally:
        restore()
    if caught:
        raise typer.Exit(SIGNALLED + caught[0])
