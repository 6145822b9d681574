"""Ctrl-C, SIGTERM and SIGHUP. During training the first one saves and stops, a second one stops at once.

Of several processes it does not matter which one gets it. There, later ones are not heeded: Ctrl-C reaches each process
twice, from the terminal and from torchrun, which ends by itself those that take too long to save.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import typer

from ferryman.cli.console import FAILED, SIGNALLED

if TYPE_CHECKING:
    from ferryman.training.distributed import Workers
    from ferryman.workflows.run import TrainingRun

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
REASON = "interrupted by "
SAVING = "\nstopping after this step"


def exit_code(reason: str) -> int:
    """Tell the exit code of a run that was stopped for a reason, whichever process was asked."""
    interrupted = reason.startswith(REASON)
    return SIGNALLED + signal.Signals[reason.removeprefix(REASON)] if interrupted else FAILED


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, so that it removes what it has written in part."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    by_default = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in by_default:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in by_default:
            signal.signal(number, before[number])


@contextmanager
def stopping_on_signals(run: "TrainingRun", workers: "Workers | None" = None) -> Iterator[None]:
    """Let signals stop a run between two steps; leave with exit code 128 + the signal's number, as shells have it.

    Before the first step there is nothing to save: then they end the command at once. Signals that were ignored when
    the command began (``nohup``) stay ignored.
    """
    heeded = [number for number in SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    before = {number: signal.getsignal(number) for number in heeded}
    together = workers is not None and workers.world > 1
    caught: list[int] = []

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, _frame: FrameType | None) -> None:
        if together:
            for heard in heeded:
                signal.signal(heard, signal.SIG_IGN)
        else:
            restore()
        caught.append(number)
        if not run.stop(f"{REASON}{signal.Signals(number).name}"):
            raise KeyboardInterrupt(number)
        # Not through the console: it may be the one that was interrupted.
        with suppress(OSError, ValueError):
            text = SAVING if together else f"{SAVING}; once more to stop at once without saving"
            os.write(sys.stderr.fileno(), f"{text}\n".encode())

    for number in heeded:
        signal.signal(number, handle)
    try:
        yield
    finally:
        restore()
    if caught:
        raise typer.Exit(SIGNALLED + caught[0])
