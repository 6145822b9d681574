import math

import pytest
import torch

from ferryman.decoding import Hypothesis, forbid, minimum_length, penalty
from ferryman.decoding.largest import largest, likeliest
from ferryman.decoding.rules import Rows
from ferryman.errors import ConfigError


def rows(count, length):
    return Rows(torch.zeros(count, length, dtype=torch.long), torch.arange(count))


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize(("vocab", "k"), [(7, 7), (1000, 3), (1024, 4), (1100, 4), (2688, 10), (2600, 10)])
def test_the_largest_entries_are_those_of_a_sort(vocab, k, beam):
    generator = torch.Generator().manual_seed(k)
    values = torch.randn(9, beam, vocab, generator=generator)
    added = torch.randn(9, beam, generator=generator)
    values[3, :, :-1] = -math.inf
    values[4, :, -k:] += 100
    added[5, 1:] = -math.inf  # as at the first step
    best, place = largest(values.clone(), added, k)
    total = (values + added[:, :, None]).flatten(1)
    torch.testing.assert_close(
        best.sort(dim=1, descending=True).values, total.sort(dim=1, descending=True).values[:, :k]
    )
    assert torch.equal(total.gather(1, place), best)
    assert bool((place.diff(dim=1) > 0).all())


@pytest.mark.parametrize(("count", "vocab"), [(3, 64), (100, 4000), (100, 1024), (70, 1000)])
def test_the_likeliest_token_is_the_first_of_the_largest(count, vocab):
    values = torch.randint(0, vocab, (count, vocab), generator=torch.Generator().manual_seed(vocab)).float()
    values[1], values[2, -1] = -math.inf, math.nan
    best, place = likeliest(values)
    expected = values.max(dim=1)
    torch.testing.assert_close(best, expected.values, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(place, expected.indices)
    assert len(values[0].unique()) < vocab, "there must be equals"


def test_the_penalty_is_that_of_gnmt():
    assert penalty(1, 0.6) == 1.0
    assert penalty(7, 1.0) == 2.0
    assert penalty(19, 0.5) == 2.0
    assert penalty(99, 0.0) == 1.0


@pytest.mark.parametrize("alpha", [-0.1, math.nan])
def test_a_negative_penalty_is_refused(alpha):
    with pytest.raises(ConfigError, match="must be 0"):
        penalty(5, alpha)


def test_forbidden_tokens_have_no_probability_and_others_keep_theirs():
    log_probs = torch.randn(3, 6)
    ruled = forbid([4, 0, 4])(rows(3, 1), log_probs.clone())
    assert ruled[:, [0, 4]].eq(-math.inf).all()
    assert torch.equal(ruled[:, [1, 2, 3, 5]], log_probs[:, [1, 2, 3, 5]])


@pytest.mark.parametrize(("history", "masked"), [(1, True), (2, True), (3, False)])
def test_the_end_symbol_is_masked_until_the_hypothesis_would_be_long_enough(history, masked):
    ruled = minimum_length(3, eos=1)(rows(2, history), torch.zeros(2, 4))
    assert ruled[:, 1].eq(-math.inf).all() == masked
    assert ruled[:, [0, 2, 3]].eq(0).all()


def test_a_hypothesis_without_an_end_is_truncated():
    assert Hypothesis((2, 3), -1.0, -1.0, finished=False).truncated
    assert not Hypothesis((2, 1), -1.0, -1.0, finished=True).truncated
