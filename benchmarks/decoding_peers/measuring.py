"""One case at a time: every side finds its best arrangement, then they take turns."""

import statistics
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from decoding_peers.crews import SIDES, Arrangement, Crew, Side, Yard, describe
from decoding_peers.protocol import Request
from peers.environments import NotInstalledError
from peers.workers import WorkerError

TUNED_ON = 8  # of so many sentences, arrangements of a file are tried on one; and warmed up on one


@dataclass(frozen=True)
class Plan:
    """How carefully to measure."""

    rounds: int
    sizes: tuple[int, ...]  # of batches, in source tokens, to try


THOROUGH_SIZES, QUICK_SIZES = (1024, 512, 2048, 4096), (1024, 2048)
GPU_SIZES = (8192, 4096, 16384, 32768)


@dataclass(frozen=True)
class Case:
    """What is translated."""

    sentences: int  # the first so many
    at_once: int  # 0: a whole file
    beam: int
    threads: int

    def request(self, every: int = 1, batch_tokens: int = 0, *, outputs: bool = False) -> Request:
        """Ask for one of ``every`` sentences."""
        return Request(list(range(0, self.sentences, every)), self.beam, self.at_once, batch_tokens, outputs)


@dataclass(frozen=True)
class Choice:
    """A side's way of running a case."""

    arrangement: Arrangement
    batch_tokens: int


def arrangements(side: Side, case: Case) -> list[Arrangement]:
    """List the ways to use the threads of a case."""
    together, alone = Arrangement(threads=case.threads), Arrangement()
    if case.threads == 1:
        return [alone]
    replicas = Arrangement(replicas=case.threads)
    if case.at_once == 0:
        return [*([replicas] if side.has_replicas else []), together]
    return [together, alone, *([replicas] if side.has_replicas and case.at_once > 1 else [])]


def tune(name: str, case: Case, yard: Yard, sizes: tuple[int, ...]) -> Choice:
    """Find a side's fastest arrangement, and then its fastest batches, on a part of a file.

    Raises:
        NotInstalledError: see ``Yard.hire``.
        WorkerError: it stopped.

    """
    side = SIDES[name]
    every = side.share * (1 if case.at_once else TUNED_ON)
    found: dict[Choice, float] = {}

    def fastest(choices: list[Choice]) -> Choice:
        for choice in choices:
            if len(choices) > 1 and choice not in found:
                crew = yard.borrow(name, choice.arrangement)
                crew.work(case.request(every * TUNED_ON, choice.batch_tokens))  # to warm up
                found[choice] = crew.work(case.request(every, choice.batch_tokens))["seconds"]
        return min(choices, key=lambda choice: found.get(choice, 0.0))

    batch_tokens = 0 if case.at_once else sizes[0]
    best = fastest([Choice(arrangement, batch_tokens) for arrangement in arrangements(side, case)])
    if case.at_once or side.share > 1:
        return best
    return fastest([Choice(best.arrangement, size) for size in sizes])


@dataclass
class Turns:
    """A side's crew and what it has done."""

    crew: Crew
    choice: Choice
    seconds: list[float] = field(default_factory=list)
    tokens: int = 0

    def take(self, request: Request) -> None:
        """Take a turn."""
        done = self.crew.work(request)
        self.seconds.append(done["seconds"])
        self.tokens = done["tokens"]

    def figures(self) -> dict[str, Any]:
        """Say how fast it was and in which arrangement; the median turn counts."""
        return {
            "tokens_per_second": round(self.tokens / statistics.median(self.seconds), 1),
            "slowest_and_fastest_turn": [round(self.tokens / pick(self.seconds), 1) for pick in (max, min)],
            **describe(self.crew, self.choice.arrangement, self.choice.batch_tokens),
        }


def measure(case: Case, names: list[str], yard: Yard, plan: Plan, missing: dict[str, str]) -> dict[str, Any]:
    """Let fresh crews, arranged at their best, take turns; return their figures, and say in ``missing`` who has none.

    Raises:
        WorkerError: ours does not run.

    """
    turns: dict[str, Turns] = {}
    with ExitStack() as stack:
        for name in names:
            try:
                choice = tune(name, case, yard, plan.sizes)
                turns[name] = Turns(yard.hire(name, choice.arrangement), choice)
                stack.callback(turns[name].crew.close)
                turns[name].crew.work(case.request(SIDES[name].share * TUNED_ON, choice.batch_tokens))  # to warm up
            except (NotInstalledError, WorkerError) as error:
                leave_out(name, error, missing)
        for _ in range(plan.rounds):
            for name in [name for name in turns if name not in missing]:
                try:
                    turns[name].take(case.request(SIDES[name].share, turns[name].choice.batch_tokens))
                except WorkerError as error:
                    leave_out(name, error, missing)
        return {name: one.figures() for name, one in turns.items() if name not in missing}


def leave_out(name: str, reason: Exception, missing: dict[str, str]) -> None:
    """Go on without a side, unless it is ours.

    Raises:
        WorkerError: it is.

    """
    if name == "ferryman":
        raise WorkerError(f"Ferryman itself does not run: {reason}") from reason
    missing[name] = str(reason)
    print(f"{name} is left out: {reason}", file=sys.stderr)
