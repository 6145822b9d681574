"""Constrained and diverse beam search against slow, obvious twins: hypothesis by hypothesis, never stopping early."""

import math
from operator import itemgetter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from table_stepper import BOS, EOS, Language, TableStepper, lengths

from ferryman.decoding import Diversity, Hypothesis, Phrases, beam_search, diverse_beam_search


def scored(tokens, log_prob, alpha):
    return Hypothesis(tokens, log_prob, log_prob / ((5 + len(tokens)) / 6) ** alpha, tokens[-1:] == (EOS,))


def occurs(phrase, tokens, joins, opens):
    """Tell whether a phrase is there, and not as a part of a longer word."""
    size = len(phrase)
    return any(
        tokens[place : place + size] == phrase
        and not (tokens[place + size :] and tokens[place + size] in joins)
        and not (place and tokens[place - 1] in opens)
        for place in range(len(tokens) - size + 1)
    )


def progress(phrases, tokens, *parts):
    """Count the tokens of the phrases that are there, and of the longest that is begun."""
    lacking = [phrase for phrase in phrases if not occurs(phrase, tokens, *parts)]
    begun = [begun_of(phrase, tokens, parts[1]) for phrase in lacking]
    return sum(map(len, phrases)) - sum(map(len, lacking)) + max(begun, default=0)


def begun_of(phrase, tokens, opens):
    begun = (size for size in range(len(phrase)) if tokens[len(tokens) - size :] == phrase[:size])
    return max(size for size in begun if not (0 < size < len(tokens) and tokens[len(tokens) - size - 1] in opens))


def finish(live, finished, beam, alpha):
    finished.sort(key=lambda hypothesis: -hypothesis.score)
    return finished[:beam] if finished else [scored(*live[0], alpha)]


def slow_constrained_search(language, sentence, phrases, *parts, beam, max_length, alpha):
    live, finished = [((), 0.0)], []
    for _ in range(max_length):
        every, complete, more = [], [], []
        for past, log_prob in live:
            lacking = [phrase for phrase in phrases if not occurs(phrase, past, *parts)]
            choices = {
                (*past, token): log_prob + step
                for token, step in enumerate(language.log_probs(sentence, past))
                if step > -math.inf and not (token == EOS and lacking)
            }
            every += choices.items()
            complete += () if lacking else choices.items()
            wanted = [(*past, phrase[begun_of(phrase, past, parts[1])]) for phrase in lacking]
            best = max(choices, key=choices.get, default=None)
            more += [(tokens, choices[tokens]) for tokens in [*wanted, best] if tokens in choices]
        every.sort(key=lambda candidate: -candidate[1])
        complete.sort(key=lambda candidate: -candidate[1])
        finished += [scored(*candidate, alpha) for candidate in complete[:beam] if candidate[0][-1] == EOS]
        candidates = list(dict(complete[: 2 * beam] + every[: 2 * beam] + more).items())
        candidates.sort(key=lambda candidate: -candidate[1])
        banks, order = {}, []
        for tokens, log_prob in candidates:
            if tokens[-1] != EOS:
                bank = progress(phrases, tokens, *parts)
                order.append((banks.get(bank, 0), -bank, (tokens, log_prob)))
                banks[bank] = banks.get(bank, 0) + 1
        order.sort(key=itemgetter(0, 1))
        following = [candidate for _, _, candidate in order][:beam]
        if not following or (beam == 1 and finished):
            break
        live = following
    return finish(live, finished, beam, alpha)


@st.composite
def constrained(draw):
    vocab = draw(st.integers(3, 6))
    language = Language(vocab=vocab, seed=draw(st.integers(0, 10**6)), holes=draw(st.sampled_from([0.0, 0.0, 0.3])))
    phrase = st.lists(st.integers(2, vocab - 1), min_size=1, max_size=3).map(tuple)
    phrases = draw(st.lists(st.lists(phrase, max_size=3, unique=True), min_size=1, max_size=4))
    joins = draw(st.sets(st.integers(2, vocab - 1), max_size=2))
    opens = draw(st.sets(st.integers(2, vocab - 1), max_size=2))
    return language, phrases, (joins, opens), draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 1.0]))


