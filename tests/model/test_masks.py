import torch

from ferryman.model.masks import causal_mask, source_mask

CPU = torch.device("cpu")


def test_a_position_sees_itself_and_what_stands_before():
    mask = causal_mask(4, 4, CPU)
    assert mask.shape == (1, 1, 4, 4)
    assert all(mask[0, 0, query, key] == (key <= query) for query in range(4) for key in range(4))


def test_queries_are_the_last_of_the_keys_positions():
    mask = causal_mask(2, 5, CPU)
    assert mask[0, 0].int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_padding_is_hidden_from_every_query():
    real = torch.tensor([[True, True, False], [True, False, False]])
    assert torch.equal(source_mask(real), real[:, None, None, :])


def test_a_row_of_padding_alone_sees_its_first_position():
    mask = source_mask(torch.tensor([[False, False], [True, False], [False, True]]))
    assert mask[:, 0, 0].tolist() == [[True, False], [True, False], [False, True]]
