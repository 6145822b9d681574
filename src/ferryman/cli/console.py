"""What every command shares: where messages go, how errors end, progress on a terminal or in plain lines."""

import errno
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import UnsupportedOperation
from pathlib import Path

import typer
from rich.console import Console

from ferryman.errors import ConfigError, FerrymanError
from ferryman.files import naming

STARTED = time.monotonic()
OUTPUT = "standard output"
SPIN_COUNT = "10000"  # of GNU OpenMP, about 20 microseconds
FAILED, USAGE, SIGNALLED = 1, 2, 128  # SIGNALLED + a signal's number: ended by it

messages = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)


def elapsed() -> float:
    """Tell the seconds since the command started, before the library was loaded."""
    return time.monotonic() - STARTED


def program() -> str:
    """Tell how to start this command again: its name where it can be found by it, else as it was started."""
    started = Path(sys.argv[0])
    return "ferryman" if shutil.which("ferryman") or started.name != "ferryman" else str(started)


def share_cores() -> None:
    """Keep threads that wait from spinning for long; to be called before PyTorch is loaded.

    On a machine whose cores others use too, spinning makes training several times slower; see docs/decisions/0004.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)


def use_utf8() -> None:
    """Read and write UTF-8 whatever the locale says."""
    # Where whoever started the command has closed one: nothing to read, results refused, messages for nobody.
    for name, mode in (("stdin", "r"), ("stdout", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace" if stream is sys.stderr else "strict")


def say(text: str) -> None:
    """Print a message on standard error."""
    messages.print(text)


def duration(seconds: float) -> str:
    """Write a time as hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def write(text: str) -> None:
    """Print a result on standard output."""
    with naming(OUTPUT):
        sys.stdout.write(text + "\n")


def flush() -> None:
    """Send what was written on its way."""
    with naming(OUTPUT):
        sys.stdout.flush()


def refusal(error: OSError) -> str:
    """Say in a line what the operating system refused, and what to do if the disk is full."""
    room = "; make room and try again" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    reason = "it is closed" if isinstance(error, UnsupportedOperation) else error.strerror or error
    return f"ferryman: {error.filename or 'a file'}: {reason}{room}"


@contextmanager
def reported(debug: bool) -> Iterator[None]:
    """Turn errors into one line on standard error and an exit code; with ``debug``, into a traceback."""
    try:
        yield
        flush()
    except FerrymanError as error:
        if debug:
            raise
        say(f"ferryman: {error}")
        raise typer.Exit(USAGE if isinstance(error, ConfigError) else FAILED) from error
    except KeyboardInterrupt as error:
        say("ferryman: interrupted")
        raise typer.Exit(SIGNALLED + (error.args[0] if error.args else signal.SIGINT)) from error
    except BrokenPipeError as error:
        # The reader has gone, as with "| head": not an error, and nothing can be printed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from error
    except OSError as error:
        if debug:
            raise
        say(refusal(error))
        raise typer.Exit(FAILED) from error
