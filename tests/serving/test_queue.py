"""Waiting in line: bounds, fairness, and room made by those who leave."""

import threading
import time

import pytest

from ferryman.serving.queue import FairQueue, Job
from ferryman.serving.refusals import BusyError, TooManyError


def jobs(client, items, group="g", weight=1):
    return [Job(client, group, item, weight) for item in items]


def taken(queue, budget=100):
    return [job.item for job in queue.take(budget)]


def test_clients_take_turns():
    queue = FairQueue(100)
    queue.put(jobs("anna", ["a1", "a2", "a3", "a4"]))
    queue.put(jobs("bert", ["b1", "b2"]))
    queue.put(jobs("cleo", ["c1"]))
    assert taken(queue, budget=4) == ["a1", "b1", "c1", "a2"]
    assert taken(queue) == ["b2", "a3", "a4"]
    assert queue.waiting == 0


def test_who_comes_later_does_not_wait_for_all_of_another():
    queue = FairQueue(1000)
    queue.put(jobs("anna", range(100)))
    assert taken(queue, budget=10) == list(range(10))
    queue.put(jobs("bert", ["b"]))
    assert "b" in taken(queue, budget=2)


def test_only_what_can_be_done_together_is_taken_together():
    queue = FairQueue(100)
    queue.put(jobs("anna", ["a1"], "x") + jobs("anna", ["a2"], "y") + jobs("anna", ["a3"], "x"))
    queue.put(jobs("bert", ["b1"], "y"))
    assert taken(queue) == ["a1", "a3"]
    assert sorted(taken(queue)) == ["a2", "b1"]


def test_no_group_waits_for_ever():
    queue = FairQueue(1000)
    queue.put(jobs("anna", ["x"] * 50, "x"))
    queue.put(jobs("bert", ["y"], "y"))
    assert "y" in [*taken(queue, budget=3), *taken(queue, budget=3)]


def test_a_batch_has_one_job_at_least_and_ends_at_its_budget():
    queue = FairQueue(1000)
    queue.put(jobs("anna", ["long", "next"], weight=50))
    assert taken(queue, budget=10) == ["long"]


def test_what_does_not_fit_is_refused_whole():
    queue = FairQueue(10)
    queue.put(jobs("anna", range(5)))
    with pytest.raises(BusyError):
        queue.put(jobs("bert", range(6)))
    assert queue.waiting == 5
    queue.put(jobs("bert", range(5)))


def test_a_client_has_half_of_the_room_while_others_wait():
    queue = FairQueue(10)
    queue.put(jobs("anna", range(2)))
    queue.put(jobs("bert", range(4)))
    with pytest.raises(TooManyError):
        queue.put(jobs("bert", range(2)))
    queue.put(jobs("anna", range(2)))


def test_the_largest_request_is_let_in_when_nothing_waits():
    queue = FairQueue(10)
    queue.put(jobs("anna", range(50)))
    assert len(taken(queue)) == 50


def test_cancelled_jobs_make_room_at_once_and_are_not_done():
    queue = FairQueue(10)
    given = jobs("anna", range(10))
    queue.put(given)
    for job in given[1:]:
        job.future.cancel()
    assert queue.waiting == 1
    queue.put(jobs("bert", ["b"]))
    assert taken(queue) == [0, "b"]


def test_when_all_have_left_nothing_is_kept():
    queue = FairQueue(10)
    given = jobs("anna", range(10))
    queue.put(given)
    for job in given:
        job.future.cancel()
    assert queue.waiting == 0
    assert not queue._lines
    assert not queue._weights


def test_after_closing_the_rest_is_handed_out():
    queue = FairQueue(10)
    queue.put(jobs("anna", ["a"]))
    queue.close()
    with pytest.raises(BusyError, match="stopping"):
        queue.put(jobs("bert", ["b"]))
    assert taken(queue) == ["a"]
    assert taken(queue) == []


def test_an_idle_taker_waits_for_more_to_do_together():
    queue = FairQueue(100)
    found = []
    taker = threading.Thread(target=lambda: found.extend(queue.take(2, patience=30)))
    taker.start()
    queue.put(jobs("anna", ["a"]))
    time.sleep(0.01)
    assert not found
    queue.put(jobs("bert", ["b"]))  # now there is enough
    taker.join(10)
    assert [job.item for job in found] == ["a", "b"]


def test_those_who_wait_to_take_share_what_comes():
    queue, shares = FairQueue(100), []

    def take():
        shares.append([job.item for job in queue.take(100, patience=0.05)])

    takers = [threading.Thread(target=take) for _ in range(2)]
    for taker in takers:
        taker.start()
    while queue._takers < 2:
        time.sleep(0.001)
    queue.put(jobs("anna", range(10)))
    for taker in takers:
        taker.join(10)
    assert sorted(map(len, shares)) == [5, 5]
    assert sorted(item for share in shares for item in share) == list(range(10))


def test_nobody_waits_for_ever_when_the_queue_is_closed():
    queue, taken_by = FairQueue(100), []
    takers = [threading.Thread(target=lambda: taken_by.append(queue.take(100))) for _ in range(3)]
    for taker in takers:
        taker.start()
    queue.put(jobs("anna", ["a"]))
    queue.close()
    for taker in takers:
        taker.join(10)
    assert sorted(map(len, taken_by)) == [0, 0, 1]
