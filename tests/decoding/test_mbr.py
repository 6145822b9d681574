"""Minimum Bayes risk: the candidate that agrees with the others (T61)."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from ferryman.decoding import CharacterOverlap, consensus
from ferryman.decoding.mbr import expected_utilities

FIVE = [
    "Bananen sind krumm, sagt man.",
    "Der Fluss ist breit und ruhig.",
    "Der Fluss ist weit und ruhig.",
    "Der Fluss ist breit und still.",
    "Dieser Fluss ist breit und ruhig.",
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))))
def test_the_odd_one_out_of_five_comes_last(order):
    candidates = [FIVE[place] for place in order]
    found = [candidates[place] for place in consensus(candidates, CharacterOverlap())]
    assert found[0] == FIVE[1]
    assert found[-1] == FIVE[0]
    assert sorted(found) == sorted(FIVE)


def test_expected_utility_is_the_mean_over_the_others():
    utilities = {("a", "b"): 1.0, ("a", "c"): 2.0, ("b", "a"): 3.0, ("b", "c"): 4.0, ("c", "a"): 5.0, ("c", "b"): 7.0}
    table = lambda one, other: utilities[one, other]  # noqa: E731
    assert expected_utilities(["a", "b", "c"], table) == [1.5, 3.5, 6.0]
    assert consensus(["a", "b", "c"], table) == [2, 1, 0]
    assert expected_utilities(["a"], table) == [0.0]


def test_equals_keep_their_order_and_two_are_no_majority():
    assert consensus(["x", "y", "z"], lambda one, other: 0.5) == [0, 1, 2]
    assert consensus(["x", "y"], lambda one, other: float(one == "y")) == [0, 1]
    assert consensus([], CharacterOverlap()) == []


def test_one_said_twice_has_two_votes():
    assert consensus(["aaaa", "bbbb", "aaaa", "cccc"], CharacterOverlap())[0] == 0


@given(st.text("ab cß河", min_size=1).filter(str.strip), st.text("ab cß河", min_size=1).filter(str.strip))
def test_overlap_is_sacrebleus_chrf_and_takes_both_sides_alike(one, other):
    overlap = CharacterOverlap()
    expected = CHRF(beta=1).sentence_score(one, [other]).score / 100
    assert overlap(one, other) == pytest.approx(1.0 if one == other else expected, abs=1e-12)
    assert overlap(one, other) == overlap(other, one)


def test_overlap_of_blank_texts():
    overlap = CharacterOverlap()
    assert (overlap("", ""), overlap("", "a"), overlap("a", " ")) == (1.0, 0.0, 0.0)