@settings(max_examples=100)
@given(constrained(), st.lists(st.integers(1, 8), min_size=4, max_size=4))
def test_constrained_search_equals_its_slow_twin(search, maxima):
    language, phrases, parts, beam, alpha = search
    maxima = maxima[: len(phrases)]
    tables = [torch.tensor([token in part for token in range(language.vocab)]) for part in parts]
    found = beam_search(
        TableStepper(language, range(len(phrases))),
        beam=beam,
        max_lengths=lengths(*maxima),
        bos=BOS,
        eos=EOS,
        length_penalty=alpha,
        phrases=Phrases.make(phrases, *tables, EOS, torch.device("cpu")),
    )
    assert found == [
        slow_constrained_search(language, sentence, each, *parts, beam=beam, max_length=limit, alpha=alpha)
        for sentence, (each, limit) in enumerate(zip(phrases, maxima, strict=True))
    ]


def slow_diverse_search(language, sentence, *, beam, groups, strength, max_length, alpha):
    each = beam // groups
    lives, finished, over = [[((), 0.0)] for _ in range(groups)], [[] for _ in range(groups)], [False] * groups
    for _ in range(max_length):
        said = {}
        for group in range(groups):
            if over[group]:
                continue
            candidates = [
                ((*past, token), log_prob + step, log_prob + step - strength * said.get(token, 0))
                for past, log_prob in lives[group]
                for token, step in enumerate(language.log_probs(sentence, past))
                if step > -math.inf
            ]
            candidates.sort(key=lambda candidate: -candidate[2])
            ends = [scored(*candidate[:2], alpha) for candidate in candidates[:each] if candidate[0][-1] == EOS]
            finished[group] = sorted([*finished[group], *ends], key=lambda one: -one.score)[:each]
            following = [candidate[:2] for candidate in candidates[: 2 * each] if candidate[0][-1] != EOS][:each]
            for tokens, _ in following:
                said[tokens[-1]] = said.get(tokens[-1], 0) + 1
            best = max((log_prob for _, log_prob in following), default=-math.inf)
            ceiling = best / ((5 + max_length) / 6) ** alpha
            full = len(finished[group]) == each
            over[group] = not following or (full and (each == 1 or finished[group][-1].score >= ceiling))
            lives[group] = following or lives[group]
    found = [one or [scored(*live[0], alpha)] for one, live in zip(finished, lives, strict=True)]
    ranked = [(rank, one) for group in found for rank, one in enumerate(group)]
    if any(one.finished for _, one in ranked):
        ranked = [(rank, one) for rank, one in ranked if one.finished]
    ranked.sort(key=lambda item: (item[0], -item[1].score))
    return list({one.tokens: None for _, one in ranked})


@settings(max_examples=100)
@given(
    st.integers(0, 10**6),
    st.integers(3, 7),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (3, 2)]),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.lists(st.integers(1, 7), min_size=1, max_size=3),
    st.sampled_from([0.0, 1.0]),
)
def test_diverse_search_equals_its_slow_twin(seed, vocab, shape, strength, maxima, alpha):
    (each, groups), language = shape, Language(vocab=vocab, seed=seed)
    found = diverse_beam_search(
        TableStepper(language, range(len(maxima))),
        beam=each * groups,
        diversity=Diversity(groups, strength),
        max_lengths=lengths(*maxima),
        bos=BOS,
        eos=EOS,
        length_penalty=alpha,
    )
    for sentence, limit in enumerate(maxima):
        expected = slow_diverse_search(
            language,
            sentence,
            beam=each * groups,
            groups=groups,
            strength=strength,
            max_length=limit,
            alpha=alpha,
        )
        assert [one.tokens for one in found[sentence]] == expected


@pytest.mark.parametrize("each", [1, 2, 3])
def test_one_group_is_an_ordinary_beam(each):
    options = {"max_lengths": lengths(9, 3, 9, 7), "bos": BOS, "eos": EOS, "length_penalty": 1.0}
    language = Language(vocab=7, seed=1)
    plain = beam_search(TableStepper(language, range(4)), beam=each, **options)
    assert plain == diverse_beam_search(
        TableStepper(language, range(4)), beam=each, diversity=Diversity(1, 0.5), **options
    )
