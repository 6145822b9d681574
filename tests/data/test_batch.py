"""Batches: padding on the right, control symbols in their places, halves that are the whole."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ferryman.data.batch import Batch, Symbols, pad_rows
from ferryman.data.store import TokenStore, TokenStoreWriter

SYMBOLS = Symbols(pad=0, start=2, eos=3)
sequences = st.lists(st.lists(st.integers(4, 9), max_size=6), min_size=2, max_size=7)


def test_collate():
    batch = Batch.collate([[5, 6, 7], [8]], [[9], [4, 5]], SYMBOLS)
    assert batch.source.tolist() == [[5, 6, 7, 3], [8, 3, 0, 0]]
    assert batch.source_real.tolist() == [[True] * 4, [True, True, False, False]]
    assert batch.target_in.tolist() == [[2, 9, 0], [2, 4, 5]]
    assert batch.target_out.tolist() == [[9, 3, 0], [4, 5, 3]]
    assert batch.target_real.tolist() == [[True, True, False], [True] * 3]
    assert batch.target_tokens == 5


def test_nothing_padded_means_no_mask():
    batch = Batch.collate([[5, 6], [7, 8]], [[9], [4]], SYMBOLS)
    assert batch.source_real is None
    assert batch.target_real is None
    assert batch.target_tokens == 4


def test_one_side_alone_may_be_padded():
    batch = Batch.collate([[5, 6], [7, 8]], [[9], [4, 4]], SYMBOLS)
    assert batch.source_real is None
    assert batch.target_real.tolist() == [[True, True, False], [True] * 3]


def test_empty_sequences_are_an_end_symbol():
    batch = Batch.collate([[]], [[]], SYMBOLS)
    assert batch.source.tolist() == batch.target_out.tolist() == [[3]]
    assert batch.target_in.tolist() == [[2]]
    assert batch.target_tokens == 1


def test_a_source_without_end_symbol():
    symbols = Symbols(pad=0, start=2, eos=3, ends_source=False)
    batch = Batch.collate([[5, 6], [8], []], [[9], [4], [4]], symbols)
    assert batch.source.tolist() == [[5, 6], [8, 0], [0, 0]]
    assert batch.source_real.tolist() == [[True, True], [True, False], [True, False]]  # something to look at
    assert batch.target_out.tolist() == [[9, 3], [4, 3], [4, 3]]
    assert (symbols.read([5]), SYMBOLS.read([5])) == ((5,), (5, 3))


@pytest.mark.parametrize("start", [0, 3], ids=["pad", "eos"])
def test_a_start_symbol_that_is_also_another_is_real(start):
    batch = Batch.collate([[5], [5]], [[9], [4, 4]], Symbols(pad=0, start=start, eos=3))
    assert batch.target_in.tolist() == [[start, 9, 0], [start, 4, 4]]
    assert batch.target_real.tolist() == [[True, True, False], [True] * 3]


def test_rows_without_control_symbols():
    ids, real = pad_rows([[1], [2, 3]], pad=7)
    assert ids.tolist() == [[1, 7], [2, 3]]
    assert real.tolist() == [[True, False], [True, True]]
    assert ids.dtype == torch.int64


@given(sources=sequences, data=st.data())
def test_halves_hold_every_row_and_token(sources, data):
    targets = data.draw(st.lists(st.lists(st.integers(4, 9), max_size=6), min_size=len(sources), max_size=len(sources)))
    batch = Batch.collate(sources, targets, SYMBOLS)
    halves = batch.halves()
    assert sum(half.target_tokens for half in halves) == batch.target_tokens
    for name in ("source", "target_in", "target_out"):
        assert torch.equal(torch.cat([getattr(half, name) for half in halves]), getattr(batch, name))
    for name in ("source_real", "target_real"):
        if getattr(batch, name) is None:
            assert [getattr(half, name) for half in halves] == [None, None]
        else:
            assert torch.equal(torch.cat([getattr(half, name) for half in halves]), getattr(batch, name))
    assert abs(halves[0].source.size(0) - halves[1].source.size(0)) <= 1


def test_from_store_in_the_order_asked_for(tmp_path):
    with TokenStoreWriter(tmp_path / "store", vocab_size=10) as writer:
        for pair in ([4], [5, 6]), ([7, 8], [9]), ([5], [4]):
            writer.add(*pair)
    batch = Batch.from_store(TokenStore(tmp_path / "store"), np.array([2, 1]), SYMBOLS)
    assert batch.source.tolist() == [[5, 3, 0], [7, 8, 3]]
    assert batch.target_out.tolist() == [[4, 3], [9, 3]]


def test_to_a_device_moves_every_tensor():
    batch = Batch.collate([[5, 6, 7], [8]], [[9], [4, 5]], SYMBOLS)
    moved = batch.to(torch.device("meta"))
    tensors = [value for value in vars(moved).values() if isinstance(value, torch.Tensor)]
    assert len(tensors) == 6
    assert all(tensor.device.type == "meta" for tensor in tensors)
    assert moved.target_tokens == batch.target_tokens
