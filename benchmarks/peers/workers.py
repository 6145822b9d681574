"""The processes of the sides, and talking to them."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from peers.protocol import Task

BENCHMARKS = Path(__file__).resolve().parents[1]
TURN = "turn"


class WorkerError(Exception):
    """A side could not be built or stopped; says why."""


class Conversation:
    """A process that answers every line of JSON with another."""

    def __init__(self, module: str, python: Path, messages: Path) -> None:
        """Start the process.

        Args:
            module: what it runs.
            python: the interpreter of its environment.
            messages: where to keep what it says on standard error.

        Raises:
            WorkerError: it cannot be started.

        """
        environment = dict(os.environ)
        here = environment.get("PYTHONPATH") if python == Path(sys.executable) else None
        environment["PYTHONPATH"] = os.pathsep.join([str(BENCHMARKS), *([here] if here else [])])
        self.messages = messages
        try:
            with messages.open("w", encoding="utf-8") as said:
                self.process = subprocess.Popen(
                    [python, "-P", "-m", module],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    env=environment,
                )
        except OSError as error:
            raise WorkerError(f"{python}: {error.strerror}") from error

    def ask(self, line: str) -> dict[str, Any]:
        """Say a line and wait for the answer.

        Raises:
            WorkerError: it stopped.

        """
        self.tell(line)
        return self.hear()

    def tell(self, line: str) -> None:
        """Say a line; if nobody is there any more, ``hear`` will tell."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            print(line, file=self.process.stdin, flush=True)

    def hear(self) -> dict[str, Any]:
        """Wait for an answer.

        Raises:
            WorkerError: it stopped.

        """
        assert self.process.stdout is not None
        if answer := self.process.stdout.readline():
            result: dict[str, Any] = json.loads(answer)
            return result
        self.close()
        said = self.messages.read_text(encoding="utf-8").strip().splitlines()
        raise WorkerError(said[-1] if said else f"stopped with exit code {self.process.returncode}")

    def close(self) -> None:
        """End the process."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # it may have died with a line unread
                    stream.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Worker(Conversation):
    """One side in its process: what it is, and the seconds and losses of its turns."""

    def __init__(self, module: str, python: Path, task: Task, folder: Path) -> None:
        """Start the process and wait until its model is built.

        Args:
            module: the file in ``peers``, without ending.
            python: the interpreter of its environment.
            task: what it is to train.
            folder: where to keep what it says on standard error.

        Raises:
            WorkerError: it cannot be started or built.

        """
        super().__init__(f"peers.{module}", python, folder / f"{module}.txt")
        self.seconds: list[float] = []
        self.losses: list[float] = []
        self.about = self.ask(task.to_line())

    def take_turn(self) -> None:
        """Let it take a step on every batch.

        Raises:
            WorkerError: it stopped.

        """
        answer = self.ask(TURN)
        self.seconds.append(answer["seconds"])
        self.losses.append(answer["loss"])
