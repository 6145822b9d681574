"""The threads that do the work: so many, and never more, as the translator was allowed."""

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Generic

from ferryman.serving.queue import FairQueue, Item, Job, Result

Work = Callable[[Hashable, Sequence[Item]], Sequence[Result]]
Watch = Callable[[int, int, float], None]  # told of a batch: jobs, weight, seconds
LONGEST_WAIT = 60  # seconds that a client is told to wait at most
FORGETTING = 0.2  # how much the latest batch counts in the pace


class Worker(Generic[Item, Result]):
    """Takes jobs from a queue, does those of a group together and hands out the results."""

    def __init__(  # noqa: PLR0913 - each is a separate choice of the caller
        self,
        queue: FairQueue[Item, Result],
        work: Work[Item, Result],
        *,
        budget: int,
        patience: float = 0.0,
        watch: Watch = lambda jobs, weight, seconds: None,
        threads: int = 1,
        begin: Callable[[], object] = lambda: None,
    ) -> None:
        """Set up.

        Args:
            queue: where the jobs are.
            work: takes a group and items of it, and returns a result for each.
            budget: see ``FairQueue.take``.
            patience: see ``FairQueue.take``.
            watch: called after each batch, by one thread at a time.
            threads: how many batches are worked on at once.
            begin: called by each thread before it works.

        """
        self.queue = queue
        self.work = work
        self.budget = budget
        self.patience = patience
        self.watch = watch
        self.begin = begin
        self.pace = 0.0
        """Weight that a thread does in a second, lately."""
        self._counting = threading.Lock()
        names = [f"translator-{number}" for number in range(threads)]
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True) for name in names]

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float | None = None) -> bool:
        """Let nothing new in, do what waits, and tell whether all was done in so many seconds."""
        self.queue.close()
        end = None if seconds is None else time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(None if end is None else max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def alive(self) -> bool:
        """Whether all of it works, or waits for work."""
        return all(thread.is_alive() for thread in self._threads)

    @property
    def retry_seconds(self) -> int:
        """When what waits now will be done, as far as can be told."""
        wait = self.queue.waiting / (self.pace * len(self._threads)) if self.pace else 1
        return int(min(LONGEST_WAIT, max(1, wait + 0.5)))

    def _run(self) -> None:
        self.begin()
        while batch := self.queue.take(self.budget, self.patience):
            jobs = [job for job in batch if job.future.set_running_or_notify_cancel()]
            if not jobs:
                continue
            began = time.monotonic()
            self._do(jobs)
            with self._counting:
                self._count(jobs, time.monotonic() - began)

    def _count(self, jobs: Sequence[Job[Item, Result]], seconds: float) -> None:
        weight = sum(job.weight for job in jobs)
        latest = weight / max(seconds, 1e-6)
        self.pace = self.pace + FORGETTING * (latest - self.pace) if self.pace else latest
        self.watch(len(jobs), weight, seconds)

    def _do(self, jobs: Sequence[Job[Item, Result]]) -> None:
        """Do jobs together; if that fails, those of each half, until the error is only with the one it belongs to."""
        try:
            results = self.work(jobs[0].group, [job.item for job in jobs])
        except Exception as error:
            if len(jobs) == 1:
                jobs[0].future.set_exception(error)
                return
            self._do(jobs[: len(jobs) // 2])
            self._do(jobs[len(jobs) // 2 :])
            return
        for job, result in zip(jobs, results, strict=True):
            job.future.set_result(result)
