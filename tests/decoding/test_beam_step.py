import math

import pytest
import torch
from table_stepper import BOS, EOS, Language, TableStepper, lengths

from ferryman.decoding import beam_search
from ferryman.decoding.candidates import ending


@pytest.fixture
def watched():
    steps = []
    found = beam_search(
        TableStepper(Language(vocab=6, seed=0, holes=0.5), range(5)),
        beam=3,
        max_lengths=lengths(9, 2, 9, 9, 6),
        bos=BOS,
        eos=EOS,
        length_penalty=0.6,
        observe=steps.append,
    )
    return found, steps


def tokens_of(steps, sentence, index, candidate):
    """Follow a candidate back to the start, by the events alone."""
    row = steps[index].sentences.tolist().index(sentence)
    token, origin = (int(column[row, candidate]) for column in (steps[index].token, steps[index].origin))
    if index == 0:
        return (token,)
    earlier = steps[index - 1]
    before = int(earlier.kept[earlier.sentences.tolist().index(sentence), origin])
    return (*tokens_of(steps, sentence, index - 1, before), token)


def test_the_events_lead_to_the_output(watched):
    found, steps = watched
    assert [hypotheses[0].finished for hypotheses in found] == [True, False, True, True, True]
    assert found[1][0].tokens == tokens_of(steps, 1, 1, int(steps[1].kept[1, 0]))
    del found[1]
    for sentence, hypotheses in zip((0, 2, 3, 4), found, strict=True):
        ended = {
            tokens_of(steps, sentence, index, candidate): (float(step.log_prob[row, candidate]), float(score))
            for index, step in enumerate(steps)
            for row, number in enumerate(step.sentences.tolist())
            if number == sentence
            for candidate, score in enumerate(step.score[row])
            if step.ends[row, candidate]
        }
        best = sorted(ended.items(), key=lambda item: -item[1][1])[:3]
        assert [(h.tokens, (h.log_prob, h.score)) for h in hypotheses] == best


def test_a_step_names_its_candidates_and_its_choices(watched):
    _, steps = watched
    assert [step.length for step in steps] == list(range(1, len(steps) + 1))
    assert steps[0].sentences.tolist() == [0, 1, 2, 3, 4]
    assert 1 not in steps[2].sentences.tolist()
    for step in steps:
        assert step.log_prob.shape == step.token.shape == step.origin.shape == step.ends.shape
        assert step.log_prob.size(1) == 6
        assert bool((step.log_prob.diff(dim=1).nan_to_num(0.0) <= 0).all())
        assert not step.ends[:, 3:].any()
        for kept, token in zip(step.kept.tolist(), step.token.tolist(), strict=True):
            assert kept == [place for place in range(6) if token[place] != EOS][:3]


def test_only_real_candidates_end(watched):
    _, steps = watched
    empty = 0
    for step in steps:
        possible = step.log_prob[:, :3] > -math.inf
        assert torch.equal(step.ends[:, :3], (step.token[:, :3] == EOS) & possible)
        empty += int((~possible).sum())
    assert empty > 0


def test_an_empty_place_does_not_end_even_with_the_end_symbol():
    log_prob, is_eos = torch.tensor([[-1.0, -math.inf, -2.0]]), torch.tensor([[False, True, True]])
    assert ending(log_prob, is_eos, beam=2).tolist() == [[False, False, False]]
