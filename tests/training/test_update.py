"""One optimiser step, and what becomes of one that fails."""

import copy

import pytest
import torch
from toy_task import SYMBOLS, new_updater, tiny_model

from ferryman.data.batch import Batch
from ferryman.errors import TrainingError
from ferryman.training import update as update_module
from ferryman.training.update import batch_loss, is_out_of_memory

SOURCES = [[4, 5, 6], [7, 8], [9], [10, 11, 12, 4], [5, 6, 7, 8, 9]]
TARGETS = [[6, 5, 4], [8, 7], [], [4, 12, 11, 10], [9]]


def batch(*rows):
    return Batch.collate([SOURCES[row] for row in rows], [TARGETS[row] for row in rows], SYMBOLS)


def updater_of(**training):
    return new_updater(tiny_model(dropout=0.0, output_bias=True), **training)


def gradients(updater, batches):
    updater.update(batches, 1e-3)
    return {name: parameter.grad.clone() for name, parameter in updater.model.named_parameters()}


def weights(updater):
    return {name: parameter.detach().clone() for name, parameter in updater.model.named_parameters()}


def moments(updater):
    return copy.deepcopy(updater.optimizers[0].state_dict()["state"])


def assert_same(actual, expected):
    for name, tensor in expected.items():
        torch.testing.assert_close(
            actual[name], tensor, atol=1e-6, rtol=0, msg=lambda text, name=name: f"{name}: {text}"
        )


@pytest.mark.parametrize("parts", [[(0, 1), (2, 3, 4)], [(0,), (1,), (2,), (3,), (4,)], [(0, 3, 4), (1, 2)]], ids=str)
def test_accumulated_batches_are_one_batch_of_all_rows(parts):
    """Also when they hold unequal numbers of tokens: the loss is a mean over all target tokens of the step."""
    whole, split = updater_of(clip_norm=0.0), updater_of(clip_norm=0.0)
    assert_same(gradients(split, [batch(*rows) for rows in parts]), gradients(whole, [batch(0, 1, 2, 3, 4)]))


def test_what_a_step_reports_are_sums_over_real_target_tokens():
    updater = updater_of()
    with torch.no_grad():
        loss, nll = batch_loss(updater.model, batch(0, 1, 2), 0.1)
    result = updater.update([batch(0), batch(1, 2)], 1e-3)
    assert result.target_tokens == 4 + 3 + 1
    assert result.loss == pytest.approx(loss.item(), rel=1e-5)
    assert result.nll == pytest.approx(nll.item(), rel=1e-5)
    assert not result.skipped
    assert result.splits == 0


def test_the_learning_rate_is_the_one_given():
    """Adam's first step moves every weight with a gradient by the learning rate."""
    updater = updater_of()
    before = weights(updater)
    updater.update([batch(0, 1)], 0.01)
    moved = (
        weights(updater)["decoder.layers.0.feed_forward.inner.weight"]
        - before["decoder.layers.0.feed_forward.inner.weight"]
    ).abs()
    assert moved.max().item() == pytest.approx(0.01, rel=1e-3)


def test_clipping_shortens_the_gradient_and_reports_its_length_before():
    free, clipped = updater_of(clip_norm=0.0), updater_of(clip_norm=0.01)
    norm = free.update([batch(0, 1, 2)], 1e-3).gradient_norm
    assert norm > 0.01
    assert clipped.update([batch(0, 1, 2)], 1e-3).gradient_norm == pytest.approx(norm, rel=1e-5)
    lengths = [
        torch.cat([parameter.grad.flatten() for parameter in updater.model.parameters()]).norm().item()
        for updater in (free, clipped)
    ]
    assert lengths == pytest.approx([norm, 0.01], rel=1e-3)


