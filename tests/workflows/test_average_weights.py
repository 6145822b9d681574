"""Averages of weights, and that making one leaves the run as it was."""

import pytest
import torch

from ferryman.checkpoint import save_weights
from ferryman.errors import CheckpointError
from ferryman.workflows.average import average_weights, checkpoint_path, latest_checkpoints


def test_the_average_is_the_mean_of_each_tensor(tmp_path):
    paths = [checkpoint_path(tmp_path, step) for step in (9, 10, 100)]
    for path, value in zip(paths, (1.0, 2.0, 6.0), strict=True):
        save_weights(path, {"a": torch.full((2, 3), value), "b": torch.tensor([value, -value])})
    found = average_weights(paths)
    assert torch.equal(found["a"], torch.full((2, 3), 3.0))
    assert torch.equal(found["b"], torch.tensor([3.0, -3.0]))
    assert latest_checkpoints(tmp_path) == paths


@pytest.mark.parametrize("other", [{"a": torch.ones(3)}, {"b": torch.ones(2)}, {}])
def test_weights_of_different_models_have_none(tmp_path, other):
    paths = [tmp_path / "one.safetensors", tmp_path / "two.safetensors"]
    save_weights(paths[0], {"a": torch.ones(2)})
    save_weights(paths[1], other)
    with pytest.raises(CheckpointError, match=r"two\.safetensors"):
        average_weights(paths)
    with pytest.raises(CheckpointError, match="no checkpoints"):
        average_weights([])
