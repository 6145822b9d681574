"""Rows are shared out in batches of like length, as much for one worker as for the next."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ferryman.translator.batching import STEP_ROWS, batches

LENGTHS = st.lists(st.integers(1, 60), max_size=9)
WITHOUT_LIMIT = 10**9


def cost(lengths, batch):
    return STEP_ROWS * max(lengths[row] for row in batch) + sum(lengths[row] for row in batch)


@given(LENGTHS, st.integers(1, 200), st.integers(1, 4))
def test_every_row_once_longest_first_and_no_batch_too_large(lengths, batch_tokens, workers):
    found = batches(lengths, batch_tokens, workers)
    rows = [row for batch in found for row in batch]
    assert sorted(rows) == list(range(len(lengths)))
    assert [lengths[row] for row in rows] == sorted(lengths, reverse=True)
    assert all(len(batch) == 1 or len(batch) * lengths[batch[0]] <= batch_tokens for batch in found)


@given(LENGTHS.filter(bool), st.integers(2, 4))
def test_a_few_rows_are_shared_out_as_evenly_as_can_be(lengths, workers):
    """The costliest batch is the least costly that there can be, of all ways to cut the rows."""
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    ways = [
        max(cost(lengths, order[start:end]) for start, end in zip((0, *cuts), (*cuts, len(order)), strict=True))
        for parts in range(workers)
        for cuts in combinations(range(1, len(order)), parts)
    ]
    found = batches(lengths, WITHOUT_LIMIT, workers)
    assert len(found) <= workers
    assert max(cost(lengths, batch) for batch in found) <= min(ways) * 1.001


def test_long_rows_have_fewer_beside_them():
    first, second = batches([60, 50, 9, 9, 8, 8, 8, 7, 7, 6], WITHOUT_LIMIT, workers=2)
    assert first == [0]
    assert len(second) == 9


def test_one_worker_has_what_fits_in_a_batch():
    assert batches([5, 7, 6], 21) == [[1, 2, 0]]
    assert batches([5, 7, 6], 14) == [[1, 2], [0]]
    assert batches([], 14, workers=2) == []
