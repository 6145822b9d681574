"""The tree of a beam search: whole, without loose ends, and with the translation in it (case T97)."""

import math

import pytest

from ferryman.decoding import penalty
from ferryman.explain import trace


@pytest.fixture(params=[1, 4])
def found(make_translator, sentence, request):
    return trace(make_translator(decoding={"beam": request.param, "length_penalty": 0.6}), sentence)


def test_the_best_path_is_the_translation(found):
    by_key = {one.key: one for level in found.beam.steps for one in level.candidates}
    assert tuple(by_key[key].id for key in found.beam.path) == tuple(token.id for token in found.target.tokens)
    assert found.beam.path[-1] == found.beam.best
    assert by_key[found.beam.best].log_prob == found.target.log_prob
    assert by_key[found.beam.best].score == pytest.approx(found.target.score, abs=1e-6)
    assert found.beam.finished[0].text == found.target.text


def test_every_candidate_continues_one_that_was_kept_and_fates_add_up(found):
    before = {None}
    for length, level in enumerate(found.beam.steps, start=1):
        fates = [one.fate for one in level.candidates]
        assert level.length == length
        assert fates.count("kept") <= found.decoding.beam
        assert all(one.parent in before for one in level.candidates)
        log_probs = [one.log_prob for one in level.candidates]
        assert log_probs == sorted(log_probs, reverse=True)
        before = {one.key for one in level.candidates if one.fate == "kept"}
    keys = [one.key for level in found.beam.steps for one in level.candidates]
    assert len(set(keys)) == len(keys)


def test_scores_are_log_probabilities_over_the_penalty(found):
    for level in found.beam.steps:
        for one in level.candidates:
            assert one.score == pytest.approx(one.log_prob / penalty(level.length, 0.6), rel=1e-5)
    ended = [one for level in found.beam.steps for one in level.candidates if one.fate == "finished"]
    assert {one.key for one in ended} == {one.key for one in found.beam.finished}
    assert [one.rank for one in found.beam.finished] == list(range(1, len(ended) + 1))
    assert all(math.isfinite(one.score) for one in found.beam.finished)


def test_a_translation_that_was_cut_short_ends_the_path_too(make_translator, sentence):
    found = trace(make_translator(ending=-50.0, decoding={"beam": 2}), sentence)
    assert "truncated" in found.target.flags
    assert found.beam.finished == ()
    assert len(found.beam.path) == len(found.target.tokens) == found.decoding.max_length


def test_without_a_beam_there_is_no_tree(make_translator, sentence):
    found = trace(make_translator(decoding={"sampling": True}), sentence)
    assert (found.beam.steps, found.beam.finished, found.beam.best, found.beam.path) == ((), (), None, ())
