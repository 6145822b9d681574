"""The sampler: every pair once an epoch, never over the budget, little padding, and it can go on from anywhere."""

from itertools import islice, pairwise, takewhile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.data.sampler import BatchSampler, Position
from ferryman.errors import ConfigError, DataError

MULTI30K = Path(__file__).parents[2] / "../shared/data/multi30k"

lengths = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=60)


def sampler_of(pairs, batch_tokens=20, seed=1):
    source, target = np.array(pairs, dtype=np.int32).T
    return BatchSampler(source, target, batch_tokens=batch_tokens, seed=seed)


def some_pairs(count=200):
    return np.random.default_rng(7).integers(1, 20, size=(count, 2))


def order(sampler, epoch):
    return [indices.tolist() for indices in sampler.epoch(epoch)]


@given(pairs=lengths, batch_tokens=st.integers(20, 90), seed=st.integers(0, 5))
def test_every_pair_comes_once_an_epoch_within_the_budget(pairs, batch_tokens, seed):
    sampler = sampler_of(pairs, batch_tokens, seed)
    for epoch in range(2):
        batches = sampler.epoch(epoch)
        assert sorted(np.concatenate(batches)) == list(range(len(pairs)))
        for indices in batches:
            for side in (0, 1):
                assert len(indices) * max(pairs[index][side] for index in indices) <= batch_tokens


@given(pairs=lengths, seed=st.integers(0, 5), taken=st.integers(0, 80))
def test_from_any_position_come_exactly_the_rest(pairs, seed, taken):
    """T32: what a resumed run draws is what the uninterrupted one would have drawn, over the ends of epochs too."""
    whole = list(islice(sampler_of(pairs, seed=seed).batches(Position()), taken + 70))
    position = whole[taken - 1][1] if taken else Position()
    rest = islice(sampler_of(pairs, seed=seed).batches(position), 70)
    for (indices, after), (expected, expected_after) in zip(rest, whole[taken:], strict=True):
        assert indices.tolist() == expected.tolist()
        assert after == expected_after


@given(pairs=lengths, taken=st.integers(1, 80))
def test_epochs_count_the_pairs_gone_through(pairs, taken):
    sampler = sampler_of(pairs)
    drawn = list(islice(sampler.batches(Position()), taken))
    gone = sum(len(indices) for indices, _ in drawn)
    assert sampler.epochs(drawn[-1][1]) == pytest.approx(gone / len(pairs))


def test_a_position_past_the_end_of_an_epoch_goes_to_the_next():
    """After a resume with a larger budget an epoch may have fewer batches than were drawn already."""
    sampler = sampler_of(some_pairs())
    indices, after = next(sampler.batches(Position(epoch=2, batch=10_000, pairs=150)))
    assert indices.tolist() == order(sampler, 3)[0]
    assert after == Position(3, 1, len(indices))


def test_order_depends_on_seed_and_epoch_alone():
    """T37."""
    sampler = sampler_of(some_pairs())
    assert order(sampler, 0) != order(sampler, 1)
    assert order(sampler, 0) == order(sampler_of(some_pairs()), 0)
    assert order(sampler, 0) != order(sampler_of(some_pairs(), seed=2), 0)


def test_epochs_differ_in_who_stands_together_too():
    sampler = sampler_of(np.full((40, 2), 5))
    first, second = ({frozenset(batch) for batch in order(sampler, epoch)} for epoch in (0, 1))
    assert len(first & second) <= 1


def test_batches_do_not_come_sorted_by_length():
    pairs = some_pairs()
    means = [pairs[batch, 1].mean() for batch in order(sampler_of(pairs), 0)]
    rising = sum(1 for _ in takewhile(lambda two: two[0] <= two[1], pairwise(means)))
    assert rising < len(means) / 3


def test_three_pairs_make_one_batch():
    """T15: a corpus far below the budget."""
    assert sorted(sampler_of([(3, 4), (5, 2), (9, 9)], 4096).epoch(0)[0]) == [0, 1, 2]


def test_an_empty_corpus_is_an_error():
    with pytest.raises(DataError, match="no pair left to train on"):
        BatchSampler(np.empty(0, np.int32), np.empty(0, np.int32), batch_tokens=100, seed=1)


@pytest.mark.parametrize("pairs", [[(8, 12), (20, 30)], [(12, 8), (30, 20)]], ids=["target", "source"])
def test_a_budget_below_a_pair_is_an_error_that_tells_the_lengths(pairs):
    """T19, before the first step."""
    with pytest.raises(ConfigError) as caught:
        sampler_of(pairs, batch_tokens=29)
    for words in ("training.batch_tokens: 29", "12 to 30 tokens", "data.max_tokens"):
        assert words in str(caught.value)


def padding(sampler):
    batches, sides = sampler.epoch(0), (sampler.source_lengths, sampler.target_lengths)
    places = sum(len(batch) * side[batch].max() for batch in batches for side in sides)
    return 1 - sum(side.sum() for side in sides) / places


def test_little_is_padding():
    """20,000 pairs of up to 40 tokens whose sides differ by up to a half: at random half would be padding."""
    chance = np.random.default_rng(3)
    source = chance.gamma(6, 2, size=20_000).astype(int).clip(2, 40)
    target = (source * chance.uniform(0.75, 1.25, size=20_000)).astype(int)
    assert padding(BatchSampler(source, target, batch_tokens=1024, seed=1)) < 0.05


@pytest.mark.parametrize("batch_tokens", [1024, 4096])
def test_little_of_multi30k_is_padding(batch_tokens):
    if not MULTI30K.is_dir():
        pytest.skip("needs ../shared/data/multi30k")
    source, target = (
        np.array([len(line.split()) + 1 for line in (MULTI30K / f"train.{side}").read_bytes().splitlines()])
        for side in ("en", "de")
    )
    assert padding(BatchSampler(source, target, batch_tokens=batch_tokens, seed=1)) < 0.05
