"""Words for numbers."""

import pytest

from ferryman.wording import all_of, counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pairs"), (1, "1 pair"), (2000, "2,000 pairs"), (1.0, "1 pair"), (0.5, "0.5 pairs")]
)
def test_one_is_singular(number, words):
    assert counted(number, "pair") == words


def test_all_of():
    assert all_of(1, "step") + " done" == "the one step is done"
    assert all_of(7, "step") + " done" == "all 7 steps are done"
