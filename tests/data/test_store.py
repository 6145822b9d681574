"""The token store: what goes in comes out, in bounded memory, whole or not at all."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.data import store as store_module
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.errors import DataError

PAIRS = [([4, 5, 6], [7]), ([], [8, 9]), ([10], []), ([1, 2, 3, 4], [5, 6])]


def write(folder, pairs, *, vocab_size=100, **about):
    with TokenStoreWriter(folder, vocab_size=vocab_size, about=about) as writer:
        for source, target in pairs:
            writer.add(source, target)
    return TokenStore(folder)


def contents(store):
    return [
        (store.sequence("source", index).tolist(), store.sequence("target", index).tolist())
        for index in range(len(store))
    ]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "deep" / "store"


@pytest.mark.parametrize(
    ("vocab_size", "largest", "dtype"),
    [(100, 99, "<u2"), (1 << 16, 0xFFFF, "<u2"), ((1 << 16) + 1, 1 << 16, "<u4"), (250_000, 249_999, "<u4")],
)
def test_ids_come_back_in_the_smallest_type_that_holds_the_vocabulary(folder, vocab_size, largest, dtype):
    pairs = [([0, largest], [largest]), *PAIRS]
    store = write(folder, pairs, vocab_size=vocab_size)
    assert contents(store) == pairs
    assert store.sequence("source", 0).dtype == np.dtype(dtype)


def test_an_id_beyond_the_type_is_an_error_and_not_another_token(folder):
    with pytest.raises(OverflowError):
        write(folder, [([1 << 16], [1])], vocab_size=1 << 16)
    assert list(folder.parent.iterdir()) == []


@given(
    pairs=st.lists(st.tuples(*[st.lists(st.integers(0, 99), max_size=5)] * 2), max_size=12), buffered=st.integers(1, 9)
)
def test_buffers_of_any_size_give_the_same_store(tmp_path_factory, pairs, buffered):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_module, "BUFFERED_TOKENS", buffered)
        store = write(tmp_path_factory.mktemp("store") / "store", pairs)
    assert contents(store) == [(list(source), list(target)) for source, target in pairs]
    for side, place in (("source", 0), ("target", 1)):
        assert store.lengths(side).tolist() == [len(pair[place]) for pair in pairs]


def test_what_was_told_about_the_corpus_is_kept(folder):
    store = write(folder, PAIRS, fingerprint="abc")
    assert store.about["fingerprint"] == "abc"
    assert len(store) == store.about["pairs"] == 4


def test_writing_takes_bounded_memory(folder, monkeypatch):
    """60,000 pairs, 2.3 MB on disk, pass through half a megabyte; with more pairs it would be the same."""
    monkeypatch.setattr(store_module, "BUFFERED_TOKENS", 1 << 12)
    tracemalloc.start()
    try:
        with TokenStoreWriter(folder, vocab_size=30_000) as writer:
            for index in range(60_000):
                writer.add((index % 30_000, 4, 5, 6, 7, 8), (index % 29_989, 9, 8, 7, 6))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    on_disk = sum(path.stat().st_size for path in folder.iterdir())
    assert on_disk > 2_200_000
    assert peak < 500_000
    store = TokenStore(folder)
    assert store.sequence("target", 59_999).tolist() == [59_999 % 29_989, 9, 8, 7, 6]


def test_unfinished_writing_leaves_nothing(folder):
    with pytest.raises(KeyboardInterrupt), TokenStoreWriter(folder, vocab_size=100) as writer:
        writer.add([1], [2])
        raise KeyboardInterrupt
    assert list(folder.parent.iterdir()) == []


def test_a_full_disk_at_the_end_leaves_the_old_store(folder, monkeypatch):
    write(folder, PAIRS)
    monkeypatch.setattr(TokenStoreWriter, "_flush", lambda self: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(OSError, match="No space left"):
        write(folder, [([1], [1])])
    assert [path.name for path in folder.parent.iterdir()] == ["store"]
    assert contents(TokenStore(folder)) == PAIRS


def test_every_file_is_flushed_before_the_store_has_its_name(folder, monkeypatch):
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda number: flushed.append((os.fstat(number).st_ino, folder.exists())))
    write(folder, PAIRS)
    inodes = {path.stat().st_ino for path in folder.iterdir()}
    assert len(inodes) == 5
    assert inodes <= {inode for inode, _ in flushed}
    assert not any(named for _, named in flushed)


def test_two_writers_of_one_store_do_not_disturb_each_other(folder):
    with TokenStoreWriter(folder, vocab_size=100) as one:
        one.add([1], [2])
        with TokenStoreWriter(folder, vocab_size=100) as other:
            other.add([1], [2])
        one.add([3], [4])
    assert contents(TokenStore(folder)) == [([1], [2]), ([3], [4])]
    assert [path.name for path in folder.parent.iterdir()] == ["store"]


def test_a_new_store_takes_the_place_of_the_old(folder):
    write(folder, PAIRS)
    assert contents(write(folder, PAIRS[:1])) == PAIRS[:1]


def shorten(folder, name):
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1])


def tell(folder, **about):
    path = folder / "store.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **about}))


DAMAGE = {
    "tokens cut off": (lambda folder: shorten(folder, "source.tokens"), "source.tokens: expected 16 bytes, found 15"),
    "ends cut off": (lambda folder: shorten(folder, "target.ends"), "target.ends: expected 32 bytes, found 31"),
    "ends missing": (lambda folder: (folder / "target.ends").unlink(), "target.ends: expected 32 bytes, found 0"),
    "no store.json": (lambda folder: (folder / "store.json").unlink(), "not a token store"),
    "store.json cut off": (lambda folder: shorten(folder, "store.json"), "not a token store"),
    "not an object": (lambda folder: (folder / "store.json").write_text("[1]"), "not a token store"),
    "no dtype": (lambda folder: (folder / "store.json").write_text('{"version": 2}'), "not a token store"),
    "no such dtype": (lambda folder: tell(folder, dtype="<u99"), "not a token store"),
    "later version": (lambda folder: tell(folder, version=9), "token store of version 9, expected 2"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_store_is_refused_and_named(folder, kind):
    write(folder, PAIRS)
    damage, message = DAMAGE[kind]
    damage(folder)
    with pytest.raises(DataError) as caught:
        TokenStore(folder)
    assert message in str(caught.value)
    assert str(folder) in str(caught.value)


def test_an_empty_store_opens(folder):
    store = write(folder, [])
    assert len(store) == 0
    assert store.lengths("source").tolist() == []


def test_a_flipped_byte_is_told(tmp_path):
    with TokenStoreWriter(tmp_path / "store", vocab_size=100) as writer:
        writer.add([1, 2, 3], [4, 5])
    path = tmp_path / "store" / "source.tokens"
    content = bytearray(path.read_bytes())
    content[2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DataError, match="checksum is wrong; delete the folder"):
        TokenStore(tmp_path / "store")
