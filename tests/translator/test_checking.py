"""Doubtful translations are flagged, and others are tried in their place (T68)."""

import math

import pytest
import torch

from ferryman.config import DecodingConfig
from ferryman.decoding import Hypothesis
from ferryman.decoding.rules import Rows
from ferryman.translator import searching
from ferryman.translator.checking import Checker

SOURCE = "the ferry carries seven old people"
GOOD = "a quiet town and river"
LOOP = "the town the town the town the town"


def decoding(**settings):
    return DecodingConfig(**{"device": "cpu", "beam": 3, **settings})


def rows_of(history):
    return Rows(torch.tensor([history]), torch.tensor([0]))


class Answers:
    """A searcher that gives prepared answers, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def search(self, rows, decoding, more=()):
        self.asked.append((rows, decoding, more))
        return [self.answers.pop(0) for _ in rows]


@pytest.fixture
def say(translator):
    """Make a hypothesis of a text, so likely for each of its tokens."""

    def say(text, each=-0.5, finished=True):
        tokens = translator.tokenizers.target.encode(text) + [translator.symbols.eos] * finished
        return Hypothesis(tuple(tokens), each * len(tokens), each, finished)

    return say


@pytest.fixture
def settle(translator):
    """Settle what was found for ``SOURCE``, with the answers there would be to a second search."""

    def settle(found, *second, **settings):
        searcher = Answers(*second)
        checker = Checker(searcher, translator.tokenizers, translator.config.data)
        rows = [translator.tokenizers.source.encode(SOURCE)] * len(found)
        settled = checker.settle(rows, found, decoding(**settings), "de")
        texts = [[(translator.tokenizers.target.decode(one.tokens), one.flags) for one in best] for best in settled]
        return texts, searcher.asked

    return settle


def test_what_is_not_doubtful_stays_as_it_is(settle, say):
    found = [[say(GOOD), say(LOOP)]]
    assert settle(found) == ([[(GOOD, ())]], [])
    assert settle(found, n_best=2) == ([[(GOOD, ()), (LOOP, ("looped",))]], [])


def test_the_next_hypothesis_without_doubt_takes_the_first_place(settle, say):
    beam = [say(LOOP), say(SOURCE), say(GOOD)]
    expected = [(GOOD, ("retried",)), (LOOP, ("looped",)), (SOURCE, ("copied",))]
    for n_best in (1, 2):
        texts, [(_, asked, rules)] = settle([beam[:n_best]], beam, n_best=n_best)
        assert texts[0][:n_best] == expected[:n_best]
        assert (asked, rules) == (decoding(n_best=3), [])
    assert settle([beam], n_best=3) == ([expected], [])  # all of the beam is there: nothing to search
    assert settle([beam[:1]], fallback=False) == ([[(LOOP, ("looped",))]], [])


def test_what_is_very_unlikely_is_no_better(settle, say):
    texts, asked = settle(
        [[say(LOOP)]], [say(LOOP), say(GOOD, each=-2.1)], [say("a quiet town", each=-9.0), say("the river town")]
    )
    assert texts[0][0] == ("the river town", ("retried",))
    assert len(asked) == 2


def test_where_all_are_doubtful_the_first_stays_with_its_doubts(settle, say):
    texts, asked = settle([[say(LOOP), say(SOURCE)]], [say(LOOP), say(SOURCE)], [say(SOURCE)], n_best=2)
    assert texts == [[(LOOP, ("looped",)), (SOURCE, ("copied",))]]
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("text", "finished", "changes", "other_beginning"),
    [
        (LOOP, True, {"length_penalty": 0.0, "no_repeat_ngram": 3}, False),
        ("a quiet town", False, {"length_penalty": 0.0, "no_repeat_ngram": 3}, False),
        (SOURCE, True, {}, True),
        ("", True, {"min_length": 5}, False),
    ],
)
def test_the_second_search_suits_the_doubt(settle, say, translator, text, finished, changes, other_beginning):
    first = say(text, finished=finished)
    texts, [_, (rows, asked, rules)] = settle([[first]], [first], [say(GOOD)], length_penalty=0.7)
    assert texts[0][0] == (GOOD, ("retried",))
    assert len(rows[0]) == 10
    assert asked == decoding(length_penalty=0.7).model_copy(update={"beam": 6, "n_best": 6, **changes})
    assert len(rules) == int(other_beginning)
    if other_beginning:
        start = torch.zeros(1, translator.tokenizers.target.vocab_size)
        (token,) = (rules[0](rows_of([0]), start.clone()) == -math.inf).nonzero()[:, 1].tolist()
        assert token == first.tokens[0]
        assert (rules[0](rows_of([0, 5]), start.clone()) == 0).all()


def test_what_a_second_search_found_has_the_score_of_the_configuration(translator, say):
    checker = Checker(Answers([say(LOOP)], [say(GOOD)]), translator.tokenizers, translator.config.data)
    rows = [translator.tokenizers.source.encode(SOURCE)]
    ((best, _),) = checker.settle(rows, [[say(LOOP)]], decoding(length_penalty=0.7), "de")
    assert best.score == pytest.approx(best.log_prob / ((5 + len(best.tokens)) / 6) ** 0.7)


def test_greedy_search_is_tried_again_with_a_beam(settle, say):
    _, [(_, asked, _)] = settle([[say(LOOP)]], [say(GOOD)], beam=1)
    assert asked.beam == 5


def test_doubtful_texts_are_searched_again_together_and_the_others_not_at_all(settle, say):
    found = [[say(LOOP)], [say(GOOD)], [say(SOURCE)], [say(LOOP)]]
    beams = [[say(LOOP)], [say(SOURCE)], [say(LOOP)]]
    texts, asked = settle(found, *beams, [say("a town")], [say("the river")], [say("a quiet river")])
    assert [len(rows) for rows, _, _ in asked] == [3, 2, 1]
    assert [best[0][0] for best in texts] == ["a town", GOOD, "a quiet river", "the river"]


class Copier:
    """A stepper that copies the source; and, if it is allowed to, has the reverse of it in second place."""

    def __init__(self, rows, reverses, vocab, eos):
        self.goals = [[row, [*row[-2::-1], eos]] if reverses else [row] for row in rows]
        self.vocab = vocab

    def start(self, beam):
        self.rows = [goals for goals in self.goals for _ in range(beam)]
        self.pasts = [[] for _ in self.rows]
        self.beam = beam
        return len(self.goals)

    def step(self, tokens):
        for past, token in zip(self.pasts, tokens.tolist(), strict=True):
            past.append(token)
        log_probs = torch.full((len(self.rows), self.vocab), -14.0)
        for row, (goals, past) in enumerate(zip(self.rows, self.pasts, strict=True)):
            at = len(past) - 1
            followed = [goal for goal in goals if goal[:at] == past[1:] and at < len(goal)]
            for rank, goal in enumerate(followed or [goal for goal in goals[:1] if at < len(goal)]):
                log_probs[row, goal[at]] = -0.01 - 4.0 * rank
        return log_probs

    def reorder(self, rows):
        self.pasts = [list(self.pasts[row]) for row in rows.tolist()]

    def keep(self, sentences):
        kept = [sentence * self.beam + place for sentence in sentences.tolist() for place in range(self.beam)]
        self.rows, self.pasts = [self.rows[row] for row in kept], [self.pasts[row] for row in kept]


@pytest.fixture
def copying(translator, monkeypatch):
    """A translator whose model copies; returns the searches it does as well."""

    def copying(*, reverses):
        searches = []

        def stepper(source, real):
            eos = translator.symbols.eos
            rows = [row[: row.index(eos) + 1] for row in source.tolist()]
            searches.append(len(rows))
            return Copier(rows, reverses, translator.tokenizers.target.vocab_size, eos)

        monkeypatch.setattr(searching, "build_engine", lambda *_: stepper)
        return translator, searches

    return copying


@pytest.mark.parametrize("beam", [1, 3])
def test_a_model_that_copies_is_told_and_another_translation_was_tried(copying, sentences, beam):
    """T68."""
    translator, searches = copying(reverses=False)
    texts = [text for text in sentences if len(text.split()) > 5]
    found = translator.translate(texts, decoding(beam=beam))
    assert [(one.text, one.flags) for one in found] == [(text, ("copied",)) for text in texts]
    assert len(searches) > 1
    searches.clear()
    found = translator.translate(texts, decoding(beam=beam, fallback=False))
    assert [(one.text, one.flags) for one in found] == [(text, ("copied",)) for text in texts]
    assert len(searches) == 1


@pytest.mark.parametrize("beam", [1, 3])
def test_what_else_the_model_knows_takes_the_place_of_a_copy(copying, beam):
    translator, _ = copying(reverses=True)
    (found,) = translator.translate([SOURCE], decoding(beam=beam, n_best=beam))
    assert found.flags == ("retried",)
    assert translator.tokenizers.target.encode(SOURCE)[::-1] == list(found.tokens[:-1])
    if beam > 1:
        assert found.alternatives[0].text == SOURCE
        assert found.alternatives[0].flags == ("copied",)


def key(one):
    return one.text, one.tokens, one.flags


@pytest.mark.parametrize(("beam", "rerank"), [(1, "none"), (4, "none"), (4, "mbr")])
def test_checking_depends_on_no_neighbour_and_no_n_best(make_translator, sentences, beam, rerank):
    translator, texts = make_translator(ending=4.0), sentences[2:14]
    how = {"beam": beam, "rerank": rerank, "max_length_ratio": 0.8, "max_length_extra": 2}
    together = translator.translate(texts, decoding(**how))
    flags = {flag for one in together for flag in one.flags}
    assert {"truncated"} | ({"retried"} if rerank == "none" else set()) <= flags
    alone = translator.translate(texts[::-1], decoding(**how, batch_tokens=1))[::-1]
    more = translator.translate(texts, decoding(**how, n_best=beam, batch_tokens=90))
    assert list(map(key, alone)) == list(map(key, together)) == list(map(key, more))


def test_without_doubt_nothing_changes(make_translator, sentences):
    translator = make_translator(ending=3.0)
    plain = translator.translate(sentences, decoding(n_best=3, fallback=False))
    checked = translator.translate(sentences, decoding(n_best=3))
    certain = [place for place, one in enumerate(plain) if not one.flags]
    assert len(certain) > 5
    assert [checked[place] for place in certain] == [plain[place] for place in certain]


def test_each_piece_of_a_long_text_is_checked_by_itself(copying):
    translator, _ = copying(reverses=True)
    (found,) = translator.translate([f"{SOURCE} {SOURCE}"], decoding(max_source_tokens=len(SOURCE.split())))
    assert found.flags[0] == "split"
