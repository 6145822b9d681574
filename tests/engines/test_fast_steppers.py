"""The fast steppers find what the reference finds, step by step and in whole searches."""

import gc

import pytest
import torch
from torch import nn

from ferryman.decoding import Stepper, beam_search, forbid, greedy_search, minimum_length
from ferryman.engines import onnx_graph, onnx_model
from ferryman.engines.choice import build_engine
from ferryman.engines.key_mask import FIRST_CAPACITY
from ferryman.engines.torch_stepper import TorchStepper

PAD, BOS, EOS = 0, 2, 3
REAL = torch.arange(7) < torch.tensor([7, 3, 5, 1, 6, 2])[:, None]
SHAPES = [
    {"norm_order": "pre", "activation": "swiglu"},
    {"activation": "silu", "scale_embedding": False, "output_bias": True},
    {"norm_order": "pre", "activation": "gelu", "tie": "none", "sinusoid_layout": "halves"},
    {"tie": "two-way", "decoder_layers": 3, "heads": 4},
]


@pytest.fixture(params=["packed", "onnx"])
def both(request):
    """Make the reference and one of the others."""

    def make(model, source, real):
        return TorchStepper(model, source, real), build_engine(request.param, model)(source, real)

    return make


@torch.no_grad()
def assert_equal_steps(steppers, *, beam, steps):
    """Feed both steppers the same tokens, change places at random, let sentences go."""
    generator = torch.Generator().manual_seed(1)
    (batch, same) = (stepper.start(beam) for stepper in steppers)
    assert batch == same
    for step in range(steps):
        tokens = torch.randint(0, 13, (batch * beam,), generator=generator)
        expected, found = (stepper.step(tokens) for stepper in steppers)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
        if step % 3 == 2 and batch > 2:
            left = torch.randperm(batch, generator=generator)[: batch - 1].sort().values
            batch -= 1
            for stepper in steppers:
                stepper.keep(left)
        if beam > 1:
            origin = torch.randint(0, beam, (batch, beam), generator=generator)
            rows = (torch.arange(batch)[:, None] * beam + origin).flatten()
            for stepper in steppers:
                stepper.reorder(rows)


@pytest.mark.parametrize("beam", [1, 3])
def test_every_position_and_norm_order(both, any_model, draw_tokens, beam):
    assert_equal_steps(both(any_model, draw_tokens(6, 7), REAL), beam=beam, steps=12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_kind_of_layer(both, build_model, draw_tokens, shape):
    assert_equal_steps(both(build_model(**shape), draw_tokens(6, 7), REAL), beam=3, steps=8)


def test_more_steps_than_the_first_capacity(both, model, draw_tokens):
    assert_equal_steps(both(model, draw_tokens(2, 5), None), beam=2, steps=2 * FIRST_CAPACITY + 3)


@pytest.mark.parametrize("beam", [1, 4])
def test_whole_searches(both, any_model, draw_tokens, beam):
    with torch.no_grad():
        any_model.output_table = nn.Parameter(torch.randn_like(any_model.target_table))
    limits = torch.tensor([9, 4, 7, 9, 6, 3])
    asked = {"max_lengths": limits, "bos": BOS, "eos": EOS, "rules": [forbid([PAD, BOS]), minimum_length(3, EOS)]}
    expected, found = (
        beam_search(stepper, beam=beam, length_penalty=0.6, **asked)
        for stepper in both(any_model, draw_tokens(6, 7), REAL)
    )
    assert [[one.tokens for one in best] for best in found] == [[one.tokens for one in best] for best in expected]
    scores = [[one.score for best in searched for one in best] for searched in (found, expected)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)


def test_greedy_search_needs_no_reordering(both, model, draw_tokens):
    asked = {"max_lengths": torch.tensor([9, 4, 7, 9, 6, 3]), "bos": BOS, "eos": EOS}
    expected, found = (greedy_search(stepper, **asked) for stepper in both(model, draw_tokens(6, 7), REAL))
    assert [one.tokens for one in found] == [one.tokens for one in expected]


def test_they_are_steppers(both, model, draw_tokens):
    assert all(isinstance(stepper, Stepper) for stepper in both(model, draw_tokens(2, 5), None))


def test_large_weights_are_not_copied_into_a_graph(monkeypatch, any_model, draw_tokens):
    monkeypatch.setattr(onnx_graph, "LARGE", 256)
    written = []
    monkeypatch.setattr(onnx_graph.helper, "make_model", note(onnx_graph.helper.make_model, written))
    engine = build_engine("onnx", any_model)
    steppers = [TorchStepper(any_model, draw_tokens(6, 7), REAL), engine(draw_tokens(6, 7), REAL)]
    gc.collect()
    assert_equal_steps(steppers, beam=2, steps=4)
    assert len(written) == 2
    assert max(len(one.raw_data) for graph in written for one in graph.graph.initializer) < 256
    assert max(weight.nbytes for weight in any_model.state_dict().values()) > 1000


def note(make, made):
    def noting(*arguments, **options):
        made.append(make(*arguments, **options))
        return made[-1]

    return noting


def test_a_graph_for_each_number_of_threads(monkeypatch, model, draw_tokens):
    engine, made = build_engine("onnx", model), []
    monkeypatch.setattr(
        onnx_model.OnnxModel, "__init__", lambda self, model, *, eight_bits, threads: made.append(threads)
    )
    for threads in (1, 2, 2, 1):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        engine(draw_tokens(2, 5), None)
    assert made == [1, 2]