def short_of_memory(monkeypatch, rows, error):
    """Let every batch of more than ``rows`` rows run out of memory; return the sizes that were tried."""
    tried = []

    def limited(model, batch, *rest):
        tried.append(batch.source.size(0))
        if batch.source.size(0) > rows:
            raise error
        return batch_loss(model, batch, *rest)

    monkeypatch.setattr(update_module, "batch_loss", limited)
    return tried


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("MPS backend out of memory (MPS allocated: 5 GB)"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
    ],
    ids=["CUDA", "MPS", "CPU"],
)
def test_a_batch_that_does_not_fit_is_halved_without_a_trace_in_the_gradient(monkeypatch, error):
    """T21. The first batch fits and has its gradient taken before the second fails."""
    expected = gradients(updater_of(clip_norm=0.0), [batch(4), batch(0, 1, 2, 3)])
    tried = short_of_memory(monkeypatch, 1, error)
    updater = updater_of(clip_norm=0.0)
    assert is_out_of_memory(error)
    result = updater.update([batch(4), batch(0, 1, 2, 3)], 1e-3)
    assert result.splits == 2
    assert tried == [1, 4, 1, 2, 1, 1, 1, 1, 1]
    assert_same({name: parameter.grad for name, parameter in updater.model.named_parameters()}, expected)


def test_the_next_batches_are_loaded_once_however_often_this_one_is_tried(monkeypatch):
    short_of_memory(monkeypatch, 1, torch.OutOfMemoryError("CUDA out of memory"))
    loaded = []
    updater_of().update([batch(0, 1, 2)], 1e-3, meanwhile=lambda: loaded.append(1))
    assert loaded == [1]


def test_the_loss_is_divided_by_the_tokens_of_all_workers():
    one, half = updater_of(clip_norm=0.0), updater_of(clip_norm=0.0)
    expected = gradients(one, [batch(0, 1)])
    half.update([batch(0, 1)], 1e-3, 2 * batch(0, 1).target_tokens)
    assert_same({name: 2 * parameter.grad for name, parameter in half.model.named_parameters()}, expected)


def test_a_single_pair_that_does_not_fit_ends_the_run(monkeypatch):
    short_of_memory(monkeypatch, 0, torch.OutOfMemoryError("CUDA out of memory"))
    updater = updater_of()
    before = weights(updater)
    with pytest.raises(TrainingError, match=r"single pair.*data\.max_tokens"):
        updater.update([batch(0, 1, 2)], 1e-3)
    assert_same(weights(updater), before)


def test_another_error_is_not_taken_for_a_lack_of_memory(monkeypatch):
    tried = short_of_memory(monkeypatch, 0, RuntimeError("shapes do not match"))
    with pytest.raises(RuntimeError, match="shapes do not match"):
        updater_of().update([batch(0, 1)], 1e-3)
    assert tried == [2]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_gradient_that_is_not_finite_skips_the_step(value):
    """T31: weights and optimiser are as if the step had not been, and the bad tensor is named."""
    updater = updater_of()
    updater.update([batch(0, 1)], 1e-3)
    before, moments_before = weights(updater), moments(updater)
    name = "encoder.layers.0.feed_forward.inner.weight"
    hook = updater.model.get_parameter(name).register_hook(lambda gradient: gradient * value)
    result = updater.update([batch(2, 3)], 1e-3)
    hook.remove()
    assert result.skipped
    assert result.bad_tensor == name
    assert all(torch.equal(tensor, before[key]) for key, tensor in weights(updater).items())
    for key, state in moments(updater).items():
        assert all(torch.equal(tensor, moments_before[key][part]) for part, tensor in state.items())
    assert not updater.update([batch(2, 3)], 1e-3).skipped


def test_finite_gradients_of_infinite_norm_are_skipped_too():
    updater = updater_of()
    updater.model.output_bias.register_hook(lambda gradient: torch.full_like(gradient, 3e38))
    assert updater.update([batch(0)], 1e-3).bad_tensor == "the gradient norm"


def test_with_consistency_two_passes_without_dropout_are_one():
    both, one = updater_of(consistency=3.0, clip_norm=0.0), updater_of(clip_norm=0.0)
    assert_same(gradients(both, [batch(0, 1, 2)]), gradients(one, [batch(0, 1, 2)]))


def test_consistency_counts_what_dropout_makes_of_two_passes():
    """And without its weight the loss is the mean of two ordinary ones."""

    def loss(weight):
        updater = new_updater(tiny_model(dropout=0.3), consistency=weight)
        torch.manual_seed(1)
        return updater.update([batch(0, 1, 2)], 1e-3).loss

    assert loss(5.0) - loss(1e-9) == pytest.approx(5 * (loss(1.0) - loss(1e-9)), rel=1e-4)
    assert loss(1.0) > loss(1e-9)
