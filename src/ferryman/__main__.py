"""The command ``ferryman``, also as ``python -m ferryman``."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from ferryman.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def interrupt(_number: int, frame: FrameType | None) -> None:
    """Answer Ctrl-C: end at once while a module is being imported, else raise ``KeyboardInterrupt``.

    An import turns the exception into another one, or loses it, and has nothing to clean up.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os.write(2, b"ferryman: interrupted\n")
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
