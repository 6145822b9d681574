"""Decoding step by step, with what ``DecoderState`` remembers, equals decoding in one pass."""

import pytest
import torch
from torch import Tensor

from ferryman.model.state import DecoderState
from ferryman.model.transformer import Transformer

REAL = torch.tensor([[True] * 7, [True] * 4 + [False] * 3, [True] * 6 + [False]])


def assert_same(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=0)


def log_probabilities(model: Transformer, hidden: Tensor) -> Tensor:
    return model.project(hidden).log_softmax(-1)


def decode(model: Transformer, tokens: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
    hidden, state = model.decode(tokens, state)
    return log_probabilities(model, hidden), state


@pytest.mark.parametrize("steps", [[1] * 8, [3, 1, 4], [1, 7], [5, 3]], ids=str)
def test_steps_equal_one_pass(any_model, draw_tokens, steps):
    source, target_in = draw_tokens(3, 7), draw_tokens(3, 8, seed=1)
    state = any_model.encode(source, REAL)
    one_pass, _ = decode(any_model, target_in, state)
    parts = []
    for tokens in target_in.split(steps, dim=1):
        part, state = decode(any_model, tokens, state)
        parts.append(part)
    assert state.position == 8
    assert_same(torch.cat(parts, dim=1), one_pass)


def test_reordered_beams_and_dropped_sentences_equal_full_prefixes(any_model, draw_tokens):
    """Search at random: every row's whole prefix, decoded from scratch, gives the same."""
    beam, generator = 4, torch.Generator().manual_seed(3)
    source = draw_tokens(3, 7)
    sentences, prefixes = torch.arange(3), torch.empty(12, 0, dtype=torch.long)
    state = any_model.encode(source, REAL)
    for step in range(8):
        tokens = draw_tokens(len(prefixes), 1, seed=step)
        prefixes = torch.cat((prefixes, tokens), dim=1)
        actual, state = decode(any_model, tokens, state)
        owners = sentences.repeat_interleave(beam)
        from_scratch = any_model(source[owners], prefixes, REAL[owners])
        assert_same(actual[:, -1], from_scratch[:, -1].log_softmax(-1))
        if step in (3, 5):  # first the middle one of three sentences leaves, then the first of two
            kept = torch.tensor([0, 2] if step == 3 else [1])
            state, sentences = state.keep(kept, beam), sentences[kept]
            prefixes = prefixes.view(-1, beam, step + 1)[kept].flatten(0, 1)
        rows = torch.arange(len(prefixes)) // beam * beam + torch.randint(beam, (len(prefixes),), generator=generator)
        state, prefixes = state.reorder(rows), prefixes[rows]


def test_beams_are_further_queries_of_their_sentence(any_model, draw_tokens):
    source, target_in = draw_tokens(3, 7), draw_tokens(3 * 4, 5, seed=1)
    together, _ = decode(any_model, target_in, any_model.encode(source, REAL))
    repeated = any_model.encode(source.repeat_interleave(4, dim=0), REAL.repeat_interleave(4, dim=0))
    each, _ = decode(any_model, target_in, repeated)
    assert_same(together, each)


def test_keeping_sentences_without_padding_needs_no_mask(model, draw_tokens):
    source, target_in = draw_tokens(3, 7), draw_tokens(3, 4, seed=1)
    _, state = decode(model, target_in, model.encode(source).keep(torch.tensor([0, 1, 2]), 1))
    kept = state.keep(torch.tensor([2, 0]), 1)
    assert kept.source_mask is None
    actual, _ = decode(model, target_in[[2, 0], :1], kept)
    expected, _ = decode(model, target_in[:, :1], state)
    assert_same(actual, expected[[2, 0]])


def test_a_state_is_a_value_that_can_be_continued_twice(model, draw_tokens):
    _, state = decode(model, draw_tokens(2, 3), model.encode(draw_tokens(2, 5)))
    first, _ = decode(model, draw_tokens(2, 2, seed=1), state)
    state.reorder(torch.tensor([1, 0]))
    state.keep(torch.tensor([1]), 1)
    second, _ = decode(model, draw_tokens(2, 2, seed=1), state)
    assert torch.equal(first, second)
    assert state.position == 3
