"""Rules: what they forbid is never said, whatever the beam does; what they allow keeps its log-probability."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from table_stepper import BOS, EOS, Language, TableStepper, lengths

from ferryman.decoding import beam_search, forbid, forbid_phrases, force_prefix, no_repeat_ngram, repetition_penalty
from ferryman.decoding.greedy import greedy_search
from ferryman.decoding.rules import Rows, build_automaton
from ferryman.errors import ConfigError

CPU = torch.device("cpu")


def search(rules, *, beam=4, sentences=range(6), vocab=6, limit=12, seed=3):
    return beam_search(
        TableStepper(Language(vocab=vocab, seed=seed, peak=2.0), sentences),
        beam=beam,
        max_lengths=lengths(*[limit] * len(sentences)),
        bos=BOS,
        eos=EOS,
        length_penalty=1.0,
        rules=rules,
    )


def grams(tokens, size):
    return [tokens[place : place + size] for place in range(len(tokens) - size + 1)]


def said(found):
    return [hypothesis.tokens for hypotheses in found for hypothesis in hypotheses]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_ngram_is_said_twice(size):
    unending = forbid([EOS])
    assert any(len(set(grams(tokens, size))) < len(grams(tokens, size)) for tokens in said(search([unending])))
    for rules in ([no_repeat_ngram(size)], [unending, no_repeat_ngram(size)]):
        for tokens in said(search(rules)):
            assert len(set(grams(tokens, size))) == len(grams(tokens, size))


def by_hand(history, log_probs, size, factor):
    """Ban and penalise token by token."""
    result = []
    for past, row in zip(history, log_probs, strict=True):
        seen, known = past[1:], grams(past[1:], size)
        result.append(
            [
                -math.inf if [*seen, token][-size:] in known else value * (factor if token in seen else 1)
                for token, value in enumerate(row)
            ]
        )
    return result


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=7, max_size=7), min_size=1, max_size=4),
    st.integers(1, 7),
    st.integers(1, 4),
    st.sampled_from([1.0, 1.3, 5.0]),
)
def test_repetition_rules_are_their_loops(histories, length, size, factor):
    histories = [past[:length] for past in histories]
    log_probs = torch.randn(len(histories), 4).log_softmax(1)
    rows = Rows(torch.tensor(histories), torch.arange(len(histories)))
    expected = torch.tensor(by_hand(histories, log_probs.tolist(), size, factor))
    found = no_repeat_ngram(size)(rows, repetition_penalty(factor)(rows, log_probs.clone()))
    torch.testing.assert_close(found, expected)
    assert bool((found <= log_probs).all())


def test_a_penalty_on_repetition_makes_it_rarer():
    def repeated(factor):
        found = said(search([forbid([EOS]), repetition_penalty(factor)], vocab=12))
        return sum(len(tokens) - len(set(tokens)) for tokens in found)

    assert repeated(1.0) > repeated(1.5) > repeated(20.0)


PREFIXES = [(2, 3, 2), (), (4,), (2, 2, 2, 2), (), (5, 4)]


@pytest.mark.parametrize("beam", [1, 4])
def test_a_prefix_comes_first_and_costs_what_the_model_says(beam):
    language = Language(vocab=6, seed=3)
    rules = [force_prefix(PREFIXES, [forbid([2]), no_repeat_ngram(2)], CPU)]
    options = {"max_lengths": lengths(*[9] * 6), "bos": BOS, "eos": EOS, "rules": rules}
    stepper = TableStepper(language, range(6))
    if beam == 1:
        found = [[hypothesis] for hypothesis in greedy_search(stepper, **options)]
    else:
        found = beam_search(stepper, beam=beam, **options)
    assert len(set(stepper.steps)) > 1, "sentences must have left the batch"
    for sentence, (prefix, hypotheses) in enumerate(zip(PREFIXES, found, strict=True)):
        for hypothesis in hypotheses:
            tokens = hypothesis.tokens
            assert tokens[: len(prefix)] == prefix
            assert 2 not in tokens[len(prefix) :]
            steps = [language.log_probs(sentence, tokens[:i])[token] for i, token in enumerate(tokens)]
            assert hypothesis.log_prob == pytest.approx(sum(steps))


def test_sentences_without_a_prefix_are_as_ever():
    rules = [forbid([2])]
    plain, mixed = search(rules), search([force_prefix(PREFIXES, rules, CPU)])
    assert [mixed[1], mixed[4]] == [plain[1], plain[4]]


TOKENS = [b"", b"_", b"a", b"b", b"ab", b"_a", b"ba_", b"b_a"]
PHRASES = st.lists(st.text("ab_", min_size=1, max_size=5), min_size=1, max_size=4)


def spell(tokens):
    return b"".join(TOKENS[token] for token in tokens).decode()


@given(PHRASES, st.lists(st.integers(1, 7), max_size=6))
def test_a_phrase_never_becomes_whole_however_it_is_cut(phrases, said_before):
    automaton = build_automaton([phrase.encode() for phrase in phrases], TOKENS)
    opening = int(automaton.after[0, EOS])  # the end symbol is spelled as a space, as is the start
    rows = Rows(torch.tensor([[BOS, *said_before]]), torch.zeros(1, dtype=torch.long))
    found = forbid_phrases(automaton, opening, CPU)(rows, torch.zeros(1, len(TOKENS)))[0]
    before = "_" + spell(said_before)

    def occurrences(text):
        return sum(text[place:].startswith(phrase) for phrase in phrases for place in range(len(text)))

    expected = [occurrences(before + spell([token])) > occurrences(before) for token in range(len(TOKENS))]
    assert found.isinf().tolist() == expected


@pytest.mark.parametrize("phrase", ["a", "ab", "_ab", "ba_a"])
def test_no_hypothesis_of_a_beam_contains_a_forbidden_phrase(phrase):
    """T54: absent even after beam reordering."""
    automaton = build_automaton([phrase.encode()], TOKENS)
    rule = forbid_phrases(automaton, int(automaton.after[0, EOS]), CPU)
    run = partial(search, vocab=len(TOKENS), beam=5, limit=10)
    endless = forbid([BOS, EOS])
    assert any(phrase in f"_{spell(tokens)}_" for tokens in said(run([endless])))
    for rules in ([forbid([BOS]), rule], [endless, rule]):
        assert not any(phrase in f"_{spell(tokens)}" for tokens in said(run(rules)))


def test_too_many_phrases_are_refused_with_the_limit():
    with pytest.raises(ConfigError, match="forbidden_phrases: 300,000 bytes"):
        build_automaton([bytes([first]) * 3000 for first in range(100)], [b"a"] * 1000)
