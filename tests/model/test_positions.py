import math

import pytest
import torch

from ferryman.errors import TranslationError
from ferryman.model.positions import LearnedPositions, SinusoidalPositions, sinusoids

LIKE = torch.empty(0)


def test_sinusoids_are_the_formula():
    table = sinusoids(70, 8)
    for position in (0, 1, 2, 17, 69):
        for i in range(4):
            angle = position / 10000 ** (2 * i / 8)
            assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-7)
            assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-7)


def test_far_positions_are_as_exact_as_near_ones():
    assert sinusoids(100_001, 2)[100_000, 0].item() == pytest.approx(math.sin(100_000), abs=1e-7)


def test_both_layouts_hold_the_same_numbers():
    interleaved, halves = sinusoids(20, 10, "interleaved"), sinusoids(20, 10, "halves")
    assert torch.equal(halves, torch.cat((interleaved[:, 0::2], interleaved[:, 1::2]), dim=1))


def test_fairseq_has_the_same_layout_and_reaches_the_lowest_frequency():
    table = sinusoids(70, 8, "fairseq")
    for position in (0, 1, 17, 69):
        for i in range(4):
            angle = position / 10000 ** (i / 3)
            assert table[position, i].item() == pytest.approx(math.sin(angle), abs=1e-7)
            assert table[position, 4 + i].item() == pytest.approx(math.cos(angle), abs=1e-7)


@pytest.mark.parametrize("layout", ["interleaved", "halves", "fairseq"])
@pytest.mark.parametrize("offset", [0, 2])
def test_any_stretch_of_sinusoids_is_cut_from_the_same_table(layout, offset):
    positions = SinusoidalPositions(6, layout=layout, offset=offset)
    table = sinusoids(3000, 6, layout)
    for first, length in ((0, 1), (0, 64), (63, 1), (64, 1), (60, 10), (1000, 1050)):
        assert torch.equal(positions(first, length, LIKE), table[first + offset : first + offset + length])


def test_positions_take_the_precision_of_the_embedding():
    assert SinusoidalPositions(4)(0, 3, torch.empty(0, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_a_table_made_for_the_meta_device_serves_the_cpu():
    positions = SinusoidalPositions(14)  # a width no other test uses: tables are kept
    with torch.device("meta"):
        positions(0, 5, torch.empty(0))
    assert torch.equal(positions(0, 5, LIKE), sinusoids(5, 14))


def learned(max_positions: int, offset: int = 0) -> LearnedPositions:
    positions = LearnedPositions(4, max_positions, offset=offset)
    torch.nn.init.normal_(positions.weight)
    return positions


@pytest.mark.parametrize("offset", [0, 2])
def test_learned_positions_are_rows_of_their_table(offset):
    positions = learned(10, offset)
    assert positions.weight.shape == (10 + offset, 4)
    assert torch.equal(positions(3, 7, LIKE), positions.weight[3 + offset : 10 + offset])


@pytest.mark.parametrize("offset", [0, 2])
@pytest.mark.parametrize(("first", "length"), [(0, 11), (10, 1), (3, 8)])
def test_beyond_the_table_the_error_names_both_lengths_and_the_key(offset, first, length):
    with pytest.raises(TranslationError, match=r"11 tokens .* 10 learned positions; .*model\.max_positions"):
        learned(10, offset)(first, length, LIKE)
