import math

import pytest
import torch
from table_stepper import BOS, EOS, BigramStepper, Language, TableStepper, bigram_tables, lengths

from ferryman.decoding import beam_search, forbid, greedy_search, minimum_length, penalty
from ferryman.errors import ConfigError, TranslationError


def greedy_by_hand(language, sentence, limit):
    tokens, total = (), 0.0
    while len(tokens) < limit and tokens[-1:] != (EOS,):
        choices = language.log_probs(sentence, tokens)
        best = max(choices)
        if best == -math.inf:
            break
        tokens, total = (*tokens, choices.index(best)), total + best
    return tokens, total


@pytest.mark.parametrize("holes", [0.0, 0.6])
def test_greedy_search_takes_the_likeliest_token_at_every_step(holes):
    language = Language(vocab=5, seed=3, holes=holes)
    limits = [1, 4, 9, 2, 9, 9, 6, 9]
    found = greedy_search(TableStepper(language, range(8)), max_lengths=lengths(*limits), bos=BOS, eos=EOS)
    for sentence, (hypothesis, limit) in enumerate(zip(found, limits, strict=True)):
        assert (hypothesis.tokens, hypothesis.log_prob) == greedy_by_hand(language, sentence, limit)
        assert hypothesis.finished == (hypothesis.tokens[-1:] == (EOS,))
    assert {hypothesis.finished for hypothesis in found} == {True, False}


def test_where_no_token_has_a_probability_the_score_is_that_of_the_tokens_so_far():
    table = torch.full((1, 4, 4), -math.inf)
    table[0, BOS, 2] = table[0, 2, 3] = -0.5
    [hypothesis] = greedy_search(BigramStepper(table), max_lengths=lengths(5), bos=BOS, eos=EOS, length_penalty=1.0)
    assert (hypothesis.tokens, hypothesis.log_prob, hypothesis.finished) == ((2, 3), -1.0, False)
    assert hypothesis.score == pytest.approx(-1.0 / penalty(2, 1.0))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 1.5])
def test_a_beam_of_one_is_greedy_search(alpha):
    tables = bigram_tables(40, 60, seed=1)
    limits = lengths(*range(1, 41))
    options = {"max_lengths": limits, "bos": BOS, "eos": EOS, "length_penalty": alpha}
    found = beam_search(BigramStepper(tables), beam=1, **options)
    assert found == [[hypothesis] for hypothesis in greedy_search(BigramStepper(tables), **options)]
    assert {hypotheses[0].finished for hypotheses in found} == {True, False}


def test_equals_go_to_the_lower_token_in_both_searches():
    table = torch.tensor([-9.0, -2.0, -1.0, -5.0, -1.0]).expand(1, 5, 5)
    options = {"max_lengths": lengths(3), "bos": BOS, "eos": EOS}
    assert greedy_search(BigramStepper(table), **options)[0].tokens == (2, 2, 2)
    assert beam_search(BigramStepper(table), beam=1, **options)[0][0].tokens == (2, 2, 2)
    assert beam_search(BigramStepper(table), beam=3, rules=[forbid([EOS])], **options)[0][0].tokens == (2, 2, 2)


def test_finished_sentences_leave_the_batch():
    stepper = TableStepper(Language(seed=3), range(8))
    found = greedy_search(stepper, max_lengths=lengths(*[30] * 8), bos=BOS, eos=EOS)
    assert sum(stepper.steps) == sum(len(hypothesis.tokens) for hypothesis in found)
    assert len(set(stepper.steps)) > 2


def test_greedy_search_obeys_its_rules():
    rules = [minimum_length(4, EOS), forbid([BOS, 2])]
    found = greedy_search(TableStepper(Language(seed=3), range(9)), max_lengths=lengths(*[8] * 9), bos=BOS, eos=EOS)
    assert min(len(hypothesis.tokens) for hypothesis in found) < 4
    found = greedy_search(
        TableStepper(Language(seed=3), range(9)), max_lengths=lengths(*[8] * 9), bos=BOS, eos=EOS, rules=rules
    )
    assert min(len(hypothesis.tokens) for hypothesis in found) == 4
    assert not {BOS, 2} & {token for hypothesis in found for token in hypothesis.tokens}


def test_an_empty_batch_has_no_translations():
    assert greedy_search(TableStepper(Language(), []), max_lengths=lengths(), bos=BOS, eos=EOS) == []
    assert beam_search(TableStepper(Language(), []), beam=2, max_lengths=lengths(), bos=BOS, eos=EOS) == []


@pytest.mark.parametrize("search", [greedy_search, lambda *a, **k: beam_search(*a, beam=3, **k)])
def test_what_cannot_be_searched_is_refused(search):
    def run(stepper, limits, **options):
        search(stepper, max_lengths=limits, bos=BOS, eos=EOS, **options)

    with pytest.raises(ConfigError, match="maximum length is 0"):
        run(TableStepper(Language(), [0, 1]), lengths(4, 0))
    with pytest.raises(ConfigError, match="length penalty is -1"):
        run(TableStepper(Language(), [0]), lengths(4), length_penalty=-1.0)
    with pytest.raises(TranslationError, match="2 sentences, but 3"):
        run(TableStepper(Language(), [0, 1]), lengths(4, 4, 4))
    with pytest.raises(TranslationError, match="not a number"):
        run(BigramStepper(torch.full((1, 4, 4), math.nan)), lengths(4))
    with pytest.raises(ConfigError, match="beam is 0"):
        beam_search(TableStepper(Language(), [0]), beam=0, max_lengths=lengths(1), bos=BOS, eos=EOS)
