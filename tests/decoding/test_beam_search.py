import math
import random
from operator import attrgetter

import pytest
import torch
from table_stepper import BOS, EOS, BigramStepper, Language, TableStepper, bigram_tables, lengths

from ferryman.decoding import beam_search, forbid, minimum_length, no_repeat_ngram, penalty
from ferryman.errors import TranslationError


def search(stepper, limits, beam=4, **options):
    return beam_search(stepper, beam=beam, max_lengths=lengths(*limits), bos=BOS, eos=EOS, **options)


LIMITS = [3 + sentence % 23 for sentence in range(50)]


@pytest.mark.parametrize("size", [1, 7])
def test_a_sentence_does_not_depend_on_its_batch(size):
    tables = bigram_tables(50, 60, seed=2)
    whole = search(BigramStepper(tables), LIMITS, length_penalty=0.6)
    parts = []
    for first in range(0, 50, size):
        part = slice(first, first + size)
        parts += search(BigramStepper(tables[part]), LIMITS[part], length_penalty=0.6)
    assert parts == whole
    assert {hypotheses[0].finished for hypotheses in whole} == {True, False}


def test_the_order_of_the_sentences_does_not_matter():
    tables = bigram_tables(50, 60, seed=2)
    whole = search(BigramStepper(tables), LIMITS, length_penalty=0.6)
    order = torch.randperm(50, generator=torch.Generator().manual_seed(0)).tolist()
    shuffled = search(BigramStepper(tables[order]), [LIMITS[i] for i in order], length_penalty=0.6)
    assert shuffled == [whole[i] for i in order]


def test_hypotheses_come_best_first_and_each_once():
    found = search(BigramStepper(bigram_tables(30, 60, seed=4)), [20] * 30, beam=5, length_penalty=1.0)
    assert {len(hypotheses) for hypotheses in found} > {5}
    for hypotheses in found:
        assert hypotheses == sorted(hypotheses, key=attrgetter("score"), reverse=True)
        assert len({hypothesis.tokens for hypothesis in hypotheses}) == len(hypotheses)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
def test_length_and_score_are_as_documented(alpha):
    language = Language(seed=5)
    for sentence, hypotheses in enumerate(search(TableStepper(language, [0, 1, 2]), [6, 6, 6], length_penalty=alpha)):
        for hypothesis in hypotheses:
            tokens = hypothesis.tokens
            steps = [language.log_probs(sentence, tokens[:i])[token] for i, token in enumerate(tokens)]
            assert hypothesis.log_prob == pytest.approx(sum(steps))
            assert hypothesis.score == pytest.approx(sum(steps) / ((5 + len(tokens)) / 6) ** alpha)
            assert hypothesis.finished == (tokens[-1] == EOS)
            assert EOS not in tokens[:-1]


def test_without_an_end_symbol_the_search_stops_at_its_bound_with_the_best_unfinished():
    limits = [1, 5, 3, 16]
    stepper = TableStepper(Language(seed=6), range(4))
    found = search(stepper, limits, rules=[forbid([EOS])], length_penalty=1.0)
    assert [len(hypotheses) for hypotheses in found] == [1] * 4
    assert [len(hypotheses[0].tokens) for hypotheses in found] == limits
    for [hypothesis] in found:
        assert hypothesis.truncated
        assert hypothesis.score == pytest.approx(hypothesis.log_prob / penalty(len(hypothesis.tokens), 1.0))
    assert len(stepper.steps) == 16, "a decoder with 16 positions is never asked for a 17th"


def test_minimum_and_maximum_length_count_the_end_symbol():
    language = Language(seed=7)
    free = search(TableStepper(language, range(6)), [9] * 6)
    assert min(len(hypothesis.tokens) for hypotheses in free for hypothesis in hypotheses) < 4
    bounded = search(TableStepper(language, range(6)), [6] * 6, rules=[minimum_length(4, EOS)])
    assert {len(hypothesis.tokens) for hypotheses in bounded for hypothesis in hypotheses} == {4, 5, 6}


def test_rows_move_within_their_sentence_and_histories_are_the_rows_pasts():
    stepper = TableStepper(Language(vocab=6, seed=8), range(9))
    seen = 0

    def compare(rows, log_probs):
        nonlocal seen
        assert [tuple(row) for row in rows.history.tolist()] == stepper.pasts
        seen += 1
        return log_probs

    search(stepper, [3, 12, 5, 12, 12, 1, 12, 7, 12], rules=[compare], length_penalty=1.0)
    assert seen == len(stepper.steps) == 12
    assert stepper.moved > 3, "the beams must have been reordered"
    assert len(set(stepper.steps)) > 3, "sentences must have left the batch"


def test_a_sentence_is_over_as_soon_as_nothing_can_improve_it():
    stepper = TableStepper(Language(vocab=4, seed=9), range(5))
    search(stepper, [500] * 5)
    assert len(stepper.steps) < 100


