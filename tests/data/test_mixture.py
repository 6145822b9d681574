"""Weights of corpora: how often a pair comes, from the seed and the epoch alone."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.data.mixture import Mixture
from ferryman.data.sampler import BatchSampler, Position
from ferryman.errors import ConfigError

parts = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0, 0.25, 0.5, 0.7, 1, 2, 2.5])), min_size=1, max_size=4)

FROZEN = [[6, 11], [9, 10, 7], [2, 3], [5, 8], [1, 4], [0]]


def counts(mixture: Mixture, epochs: range) -> Counter[int]:
    return Counter(index for epoch in epochs for index in mixture.pairs(epoch).tolist())


def lengths(count: int) -> np.ndarray:
    return np.random.default_rng(7).integers(1, 20, size=(2, count))


def test_two_is_twice_and_nothing_is_never():
    assert counts(Mixture([(3, 2.0), (2, 0.0), (2, 1.0)], seed=1), range(5, 6)) == {0: 2, 1: 2, 2: 2, 5: 1, 6: 1}


def test_half_is_another_half_in_each_epoch():
    mixture = Mixture([(2, 1.0), (40, 0.5)], seed=1)
    first, second = (set(mixture.pairs(epoch)[2:].tolist()) for epoch in (0, 1))
    assert len(first) == len(second) == 20
    assert first | second == set(range(2, 42))
    assert sorted(first) != list(range(2, 22))  # any half, not the first one
    assert set(Mixture([(2, 1.0), (40, 0.5)], seed=2).pairs(0).tolist()) != first


@given(parts=parts, seed=st.integers(0, 3))
def test_in_the_long_run_each_pair_comes_as_often_as_its_weight_says(parts, seed):
    if not sum(pairs * weight for pairs, weight in parts):
        with pytest.raises(ConfigError, match=r"data\.weight"):
            Mixture(parts, seed)
        return
    mixture = Mixture(parts, seed)
    found, expected = counts(mixture, range(20)), {}
    for pairs, weight in parts:
        expected |= {len(expected) + index: 20 * weight for index in range(pairs)}
    assert all(abs(found[index] - times) < 1.01 for index, times in expected.items())
    for epoch in range(20):
        chosen = mixture.pairs(epoch)
        assert len(chosen) == mixture.size(epoch)
        assert np.array_equal(chosen, Mixture(parts, seed).pairs(epoch))
        highest = [int(np.ceil(weight)) for pairs, weight in parts for _ in range(pairs)]
        assert all(times <= highest[index] for index, times in Counter(chosen.tolist()).items())


def test_weights_of_one_change_nothing():
    """The order is, batch for batch, that of a corpus in one piece."""
    source, target = lengths(200)
    plain = BatchSampler(source, target, batch_tokens=60, seed=4)
    mixed = BatchSampler(source, target, batch_tokens=60, seed=4, weights=[(50, 1.0), (150, 1.0)])
    for epoch in range(3):
        expected, found = plain.epoch(epoch), mixed.epoch(epoch)
        assert [rows.tolist() for rows in found] == [rows.tolist() for rows in expected]


def test_the_order_of_an_unweighted_corpus_is_frozen():
    """What runs of earlier versions go on with."""
    source, target = lengths(12)
    batches = BatchSampler(source, target, batch_tokens=40, seed=4).epoch(2)
    assert [rows.tolist() for rows in batches] == FROZEN


def test_epochs_count_the_pairs_of_a_weighted_epoch():
    source, target = lengths(30)
    sampler = BatchSampler(source, target, batch_tokens=40, seed=1, weights=[(10, 2.0), (20, 0.3)])
    drawn, after = sampler.batches(Position()), Position()
    pairs = 0
    for _ in range(len(sampler.epoch(0))):
        assert sampler.epochs(after) == pytest.approx(pairs / 26)
        indices, after = next(drawn)
        pairs += len(indices)
    assert (pairs, after) == (26, Position(1))
    assert sampler.epochs(after) == 1.0


def test_a_weighted_run_goes_on_from_anywhere_also_over_epochs_without_a_pair():
    source, target = lengths(3)
    sampler = BatchSampler(source, target, batch_tokens=20, seed=1, weights=[(3, 0.25)])
    whole, drawn = sampler.batches(Position()), []
    for _ in range(12):
        drawn.append(next(whole))
    assert [sampler.mixture.size(epoch) for epoch in range(4)] == [0, 1, 1, 1]
    rest = sampler.batches(drawn[4][1])
    assert [(next(rest)[0].tolist()) for _ in range(7)] == [rows.tolist() for rows, _ in drawn[5:]]
    assert sampler.epochs(drawn[4][1]) == drawn[4][1].epoch
