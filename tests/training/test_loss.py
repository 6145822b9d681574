"""The loss (T28): ours, chunk by chunk, equals the plain formula, PyTorch's and numbers worked out by hand."""

import math

import pytest
import torch
import torch.nn.functional as F
from toy_task import SYMBOLS, tiny_model

from ferryman.data.batch import Batch
from ferryman.training import loss as loss_module
from ferryman.training.loss import chunked_loss, smoothed_cross_entropy
from ferryman.training.update import batch_loss

POSITIONS, WIDTH, CLASSES = 7, 5, 11


def draw(*, bias=True, dtype=torch.float64):
    hidden, table = torch.randn(POSITIONS, WIDTH, dtype=dtype), torch.randn(CLASSES, WIDTH, dtype=dtype)
    inputs = [hidden, table, torch.randn(CLASSES, dtype=dtype)] if bias else [hidden, table]
    return [tensor.requires_grad_() for tensor in inputs], torch.randint(CLASSES, (POSITIONS,))


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("rows", [1, 3, 7, 100], ids="{} rows a chunk".format)
def test_chunked_equals_pytorch(monkeypatch, bias, smoothing, rows):
    monkeypatch.setattr(loss_module, "CHUNK_ELEMENTS", {"cpu": rows * CLASSES})
    monkeypatch.setattr(loss_module, "CHUNK_ROWS", 1)
    inputs, targets = draw(bias=bias)
    loss, nll = chunked_loss(inputs[0], inputs[1], inputs[2] if bias else None, targets, smoothing)
    logits = F.linear(*inputs)
    expected = F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(nll, F.cross_entropy(logits, targets, reduction="sum"))
    gradients = torch.autograd.grad(loss / 3, inputs)
    for ours, theirs in zip(gradients, torch.autograd.grad(expected / 3, inputs), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_plain_equals_pytorch(smoothing):
    (hidden, table, bias), targets = draw()
    logits = F.linear(hidden, table, bias)
    loss, nll = smoothed_cross_entropy(logits, targets, smoothing)
    torch.testing.assert_close(loss, F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum"))
    torch.testing.assert_close(nll, F.cross_entropy(logits, targets, reduction="sum"))


def test_a_value_worked_out_by_hand():
    """Logits 0 and ln 3 are the probabilities 1/4 and 3/4; with epsilon 0.2 the target is 0.1 and 0.9."""
    hidden, table = torch.tensor([[1.0]]), torch.tensor([[0.0], [math.log(3)]])
    loss, nll = chunked_loss(hidden, table, None, torch.tensor([1]), 0.2)
    assert loss.item() == pytest.approx(-0.1 * math.log(1 / 4) - 0.9 * math.log(3 / 4))
    assert nll.item() == pytest.approx(-math.log(3 / 4))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("right", [0, 1], ids=["the impossible one", "the certain one"])
def test_a_class_of_probability_zero_is_finite(smoothing, right):
    hidden = torch.tensor([[1.0]], requires_grad=True)
    table = torch.tensor([[0.0], [200.0]], requires_grad=True)
    assert torch.softmax(hidden @ table.T, -1)[0, 0] == 0
    loss, _ = chunked_loss(hidden, table, None, torch.tensor([right]), smoothing)
    wrong_share = smoothing / 2 if right else 1 - smoothing / 2
    assert loss.item() == pytest.approx(200 * wrong_share)
    for gradient in torch.autograd.grad(loss, (hidden, table)):
        assert gradient.isfinite().all()


def test_gradients_are_the_numerical_ones(monkeypatch):
    monkeypatch.setattr(loss_module, "CHUNK_ELEMENTS", {"cpu": 2 * CLASSES})
    monkeypatch.setattr(loss_module, "CHUNK_ROWS", 1)
    inputs, targets = draw()
    assert torch.autograd.gradcheck(lambda *tensors: chunked_loss(*tensors, targets, 0.1)[0], inputs)


def test_only_the_loss_is_differentiable():
    inputs, targets = draw()
    loss, nll = chunked_loss(*inputs, targets, 0.1)
    assert loss.requires_grad
    assert not nll.requires_grad


def test_without_gradients_the_values_are_the_same():
    inputs, targets = draw()
    with_gradients = chunked_loss(*inputs, targets, 0.1)
    with torch.inference_mode():
        without = chunked_loss(*inputs, targets, 0.1)
    assert [value.item() for value in without] == [value.item() for value in with_gradients]


@pytest.mark.parametrize("rows", [[[4, 5], [6, 7]], [[4, 5, 6], [7]], [[4, 5, 6, 7], [8], []], [[]]], ids=str)
def test_padding_counts_for_nothing(rows):
    """No pads, pads, a row that is only the end symbol: always the sum of the rows alone, eos counted."""
    model = tiny_model(dropout=0.0)
    loss, nll = batch_loss(model, Batch.collate(rows, rows, SYMBOLS), 0.1)
    alone = [batch_loss(model, Batch.collate([row], [row], SYMBOLS), 0.1) for row in rows]
    torch.testing.assert_close(loss, sum(one for one, _ in alone))
    torch.testing.assert_close(nll, sum(one for _, one in alone))


def test_batch_loss_is_that_of_the_logits():
    model = tiny_model(dropout=0.0, output_bias=True)
    batch = Batch.collate([[4, 5], [6]], [[7], [8, 9]], SYMBOLS)
    logits = model(batch.source, batch.target_in, batch.source_real)
    expected = F.cross_entropy(
        logits.flatten(0, 1),
        batch.target_out.masked_fill(~batch.target_real, -100).flatten(),
        label_smoothing=0.1,
        reduction="sum",
    )
    torch.testing.assert_close(batch_loss(model, batch, 0.1)[0], expected)


def test_lower_precision_keeps_the_loss_in_float32():
    model, batch = tiny_model(dropout=0.0), Batch.collate([[4, 5], [6]], [[7], [8, 9]], SYMBOLS)
    low, _ = batch_loss(model, batch, 0.1, torch.bfloat16)
    exact, _ = batch_loss(model, batch, 0.1)
    assert low.dtype == torch.float32
    assert low.item() == pytest.approx(exact.item(), rel=0.02)
    assert low.item() != exact.item()


def test_products_in_bfloat16_stay_close_and_sums_stay_float32():
    inputs, targets = draw(dtype=torch.float32)
    loss, nll = chunked_loss(*inputs, targets, 0.1)
    low, low_nll = chunked_loss(*inputs, targets, 0.1, torch.bfloat16)
    assert low.dtype == low_nll.dtype == torch.float32
    assert low != loss
    torch.testing.assert_close(torch.stack((low, low_nll)), torch.stack((loss, nll)), rtol=0.03, atol=0.0)
    gradients = torch.autograd.grad(low, inputs)
    for ours, exact in zip(gradients, torch.autograd.grad(loss, inputs), strict=True):
        assert ours.dtype == torch.float32
        torch.testing.assert_close(ours, exact, rtol=0.0, atol=0.05 * exact.abs().max().item())


@pytest.mark.parametrize(("vocab", "rows"), [(500, 2097), (37_000, 128)])
def test_a_chunk_fills_the_cache_but_never_has_few_rows(vocab, rows):
    assert next(iter(loss_module.chunks(torch.empty(9999, 1), vocab))) == slice(0, rows)