def test_a_rival_that_could_still_win_is_waited_for():
    """Two poor short endings must not end the search before a long one of better score."""
    table = torch.full((4, 4), -math.inf)
    table[BOS, [EOS, 2]] = torch.tensor([0.6, 0.4]).log()
    table[2, [EOS, 3]] = torch.tensor([0.001, 0.999]).log()
    table[3, [EOS, 3]] = torch.tensor([0.2, 0.8]).log()
    [short] = search(BigramStepper(table[None]), [12], beam=2, length_penalty=0.0)
    [long] = search(BigramStepper(table[None]), [12], beam=2, length_penalty=4.0)
    assert short[0].tokens == (EOS,)
    assert len(long[0].tokens) > 4


def test_an_end_outside_the_beam_is_no_end():
    table = torch.tensor([0.01, 0.2, 0.5, 0.29]).log().expand(1, 4, 4)
    [hypotheses] = search(BigramStepper(table), [2], beam=1)
    assert hypotheses[0].tokens == (2, 2)
    [hypotheses] = search(BigramStepper(table), [1], beam=2)
    assert hypotheses[0].truncated
    [hypotheses] = search(BigramStepper(table), [1], beam=3)
    assert hypotheses[0].tokens == (EOS,)


@pytest.mark.parametrize("vocab", [1, 2, 3])
def test_a_vocabulary_smaller_than_the_beam_works(vocab):
    table = torch.tensor([2.0, 1.0, 0.9])[:vocab].log_softmax(0).expand(1, 3, vocab)
    [hypotheses] = beam_search(BigramStepper(table), beam=9, max_lengths=lengths(3), bos=2, eos=0)
    assert len(hypotheses) == min(9, sum((vocab - 1) ** length for length in range(3)))
    assert hypotheses[0].tokens == (0,)


@pytest.mark.parametrize("beam", [1, 3])
def test_where_no_token_has_a_probability_the_search_returns_what_it_has(beam):
    table = torch.full((2, 4, 4), -math.inf)
    table[1, BOS, 2] = table[1, 2, 3] = -0.5
    found = search(BigramStepper(table), [5, 5], beam=beam, length_penalty=1.0)
    assert [[(h.tokens, h.log_prob, h.finished) for h in hypotheses] for hypotheses in found] == [
        [((), 0.0, False)],
        [((2, 3), -1.0, False)],
    ]
    assert found[1][0].score == pytest.approx(-1.0 / penalty(2, 1.0))


def test_low_precision_log_probs_are_added_in_single_precision():
    table = torch.tensor([-9.0, -9.0, -0.001, -9.0], dtype=torch.bfloat16).expand(1, 4, 4)
    [hypotheses] = search(BigramStepper(table), [300], beam=2, rules=[forbid([EOS])])
    assert hypotheses[0].log_prob == pytest.approx(300 * float(table[0, 0, 2]), rel=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_asking_for_fewer_ends_sooner_and_finds_the_same_first(alpha):
    tables = bigram_tables(40, 30, seed=6)
    every = BigramStepper(tables)
    whole = search(every, [25] * 40, beam=4, length_penalty=alpha)
    for n_best in (1, 2, 3):
        some = BigramStepper(tables)
        assert search(some, [25] * 40, beam=4, n_best=n_best, length_penalty=alpha) == [
            hypotheses[:n_best] for hypotheses in whole
        ]


@pytest.mark.parametrize("vocab", [2, 5, 60, 1001])
def test_a_sentence_by_itself_is_searched_as_one_of_many_is(vocab):
    """Bit for bit; that of many is taken where somebody looks on."""
    truncated = set()
    for seed in range(25):
        draw = random.Random(seed)
        beam, tables = draw.choice([1, 2, 3, 8]), bigram_tables(1, vocab, seed=seed)
        tables[:, draw.randrange(vocab), draw.randrange(vocab)] = draw.choice([-math.inf, 0.0, math.nan])
        asked = {
            "beam": beam,
            "n_best": draw.randint(1, beam),
            "length_penalty": draw.choice([0.0, 0.6, 2.5]),
            "rules": [minimum_length(draw.randint(0, 4), EOS), no_repeat_ngram(draw.randint(1, 3))],
        }
        limit = draw.randint(1, 14)
        alone, among = (
            outcome(BigramStepper(tables), [limit], observe=observe, **asked) for observe in (None, lambda step: None)
        )
        assert repr(alone) == repr(among), (seed, limit, asked)
        truncated |= {isinstance(alone, str) or alone[0][0].truncated}
    assert truncated == {True, False}


def outcome(stepper, limits, **options):
    try:
        return search(stepper, limits, **options)
    except TranslationError as error:
        return str(error)
