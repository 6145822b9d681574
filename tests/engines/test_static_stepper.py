"""The stepper for a GPU finds what the reference finds, also when its steps are replayed in the same memory."""

import gc
import math

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from ferryman.decoding import Stepper, beam_search, forbid, greedy_search, minimum_length
from ferryman.engines import static
from ferryman.engines.choice import build_engine
from ferryman.engines.ensemble import EnsembleStepper
from ferryman.engines.static import PATIENCE, StaticModel, roomy
from ferryman.engines.static_stepper import LEAST_TOKENS, StaticEngine, StaticStepper
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import TranslationError

PAD, BOS, EOS = 0, 2, 3
REAL = torch.arange(7) < torch.tensor([7, 3, 5, 1, 6, 2])[:, None]
SHAPES = [
    {"norm_order": "pre", "activation": "swiglu"},
    {"activation": "silu", "scale_embedding": False, "output_bias": True},
    {"norm_order": "pre", "activation": "gelu", "tie": "none", "sinusoid_layout": "halves"},
    {"tie": "two-way", "decoder_layers": 3, "heads": 4},
]


class Recorder(TorchDispatchMode):
    """Remembers operations and the memory they read and wrote, as a CUDA graph does: no Python in between."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, function, _types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.calls.append((function, args, kwargs or {}, result))
        return result

    def replay(self):
        for function, args, kwargs, result in self.calls:
            again = function(*args, **kwargs)
            pairs = [(result, again)] if isinstance(result, torch.Tensor) else zip(result, again, strict=True)
            for before, now in pairs:
                if isinstance(now, torch.Tensor) and now.data_ptr() != before.data_ptr():
                    before.copy_(now)


def recorded(run):
    """Capture a step: what it computed in the capture is made worthless."""
    with Recorder() as recorder:
        output = run()
    output.fill_(math.nan)

    def replay():
        recorder.replay()
        return output

    replay.recorder = recorder
    return replay


def captured(model):
    return StaticModel(model, torch.float32, recorded)


def both(model, source, real, capture=None):
    return TorchStepper(model, source, real), StaticStepper(StaticModel(model, torch.float32, capture), source, real)


@torch.no_grad()
def assert_equal_steps(steppers, *, batch, beam, steps):
    """Feed both steppers the same tokens, change places at random, let sentences go, write into what was given."""
    generator = torch.Generator().manual_seed(1)
    assert [stepper.start(beam) for stepper in steppers] == [batch, batch]
    for step in range(steps):
        tokens = torch.randint(0, 13, (batch * beam,), generator=generator)
        expected, found = (stepper.step(tokens) for stepper in steppers)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
        found.fill_(math.nan)
        if step % 3 == 2 and batch > 2:
            left = torch.randperm(batch, generator=generator)[: batch - 1]
            batch -= 1
            for stepper in steppers:
                stepper.keep(left)
        if beam > 1:
            origin = torch.randint(0, beam, (batch, beam), generator=generator)
            rows = (torch.arange(batch)[:, None] * beam + origin).flatten()
            for stepper in steppers:
                stepper.reorder(rows)


@pytest.mark.parametrize("beam", [1, 3])
def test_every_position_and_norm_order(any_model, draw_tokens, beam):
    assert_equal_steps(both(any_model, draw_tokens(6, 7), REAL), batch=6, beam=beam, steps=12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_kind_of_layer(build_model, draw_tokens, shape):
    assert_equal_steps(both(build_model(**shape), draw_tokens(6, 7), REAL), batch=6, beam=3, steps=8)


@pytest.mark.parametrize("capture", [None, recorded])
def test_more_steps_than_the_first_capacity(model, draw_tokens, capture):
    steppers = both(model, draw_tokens(2, 5), None, capture)
    assert_equal_steps(steppers, batch=2, beam=2, steps=2 * LEAST_TOKENS + PATIENCE + 3)
    assert steppers[1].buffers.shape.capacity == 4 * LEAST_TOKENS


def test_steps_that_are_replayed_in_every_shape(model, draw_tokens, monkeypatch):
    monkeypatch.setattr(static, "PATIENCE", 1)
    packed = captured(model)
    for seed in range(3):
        source = draw_tokens(6, 7, seed=seed)
        steppers = TorchStepper(model, source, REAL), StaticStepper(packed, source, REAL)
        assert_equal_steps(steppers, batch=6, beam=3, steps=20)
        del steppers
    gc.collect()
    shapes = [buffers.shape for buffers in packed._free if buffers.replay]
    assert len(shapes) == len(set(shapes)) == 5  # 6, 4, 3 and 2 sentences; of 2 with twice the capacity


def test_steps_are_replayed_only_where_a_shape_has_come_often(model, draw_tokens):
    stepper = StaticStepper(captured(model), draw_tokens(2, 5), None)
    stepper.start(2)
    tokens = torch.zeros(4, dtype=torch.long)
    replayed = []
    for _ in range(PATIENCE + 2):
        with torch.no_grad():
            stepper.step(tokens)
        replayed.append(stepper.buffers.replay is not None)
    assert replayed == [False] * PATIENCE + [True, True]


def test_a_replayed_step_waits_for_nothing(model, draw_tokens):
    """No number is brought from the device, which CUDA could not capture."""
    packed = StaticModel(model, torch.float32)
    stepper = StaticStepper(packed, draw_tokens(2, 5), None)
    stepper.start(2)
    names = [str(function) for function, *_ in recorded(lambda: packed.step(stepper.buffers)).recorder.calls]
    assert names
    assert not [name for name in names if "_local_scalar_dense" in name or "nonzero" in name or "_to_copy" in name]


def test_where_nothing_can_be_captured_steps_are_run_as_before(model, draw_tokens):
    tried = []

    def refuse(run):
        tried.append(run)
        raise torch.OutOfMemoryError("CUDA out of memory.\nMore about it")

    steppers = both(model, draw_tokens(6, 7), REAL, refuse)
    assert_equal_steps(steppers, batch=6, beam=3, steps=2 * LEAST_TOKENS)
    assert len(tried) == 1
    assert steppers[1].model.trouble == "CUDA out of memory."


@pytest.mark.parametrize("beam", [1, 4])
def test_whole_searches(any_model, draw_tokens, beam):
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


def test_a_sentence_is_found_the_same_alone_and_after_others(build_model, draw_tokens, monkeypatch):
    monkeypatch.setattr(static, "PATIENCE", 2)
    engine = StaticEngine(captured(build_model(norm_order="pre")))
    source, limits = draw_tokens(6, 7), torch.full((6,), 20)
    together = beam_search(engine(source, REAL), beam=3, max_lengths=limits, bos=BOS, eos=EOS)
    for row, length in enumerate(REAL.sum(dim=1).tolist()):
        own = source[row : row + 1, :length]
        [alone] = beam_search(engine(own, None), beam=3, max_lengths=limits[:1], bos=BOS, eos=EOS)
        assert [one.tokens for one in alone] == [one.tokens for one in together[row]]
        assert alone[0].log_prob == pytest.approx(together[row][0].log_prob, abs=1e-5)


def test_a_sentence_without_numbers_leaves_the_next_alone(model, draw_tokens):
    packed, source = StaticModel(model, torch.float32), draw_tokens(2, 5)
    bad = StaticStepper(packed, source, None)
    bad.start(2)
    for buffer in (*bad.buffers.past, *bad.buffers.cross[0], bad.buffers.seen):
        buffer.fill_(math.nan)
    spoilt = bad.buffers
    del bad
    steppers = TorchStepper(model, source, None), StaticStepper(packed, source, None)
    assert_equal_steps(steppers, batch=2, beam=2, steps=3)
    assert steppers[1].buffers is spoilt


def test_searches_at_the_same_time_have_buffers_of_their_own(model, draw_tokens):
    packed = StaticModel(model, torch.float32)
    one, other = (StaticStepper(packed, draw_tokens(2, 5, seed=seed), None) for seed in (1, 2))
    assert [one.start(2), other.start(2)] == [2, 2]
    assert one.buffers is not other.buffers
    first = one.buffers
    del one
    third = StaticStepper(packed, draw_tokens(2, 5), None)
    third.start(2)
    assert third.buffers is first


def test_buffers_that_wait_take_only_so_much_memory(model, draw_tokens, monkeypatch):
    monkeypatch.setattr(static, "KEPT_BYTES", 110_000)
    packed = StaticModel(model, torch.float32)
    for batch in (1, 2, 3, 4, 1):
        StaticStepper(packed, draw_tokens(batch, 5), None).start(2)
    assert [buffers.shape.batch for buffers in packed._free] == [3, 4, 1]
    StaticStepper(packed, draw_tokens(24, 5), None).start(2)
    assert [buffers.shape.batch for buffers in packed._free] == [24]


def test_an_ensemble_of_different_sizes(build_model, draw_tokens):
    models = build_model(), build_model(seed=1, d_model=24, decoder_layers=1)
    source = draw_tokens(6, 7)
    reference = EnsembleStepper([TorchStepper(model, source, REAL) for model in models])
    engines = [build_engine("static", model) for model in models]
    assert_equal_steps((reference, EnsembleStepper([each(source, REAL) for each in engines])), batch=6, beam=3, steps=8)


def test_greedy_search_needs_no_reordering(model, draw_tokens):
    asked = {"max_lengths": torch.tensor([9, 4, 7, 9, 6, 3]), "bos": BOS, "eos": EOS}
    expected, found = (greedy_search(stepper, **asked) for stepper in both(model, draw_tokens(6, 7), REAL))
    assert [one.tokens for one in found] == [one.tokens for one in expected]


def test_more_positions_than_were_learned_are_refused(build_model, draw_tokens):
    stepper = StaticStepper(
        StaticModel(build_model(positions="learned", max_positions=18), torch.float32), draw_tokens(1, 5), None
    )
    stepper.start(1)
    for _ in range(18):
        stepper.step(torch.tensor([4]))
    with pytest.raises(TranslationError, match="19 tokens does not fit 18 learned positions"):
        stepper.step(torch.tensor([4]))


def test_bfloat16_is_near_and_its_log_probabilities_are_float32(build_model, draw_tokens):
    model, source = build_model(output_bias=True), draw_tokens(6, 7)
    expected = TorchStepper(model, source, REAL)
    found = StaticStepper(StaticModel(model, torch.bfloat16), source, REAL)
    tokens = draw_tokens(18)
    with torch.no_grad():
        expected.start(3), found.start(3)
        for _ in range(4):
            wanted, log_probs = expected.step(tokens), found.step(tokens)
            torch.testing.assert_close(log_probs, wanted, atol=0.1, rtol=0)
            torch.testing.assert_close(log_probs.exp().sum(dim=1), torch.ones(18), atol=1e-5, rtol=0)
    assert log_probs.dtype == torch.float32
    assert model.target_table.dtype == torch.float32
    assert found.buffers.past[0].dtype == torch.bfloat16


def test_sizes_are_rounded_up_to_few():
    rounded = {roomy(count) for count in range(1, 65)}
    assert sorted(rounded) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
    assert all(count <= roomy(count) <= 1.5 * count for count in range(1, 1000))
    assert roomy(3, LEAST_TOKENS) == LEAST_TOKENS


def test_it_is_a_stepper(model, draw_tokens):
    assert isinstance(build_engine("static", model)(draw_tokens(2, 5), None), Stepper)
