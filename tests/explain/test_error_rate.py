import pytest

from ferryman.errors import DataError
from ferryman.explain.error_rate import alignment_error_rate

SURE = [{(0, 0), (1, 1)}, {(0, 1)}]


def test_a_perfect_alignment_has_no_error():
    assert alignment_error_rate(SURE, SURE) == 0


def test_a_wholly_wrong_alignment_has_nothing_else():
    assert alignment_error_rate([{(5, 5)}, {(6, 6)}], SURE) == 1
    assert alignment_error_rate([set(), set()], SURE) == 1


def test_possible_links_cost_nothing_and_are_not_asked_for():
    possible = [{(2, 2)}, set()]
    assert alignment_error_rate([SURE[0] | {(2, 2)}, SURE[1]], SURE, possible) == 0
    assert alignment_error_rate(SURE, SURE, possible) == 0


def test_by_hand():
    """A = 4 links, S = 3: 2 of A are sure, 3 are sure or possible: 1 - (2 + 3) / (4 + 3)."""
    predicted = [{(0, 0), (1, 1), (2, 2)}, {(3, 3)}]
    assert alignment_error_rate(predicted, SURE, [{(2, 2)}, set()]) == pytest.approx(2 / 7)


def test_no_links_at_all_is_no_error():
    assert alignment_error_rate([set()], [set()]) == 0
    assert alignment_error_rate([], []) == 0


def test_counts_must_match():
    with pytest.raises(DataError, match=r"1 sentence pairs, but gold links of 2 \(sure\) and 2 \(possible\)"):
        alignment_error_rate(SURE[:1], SURE)
