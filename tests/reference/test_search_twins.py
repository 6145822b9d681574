"""Searches against slow, obvious twins: beam search hypothesis by hypothesis, and every sequence there is."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_stepper import BOS, EOS, Language, TableStepper, lengths

from ferryman.decoding import Hypothesis, beam_search, minimum_length

PENALTIES = (0.0, 0.6, 1.0, 1.5)


def scored(tokens, log_prob, alpha):
    length = len(tokens)
    return Hypothesis(tokens, log_prob, log_prob / ((5 + length) / 6) ** alpha, tokens[-1:] == (EOS,))


def slow_beam_search(language, sentence, *, beam, max_length, alpha, minimum=0):
    """Search without tensors and without stopping early, one hypothesis after another."""
    live, finished = [((), 0.0)], []
    for length in range(1, max_length + 1):
        candidates = [
            ((*past, token), log_prob + more)
            for past, log_prob in live
            for token, more in enumerate(language.log_probs(sentence, past))
            if more > -math.inf and not (token == EOS and length < minimum)
        ]
        candidates.sort(key=lambda candidate: -candidate[1])
        finished += [scored(*candidate, alpha) for candidate in candidates[:beam] if candidate[0][-1] == EOS]
        following = [candidate for candidate in candidates[: 2 * beam] if candidate[0][-1] != EOS][:beam]
        if not following or (beam == 1 and finished):
            break
        live = following
    finished.sort(key=lambda hypothesis: -hypothesis.score)
    return finished[:beam] if finished else [scored(*live[0], alpha)]


@st.composite
def searches(draw):
    language = Language(
        vocab=draw(st.integers(2, 7)),
        seed=draw(st.integers(0, 10**6)),
        holes=draw(st.sampled_from([0.0, 0.0, 0.3, 0.7])),
        peak=draw(st.sampled_from([0.3, 1.0, 3.0])),
    )
    maxima = draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    beam = draw(st.integers(1, 6))
    return language, maxima, beam, draw(st.sampled_from([*PENALTIES, 4.0])), draw(st.sampled_from([0, 0, 2, 4]))


@settings(max_examples=250, deadline=None)
@given(searches())
def test_beam_search_equals_its_slow_twin(search):
    language, maxima, beam, alpha, minimum = search
    found = beam_search(
        TableStepper(language, range(len(maxima))),
        beam=beam,
        max_lengths=lengths(*maxima),
        bos=BOS,
        eos=EOS,
        length_penalty=alpha,
        rules=[minimum_length(minimum, EOS)],
    )
    assert found == [
        slow_beam_search(language, sentence, beam=beam, max_length=limit, alpha=alpha, minimum=minimum)
        for sentence, limit in enumerate(maxima)
    ]


def every_hypothesis(language, sentence, max_length, alpha):
    """Score every finished sequence of at most ``max_length`` tokens, best first."""
    words = [token for token in range(language.vocab) if token != EOS]
    found = []
    for length in range(1, max_length + 1):
        for past in product(words, repeat=length - 1):
            tokens = (*past, EOS)
            steps = [language.log_probs(sentence, tokens[:i])[token] for i, token in enumerate(tokens)]
            found.append(scored(tokens, sum(steps), alpha))
    return sorted(found, key=lambda hypothesis: -hypothesis.score)


@pytest.mark.parametrize("alpha", PENALTIES)
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_wide_enough_is_exhaustive(alpha, seed):
    language = Language(vocab=4, seed=seed)
    found = beam_search(
        TableStepper(language, [0, 1]), beam=4**4, max_lengths=lengths(4, 3), bos=BOS, eos=EOS, length_penalty=alpha
    )
    for sentence, limit in enumerate((4, 3)):
        expected = every_hypothesis(language, sentence, limit, alpha)
        assert [hypothesis.tokens for hypothesis in found[sentence]] == [best.tokens for best in expected]
        assert [hypothesis.score for hypothesis in found[sentence]] == pytest.approx([best.score for best in expected])


@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_changes_the_order(seed):
    """Else the tests above would hold for a search that forgot it."""
    language = Language(vocab=4, seed=seed)
    plain, long = (every_hypothesis(language, 0, 4, alpha) for alpha in (0.0, 1.5))
    assert [hypothesis.tokens for hypothesis in plain] != [hypothesis.tokens for hypothesis in long]
