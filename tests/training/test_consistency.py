"""R-Drop's loss (Wu et al., 2021): ours, chunk by chunk, equals the formula written with PyTorch's own functions."""

import pytest
import torch
import torch.nn.functional as F

from ferryman.training import loss as loss_module
from ferryman.training.consistency import consistent_loss
from ferryman.training.loss import chunked_loss

POSITIONS, WIDTH, CLASSES = 7, 5, 11


def plain(hidden, table, bias, targets, smoothing, weight):
    logits = F.linear(hidden, table, bias)
    losses = [F.cross_entropy(one, targets, label_smoothing=smoothing, reduction="sum") for one in logits]
    p, q = logits.log_softmax(-1)
    divergence = [F.kl_div(b, a, log_target=True, reduction="sum") for a, b in ((p, q), (q, p))]
    return sum(losses) / 2 + weight * sum(divergence) / 2


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 3, 100], ids="{} rows a chunk".format)
def test_equals_the_formula_in_value_and_gradients(monkeypatch, bias, smoothing, rows):
    monkeypatch.setattr(loss_module, "CHUNK_ELEMENTS", {"cpu": 2 * rows * CLASSES})
    monkeypatch.setattr(loss_module, "CHUNK_ROWS", 1)
    shapes = ((2, POSITIONS, WIDTH), (CLASSES, WIDTH), (CLASSES,))
    inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes[: 2 + bias]]
    targets = torch.randint(CLASSES, (POSITIONS,))
    hidden, table, *rest = inputs
    loss, nll = consistent_loss(
        hidden, table, rest[0] if bias else None, targets, label_smoothing=smoothing, weight=3.0
    )
    expected = plain(hidden, table, rest[0] if bias else None, targets, smoothing, 3.0)
    torch.testing.assert_close(loss, expected)
    assert not nll.requires_grad
    for ours, theirs in zip(
        torch.autograd.grad(loss / 3, inputs), torch.autograd.grad(expected / 3, inputs), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_equal_passes_have_the_ordinary_loss():
    hidden, table = torch.randn(POSITIONS, WIDTH), torch.randn(CLASSES, WIDTH)
    targets = torch.randint(CLASSES, (POSITIONS,))
    twice = consistent_loss(torch.stack((hidden, hidden)), table, None, targets, label_smoothing=0.1, weight=5.0)
    for one, other in zip(twice, chunked_loss(hidden, table, None, targets, 0.1), strict=True):
        torch.testing.assert_close(one, other)
