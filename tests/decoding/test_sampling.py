"""Samples: drawn as the model says, and by the sentence and the seed alone."""

import math

import pytest
import torch
from table_stepper import BOS, EOS, BigramStepper, Language, TableStepper, bigram_tables, lengths

from ferryman.decoding import Sharpening, chances, forbid, greedy_search, minimum_length, sample_search
from ferryman.errors import TranslationError


def sample(stepper, limits, samples=3, seed=1, names=None, **options):
    limits = list(limits)
    chance = torch.zeros(len(limits), samples, max(limits, default=0), dtype=torch.float64)
    for place, limit in enumerate(limits):
        chance[place, :, :limit] = chances(seed, [place if names is None else names[place]], samples, limit)
    return sample_search(stepper, chance=chance, max_lengths=lengths(*limits), bos=BOS, eos=EOS, **options)


def test_samples_follow_the_distribution():
    table = torch.tensor([0.0, 0.5, 0.3, 0.2]).log().expand(1, 4, 4)
    found = sample(BigramStepper(table), [1], samples=4000)[0]
    shares = [sum(one.tokens == (token,) for one in found) / 4000 for token in range(4)]
    assert shares == pytest.approx([0.0, 0.5, 0.3, 0.2], abs=0.03)


@pytest.mark.parametrize("sharpening", [Sharpening(), Sharpening(0.7, 5, 0.9)])
@pytest.mark.parametrize("size", [1, 7])
def test_a_sample_does_not_depend_on_its_batch(size, sharpening):
    tables, limits = bigram_tables(20, 60, seed=2), [3 + sentence % 9 for sentence in range(20)]
    whole = sample(BigramStepper(tables), limits, sharpening=sharpening)
    parts = []
    for first in range(0, 20, size):
        part = slice(first, first + size)
        names = range(20)[part]
        parts += sample(BigramStepper(tables[part]), limits[part], names=names, sharpening=sharpening)
    assert parts == whole
    order = torch.randperm(20).tolist()
    shuffled = sample(BigramStepper(tables[order]), [limits[i] for i in order], names=order, sharpening=sharpening)
    assert shuffled == [whole[i] for i in order]


def test_seeds_and_samples_differ_and_more_samples_keep_the_first():
    tables = bigram_tables(5, 60, seed=3)
    few, many, other = (
        [{one.tokens for one in each} for each in sample(BigramStepper(tables), [12] * 5, samples, seed)]
        for samples, seed in ((3, 1), (8, 1), (3, 2))
    )
    assert few != other
    assert all(some < more for some, more in zip(few, many, strict=True))
    assert {len(some) for some in few} == {3}


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_log_probabilities_are_the_models_whatever_the_temperature(alpha):
    language = Language(vocab=6, seed=5)
    stepper = TableStepper(language, range(4))
    found = sample(stepper, [7, 2, 7, 7], length_penalty=alpha, sharpening=Sharpening(3.0, 4, 0.95))
    assert len(set(stepper.steps)) > 1
    for sentence, hypotheses in enumerate(found):
        assert [one.score for one in hypotheses] == sorted((one.score for one in hypotheses), reverse=True)
        for one in hypotheses:
            steps = [language.log_probs(sentence, one.tokens[:i])[token] for i, token in enumerate(one.tokens)]
            assert one.log_prob == pytest.approx(sum(steps), abs=1e-5)
            assert one.score == pytest.approx(sum(steps) / ((5 + len(one.tokens)) / 6) ** alpha, abs=1e-5)
            assert one.finished == (one.tokens[-1] == EOS)
            assert EOS not in one.tokens[:-1]


@pytest.mark.parametrize("sharpening", [Sharpening(top_k=1), Sharpening(temperature=1e-4), Sharpening(top_p=1e-9)])
def test_only_the_likeliest_is_greedy_search(sharpening):
    tables = bigram_tables(10, 60, seed=4)
    found = sample(BigramStepper(tables), [9] * 10, sharpening=sharpening)
    greedy = greedy_search(BigramStepper(tables), max_lengths=lengths(*[9] * 10), bos=BOS, eos=EOS)
    assert [[one.tokens for one in each] for each in found] == [[one.tokens] * 3 for one in greedy]


def test_sharpening_cuts_the_tail():
    log_probs = torch.tensor([[0.4, 0.3, 0.2, 0.1]]).log()
    expected = {
        Sharpening(): [0.4, 0.3, 0.2, 0.1],
        Sharpening(top_k=2): [4 / 7, 3 / 7, 0, 0],
        Sharpening(top_p=0.65): [0.4, 0.3, 0, 0],
        Sharpening(top_p=0.71): [0.4, 0.3, 0.2, 0],
        Sharpening(temperature=0.5): [16 / 30, 9 / 30, 4 / 30, 1 / 30],
    }
    for sharpening, probs in expected.items():
        torch.testing.assert_close(sharpening(log_probs)[0], torch.tensor(probs).double(), rtol=1e-5, atol=1e-6)


def test_rules_hold_and_a_sample_may_get_stuck():
    rules = [minimum_length(4, EOS), forbid([2])]
    found = sample(TableStepper(Language(vocab=6, seed=3), range(5)), [8] * 5, rules=rules)
    assert all(len(one.tokens) >= 4 and 2 not in one.tokens for each in found for one in each)
    table = torch.full((1, 4, 4), -math.inf)
    table[0, BOS, 2] = -0.5
    [stuck] = sample(BigramStepper(table), [5])
    assert [(one.tokens, one.log_prob, one.finished) for one in stuck] == [((2,), -0.5, False)] * 3
    with pytest.raises(TranslationError, match="not a number"):
        sample(BigramStepper(torch.full((1, 4, 4), math.nan)), [4])
    assert sample(TableStepper(Language(), []), []) == []
