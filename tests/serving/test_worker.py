"""The threads that work: batches, errors only where they belong, an end without loss."""

import threading
import time

import pytest

from ferryman.serving.queue import FairQueue, Job
from ferryman.serving.worker import Worker


class Shouting:
    """Work that notes what it did together; waits where it is told to; ``bad`` fails."""

    def __init__(self):
        self.batches = []
        self.may_go = threading.Event()
        self.may_go.set()
        self.began = threading.Event()

    def __call__(self, group, items):
        self.began.set()
        assert self.may_go.wait(10)
        self.batches.append(list(items))
        if "bad" in items:
            raise ValueError("bad")
        return [f"{group}: {item.upper()}" for item in items]


@pytest.fixture
def work():
    return Shouting()


@pytest.fixture
def worker(work):
    worker = Worker(FairQueue(1000), work, budget=100)
    yield worker
    work.may_go.set()
    worker.stop(10)


def put(worker, *items, client="anna", group="g"):
    given = [Job(client, group, item, 1) for item in items]
    worker.queue.put(given)
    return [job.future for job in given]


def test_everybody_gets_the_own_result(worker):
    futures = [(item, put(worker, item, client=item)[0]) for item in ("a", "b", "c")]
    worker.start()
    assert all(future.result(10) == f"g: {item.upper()}" for item, future in futures)


def test_what_waited_is_done_together(worker, work):
    futures = put(worker, "a", "b") + put(worker, "c", client="bert")
    worker.start()
    assert [future.result(10) for future in futures] == ["g: A", "g: B", "g: C"]
    assert [sorted(batch) for batch in work.batches] == [["a", "b", "c"]]


def test_an_error_reaches_only_the_one_it_belongs_to(worker):
    futures = put(worker, "a", "b", "bad", "c", "d")
    worker.start()
    assert [future.result(10) for future in (*futures[:2], *futures[3:])] == ["g: A", "g: B", "g: C", "g: D"]
    with pytest.raises(ValueError, match="bad"):
        futures[2].result(10)
    assert put(worker, "again")[0].result(10) == "g: AGAIN"


def test_what_nobody_waits_for_is_not_done(worker, work):
    first, second = put(worker, "a", "b")
    assert second.cancel()
    worker.start()
    assert first.result(10) == "g: A"
    assert work.batches == [["a"]]


def test_stopping_finishes_what_waits(worker, work):
    work.may_go.clear()
    worker.start()
    (first,) = put(worker, "a")
    assert work.began.wait(10)
    (second,) = put(worker, "b", group="other")
    assert not worker.stop(0.01)
    work.may_go.set()
    assert worker.stop(10)
    assert first.result(0) == "g: A"
    assert second.result(0) == "other: B"
    assert not worker.alive


def test_a_client_is_told_when_to_come_back(worker):
    assert worker.retry_seconds == 1
    worker.pace = 10.0
    put(worker, *"abcdefghij" * 5)
    assert worker.retry_seconds == 5
    worker.pace = 0.001
    assert worker.retry_seconds == 60


def test_several_threads_work_at_once(work):
    together, begun = threading.Barrier(2, timeout=10), []

    def meet(group, items):
        together.wait()
        return items

    worker = Worker(FairQueue(1000), meet, budget=100, threads=2, begin=lambda: begun.append(threading.get_ident()))
    worker.start()
    while worker.queue._takers < 2:
        time.sleep(0.001)
    futures = put(worker, "a", "b")
    assert [future.result(10) for future in futures] == ["a", "b"]
    assert worker.stop(10)
    assert len(set(begun)) == 2


def test_a_client_is_told_that_several_threads_are_faster(work):
    worker = Worker(FairQueue(1000), work, budget=100, threads=2)
    worker.pace = 10.0
    put(worker, *"abcdefghij" * 6)
    assert worker.retry_seconds == 3


def test_all_threads_end(work):
    worker = Worker(FairQueue(1000), work, budget=100, threads=3)
    worker.start()
    assert put(worker, "a")[0].result(10) == "g: A"
    assert worker.stop(10)
    assert not worker.alive
