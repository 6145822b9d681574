import math

import pytest
import torch

from ferryman.model.dropout import dropout_mask
from ferryman.model.embedding import Embedding
from ferryman.model.positions import SinusoidalPositions, sinusoids


@pytest.mark.parametrize(("scale", "factor"), [(True, math.sqrt(6)), (False, 1.0)])
def test_a_token_and_its_position_are_added(scale, factor):
    embedding, table = Embedding(SinusoidalPositions(6), scale=scale), torch.randn(5, 6)
    embedded = embedding(torch.tensor([[4, 0, 4]]), table, first=10)
    torch.testing.assert_close(embedded[0], table[[4, 0, 4]] * factor + sinusoids(13, 6)[10:])


def test_dropout_falls_on_the_sum():
    """§5.4: on the sums of the embeddings and the positional encodings."""
    embedding, table, seen = Embedding(SinusoidalPositions(6), dropout=0.5), torch.randn(5, 6), {}
    torch.manual_seed(1)
    embedded = embedding(torch.tensor([[4, 0, 4]]), table, observe=seen.__setitem__)
    torch.manual_seed(1)
    torch.testing.assert_close(embedded, seen["sum"] * dropout_mask(embedded.shape, 0.5, embedded))
