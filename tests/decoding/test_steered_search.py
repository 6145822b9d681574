"""What constrained and diverse beam search promise to whoever calls them."""

import pytest
import torch
from table_stepper import BOS, EOS, BigramStepper, Language, TableStepper, bigram_tables, lengths

from ferryman.decoding import Diversity, Phrases, beam_search, diverse_beam_search, forbid, minimum_length
from ferryman.errors import ConfigError

CPU = torch.device("cpu")
LIMITS = [3 + sentence % 23 for sentence in range(30)]


def phrases_of(phrases, vocab=60):
    return Phrases.make(phrases, *torch.zeros((2, vocab), dtype=torch.bool), EOS, CPU)


def search(stepper, limits, beam=5, **options):
    return beam_search(
        stepper, beam=beam, max_lengths=lengths(*limits), bos=BOS, eos=EOS, length_penalty=1.0, **options
    )


def ending_tables(sentences, seed):
    """Draw bigram models that end soon, whichever hypotheses a narrow beam has left."""
    tables = bigram_tables(sentences, 60, seed)
    tables[:, :, EOS] += 3.0
    return tables.log_softmax(dim=-1)


def has(tokens, phrase):
    return any(tokens[place : place + len(phrase)] == phrase for place in range(len(tokens)))


@pytest.mark.parametrize("beam", [1, 2, 5, 8])
def test_every_phrase_is_in_every_hypothesis(beam):
    """T54: absent, two that overlap, and one that is there already."""
    tables = ending_tables(4, seed=2)
    [free] = search(BigramStepper(tables[:1]), [20], rules=[minimum_length(3, EOS)])
    wanted = [[free[0].tokens[:2]], [(7, 8, 9)], [(7, 8), (8, 9)], [(5,), (30, 31), (40,)]]
    found = search(BigramStepper(tables), [20] * 4, beam=beam, phrases=phrases_of(wanted))
    for phrases, hypotheses in zip(wanted, found, strict=True):
        for one in hypotheses:
            assert one.finished
            assert all(has(one.tokens, phrase) for phrase in phrases)


def test_one_word_can_be_a_part_of_two_phrases():
    """T54."""
    met, begun = phrases_of([[(7, 8), (8, 9), (9, 7, 3)]]).said(torch.tensor([[[BOS, 7, 8, 9], [BOS, 9, 7, 8]]]))
    assert met.tolist() == [[[True, True, False], [True, False, False]]]
    assert begun.tolist() == [[[0, 0, 1], [0, 1, 0]]]


def test_an_impossible_phrase_leaves_an_unfinished_hypothesis():
    """T54."""
    found = search(
        BigramStepper(ending_tables(2, seed=2)),
        [9, 9],
        rules=[forbid([8])],
        phrases=phrases_of([[(7, 8)], [(7, 9)]]),
    )
    assert [one.finished for one in found[0]] == [False]
    assert found[1][0].finished


def test_a_word_that_goes_on_is_another_word():
    joins = torch.tensor([token % 2 == 1 and token > 1 for token in range(60)])
    phrases = Phrases.make([[(6,)]] * 9, joins, torch.zeros_like(joins), EOS, CPU)
    found = search(BigramStepper(ending_tables(9, seed=5)), [20] * 9, phrases=phrases)
    for hypotheses in found:
        for tokens in (one.tokens for one in hypotheses):
            assert any(token == 6 and not joins[tokens[place + 1]] for place, token in enumerate(tokens[:-1]))


@pytest.mark.parametrize("size", [1, 7])
def test_a_constrained_sentence_does_not_depend_on_its_batch(size):
    tables = bigram_tables(30, 60, seed=2)
    wanted = [[(7, 8)] * (place % 2) + [(9,)] * (place % 3) for place in range(30)]
    wanted = [list(dict.fromkeys(each)) for each in wanted]
    whole = search(BigramStepper(tables), LIMITS, phrases=phrases_of(wanted))
    parts = []
    for first in range(0, 30, size):
        part = slice(first, first + size)
        parts += search(BigramStepper(tables[part]), LIMITS[part], phrases=phrases_of(wanted[part]))
    assert parts == whole
    plain = search(BigramStepper(tables), LIMITS)
    assert [whole[place] for place in range(0, 30, 6)] == [plain[place] for place in range(0, 30, 6)]


def diverse(stepper, limits, beam=6, groups=3, strength=0.5, **options):
    return diverse_beam_search(
        stepper,
        beam=beam,
        diversity=Diversity(groups, strength),
        max_lengths=lengths(*limits),
        bos=BOS,
        eos=EOS,
        length_penalty=1.0,
        **options,
    )


@pytest.mark.parametrize("size", [1, 7])
def test_a_diverse_sentence_does_not_depend_on_its_batch(size):
    tables = bigram_tables(30, 60, seed=2)
    whole = diverse(BigramStepper(tables), LIMITS)
    parts = []
    for first in range(0, 30, size):
        part = slice(first, first + size)
        parts += diverse(BigramStepper(tables[part]), LIMITS[part])
    assert parts == whole


def test_groups_differ_more_the_more_it_costs_and_the_first_is_a_plain_beam():
    tables = bigram_tables(20, 60, seed=3)
    plain = search(BigramStepper(tables), [12] * 20, beam=2)

    def begun(found):
        return sum(len({one.tokens[0] for one in each[:3]}) for each in found)

    shares = [diverse(BigramStepper(tables), [12] * 20, strength=strength) for strength in (0.0, 0.5, 5.0)]
    assert begun(shares[0]) < begun(shares[1]) < begun(shares[2])
    assert all(len({one.tokens for one in each}) == len(each) for found in shares for each in found)
    for found in shares:
        for each, first in zip(found, plain, strict=True):
            assert set(first) & set(each) or not first[0].finished
            assert each[0].score >= first[0].score or not first[0].finished
            assert each[0].score == max(one.score for one in each)


def test_a_diverse_search_leaves_log_probabilities_alone():
    language = Language(vocab=6, seed=5)
    for sentence, hypotheses in enumerate(diverse(TableStepper(language, range(3)), [7] * 3)):
        for one in hypotheses:
            steps = [language.log_probs(sentence, one.tokens[:i])[token] for i, token in enumerate(one.tokens)]
            assert one.log_prob == pytest.approx(sum(steps), abs=1e-5)


def test_groups_that_do_not_divide_the_beam_are_refused():
    with pytest.raises(ConfigError, match="4 groups do not divide a beam of 6"):
        diverse(TableStepper(Language(), [0]), [3], groups=4)
