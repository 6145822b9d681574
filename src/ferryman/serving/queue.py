"""Work that waits: bounded, and fair between those who wait for it.

Each client has a line of its own, and the lines take turns, a job each. Only jobs of one group, which can be done
together, are taken at a time. A job that nobody waits for any more is not done, and makes room at once.
"""

import threading
import time
from collections import deque
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ferryman.serving.refusals import BusyError, TooManyError

Item = TypeVar("Item")
Result = TypeVar("Result")
STRETCH = 4  # how many times its patience a taker waits at most, while more and more comes in


@dataclass(eq=False, slots=True)
class Job(Generic[Item, Result]):
    """Something to do, for a client; it can be done together with others of its group."""

    client: str
    group: Hashable
    item: Item
    weight: int
    future: Future[Result] = field(default_factory=Future)
    waits: bool = False


class FairQueue(Generic[Item, Result]):
    """Jobs of several clients; put in and taken out by any thread."""

    def __init__(self, limit: int) -> None:
        """Set up; ``limit`` is the weight that may wait."""
        self.limit = limit
        self._takers = 0  # that have nothing to do
        self._turn = threading.Lock()  # of the one taker that waits for more
        self.waiting = 0
        """Weight of the jobs that wait."""
        self.closed = False
        self._weights: dict[str, int] = {}
        self._lines: dict[str, dict[Hashable, deque[Job[Item, Result]]]] = {}  # in the order of turns
        self._changed = threading.Condition()

    def put(self, jobs: Sequence[Job[Item, Result]]) -> None:
        """Add all jobs of one client's request, or none.

        A request is let in if it fits or nothing waits: even the largest is served at some time.

        Raises:
            BusyError: there is no room, or the queue is closed.
            TooManyError: the client has half of the room while others wait.

        """
        if not jobs:
            return
        client, weight = jobs[0].client, sum(job.weight for job in jobs)
        with self._changed:
            if self.closed:
                raise BusyError("the server is stopping")
            if self.waiting and self.waiting + weight > self.limit:
                raise BusyError(f"the server is busy: {self.waiting} tokens wait, and at most {self.limit} may")
            own = self._weights.get(client, 0)
            if own < self.waiting and own + weight > self.limit // 2:
                raise TooManyError(
                    f"{own} tokens of yours wait, and at most {self.limit // 2} may while others wait too"
                )
            for job in jobs:
                job.waits = True
                self._lines.setdefault(client, {}).setdefault(job.group, deque()).append(job)
            self._count(client, weight)
            self._changed.notify_all()
        for job in jobs:
            job.future.add_done_callback(lambda _, job=job: self._forget(job))  # type: ignore[misc]

    def take(self, budget: int, patience: float = 0.0) -> list[Job[Item, Result]]:
        """Wait for jobs and take some of one group; none only when the queue is closed and empty.

        Where several wait to take, each gets its share of what there is.

        Args:
            budget: weight at which there are enough; one job is taken whatever its weight.
            patience: seconds to wait for more after each one that comes.

        """
        chosen: list[Job[Item, Result]] = []
        with self._changed:
            self._takers += 1
        with self._turn, self._changed:
            while not chosen and (self.waiting or not self.closed):
                self._changed.wait_for(lambda: self.waiting or self.closed)
                self._wait_for_more(budget, patience)
                chosen = self._choose(min(budget, -(-self.waiting // self._takers)))
            self._takers -= 1
        return chosen

    def close(self) -> None:
        """Let nothing in any more; what waits can still be taken."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _wait_for_more(self, budget: int, patience: float) -> None:
        latest = time.monotonic() + STRETCH * patience
        while not self.closed and 0 < self.waiting < budget:
            seconds = min(patience, latest - time.monotonic())
            if seconds <= 0 or not self._changed.wait(seconds):
                return

    def _choose(self, budget: int) -> list[Job[Item, Result]]:
        chosen: list[Job[Item, Result]] = []
        weight = 0
        group = next((group for line in self._lines.values() for group in line), None)
        served = True
        while served and weight < budget:
            served = False
            for client in list(self._lines):
                if weight < budget and (job := self._next_of(client, group)):
                    chosen.append(job)
                    weight += job.weight
                    served = True
        return chosen

    def _next_of(self, client: str, group: Hashable) -> Job[Item, Result] | None:
        """Take a client's first job of a group that somebody still waits for; the client's next turn is the last."""
        line = self._lines[client]
        jobs: deque[Job[Item, Result]] = line.pop(group, deque())
        found = None
        while jobs and found is None:
            job = jobs.popleft()
            if job.waits:
                job.waits = False
                found = job
                self._count(client, -job.weight)
        if jobs:
            line[group] = jobs  # behind the client's other groups
        if not line:
            del self._lines[client]
        elif found:
            self._lines[client] = self._lines.pop(client)
        return found

    def _forget(self, job: Job[Item, Result]) -> None:
        """Make room for others where a job that waits has been cancelled."""
        with self._changed:
            if job.waits:
                job.waits = False
                self._count(job.client, -job.weight)
                if not self.waiting:
                    self._lines.clear()

    def _count(self, client: str, weight: int) -> None:
        self.waiting += weight
        self._weights[client] = self._weights.get(client, 0) + weight
        if not self._weights[client]:
            del self._weights[client]
