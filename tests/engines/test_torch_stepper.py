"""The reference stepper: what it remembers makes no difference to what is found (T48)."""

import pytest
import torch
from torch import nn

from ferryman.decoding import Stepper, beam_search, forbid, greedy_search, minimum_length
from ferryman.engines.torch_stepper import TorchStepper

PAD, BOS, EOS = 0, 2, 3
REAL = torch.arange(7) < torch.tensor([7, 3, 5, 1, 6, 2])[:, None]


class FullPrefixStepper:
    """Decode every prefix from its first token, each row beside a copy of its source: slow, and nothing to forget."""

    def __init__(self, model, source, real):
        self.model, self.source, self.real = model, source, real

    def start(self, beam):
        self.beam, sentences = beam, len(self.source)
        self.prefixes = torch.empty(sentences * beam, 0, dtype=torch.long)
        self.source, self.real = self.source.repeat_interleave(beam, 0), self.real.repeat_interleave(beam, 0)
        return sentences

    def step(self, tokens):
        self.prefixes = torch.cat([self.prefixes, tokens[:, None]], dim=1)
        return self.model(self.source, self.prefixes, self.real)[:, -1].log_softmax(-1)

    def reorder(self, rows):
        self.prefixes = self.prefixes[rows]

    def keep(self, sentences):
        rows = (sentences[:, None] * self.beam + torch.arange(self.beam)).flatten()
        self.source, self.real, self.prefixes = self.source[rows], self.real[rows], self.prefixes[rows]


def search(stepper, beam):
    return beam_search(
        stepper,
        beam=beam,
        max_lengths=torch.tensor([9, 4, 7, 9, 6, 3]),
        bos=BOS,
        eos=EOS,
        length_penalty=0.6,
        rules=[forbid([PAD, BOS]), minimum_length(3, EOS)],
    )


@pytest.mark.parametrize("beam", [1, 4])
def test_cached_equals_full_prefix_through_a_whole_search(any_model, draw_tokens, beam):
    """Sentences of six lengths, padded, that leave the batch at different times."""
    with torch.no_grad():
        # Surer of itself than at first, and not one to repeat its last word.
        any_model.output_table = nn.Parameter(torch.randn_like(any_model.target_table))
    source = draw_tokens(6, 7)
    cached = search(TorchStepper(any_model, source, REAL), beam)
    uncached = search(FullPrefixStepper(any_model, source, REAL), beam)
    assert [[one.tokens for one in best] for best in cached] == [[one.tokens for one in best] for best in uncached]
    log_probs = [[one.log_prob for best in found for one in best] for found in (cached, uncached)]
    assert log_probs[0] == pytest.approx(log_probs[1], abs=1e-5)
    assert len({one.tokens for best in cached for one in best}) > 2


def test_sentences_are_found_the_same_alone(any_model, draw_tokens):
    source = draw_tokens(6, 7)
    bounds = torch.tensor([9, 4, 7, 9, 6, 3])
    together = greedy_search(TorchStepper(any_model, source, REAL), max_lengths=bounds, bos=BOS, eos=EOS)
    for index, expected in enumerate(together):
        alone = TorchStepper(any_model, source[index : index + 1, : int(REAL[index].sum())], None)
        (found,) = greedy_search(alone, max_lengths=bounds[index : index + 1], bos=BOS, eos=EOS)
        assert found.tokens == expected.tokens
        assert found.log_prob == pytest.approx(expected.log_prob, abs=1e-5)


def test_steps_give_log_probabilities_in_float32(model, draw_tokens):
    stepper = TorchStepper(model, draw_tokens(2, 5), None)
    assert stepper.start(3) == 2
    log_probs = stepper.step(torch.full((6,), BOS))
    assert log_probs.dtype == torch.float32
    torch.testing.assert_close(log_probs.exp().sum(-1), torch.ones(6))


def test_a_step_before_the_start_is_a_mistake(model, draw_tokens):
    with pytest.raises(RuntimeError, match="start"):
        TorchStepper(model, draw_tokens(2, 5), None).step(torch.tensor([BOS, BOS]))


def test_it_speaks_the_protocol(model, draw_tokens):
    assert isinstance(TorchStepper(model, draw_tokens(2, 5), None), Stepper)
