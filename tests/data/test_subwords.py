"""Subword dropout: other tokens, the same text, the same for the same seed."""

import numpy as np
import pytest

from ferryman.data.batch import Symbols
from ferryman.data.loader import Loader
from ferryman.data.sampler import Position
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.data.subwords import SubwordDropout

WHOLE, HALF, LETTER, CONTROL = 9, 8, 5, 4
PARTS = np.full((10, 2), -1)
PARTS[WHOLE], PARTS[HALF] = (HALF, LETTER), (LETTER, LETTER)  # WHOLE is three letters, HALF two
LENGTHS = {WHOLE: 3, HALF: 2, LETTER: 1, CONTROL: 0}
ROWS = [np.array(row, dtype=np.uint16) for row in ([CONTROL, WHOLE, LETTER, WHOLE], [], [HALF], [WHOLE] * 50)]


def broken(probability, *, longest=1000, seed=1):
    return SubwordDropout(PARTS, probability, longest)(ROWS, generator=np.random.default_rng(seed))


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.7, 0.999])
def test_the_text_stays(probability):
    for row, found in zip(ROWS, broken(probability), strict=True):
        assert sum(LENGTHS[token] for token in found.tolist()) == sum(LENGTHS[token] for token in row.tolist())
        assert [token for token in found.tolist() if token == CONTROL] == [t for t in row.tolist() if t == CONTROL]


def test_none_and_all():
    assert [row.tolist() for row in broken(0.0)] == [row.tolist() for row in ROWS]
    letters = broken(1 - 1e-12)
    assert [row.tolist() for row in letters] == [[4, *[5] * 7], [], [5, 5], [5] * 150]


def test_how_often_a_token_and_its_parts_are_broken():
    rows = [np.full(20_000, WHOLE)]
    [found] = SubwordDropout(PARTS, 0.25, 10**6)(rows, generator=np.random.default_rng(3))
    counts = np.bincount(found, minlength=10)
    assert counts[WHOLE] / 20_000 == pytest.approx(0.75, abs=0.01)
    assert counts[HALF] / 20_000 == pytest.approx(0.25 * 0.75, abs=0.01)


def test_what_would_become_too_long_stays_as_it_was():
    found = broken(0.95, longest=60)
    assert found[3].tolist() == ROWS[3].tolist()
    assert found[0].tolist() != ROWS[0].tolist()


def test_the_loader_draws_anew_in_every_epoch_and_again_what_it_drew(tmp_path):
    with TokenStoreWriter(tmp_path / "store", vocab_size=10) as writer:
        for row in ROWS:
            writer.add(row.tolist(), [LETTER])
    store, symbols = TokenStore(tmp_path / "store"), Symbols(pad=0, start=2, eos=3)
    loader = Loader(store, symbols, seed=1, subword_dropout=SubwordDropout(PARTS, 0.5, 1000))
    indices = np.array([3, 0])
    batches = [loader(indices, Position(*where)).source.tolist() for where in ((0, 1), (1, 1), (0, 2), (0, 1))]
    assert batches[0] == batches[3]
    assert batches[0] not in batches[1:3]
    plain = Loader(store, symbols, seed=1)(indices, Position(0, 1))
    assert plain.source[0].tolist() == [*ROWS[3].tolist(), 3]
