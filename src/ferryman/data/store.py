"""Token ids of all training pairs, written once and memory-mapped: a corpus may be larger than memory.

A store is a folder of raw little-endian arrays, ``source.tokens``, ``source.ends`` and the same for the target, and a
``store.json`` that says how to read them. It is whole or not there; see ``folders``. Pairs of several corpora stand in
it one corpus after another.
"""

import json
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from jaxtyping import Int

from ferryman.data.folders import finishing
from ferryman.errors import DataError

VERSION = 2
SIDES = ("source", "target")
BUFFERED_TOKENS = 1 << 20


class TokenStore:
    """Pairs of token sequences, read where they lie on disk."""

    def __init__(self, folder: Path, *, verify: bool = True) -> None:
        """Open a store; ``verify`` reads all of it once, to compare checksums.

        Raises:
            DataError: the folder is no store of this version, or was damaged.
        """
        self.folder = folder
        self.tokens, self.ends = {}, {}
        try:
            self.about: dict[str, Any] = json.loads((folder / "store.json").read_text(encoding="utf-8"))
            if self.about["version"] != VERSION:
                raise DataError(f"{folder}: token store of version {self.about['version']}, expected {VERSION}")
            for side in SIDES:
                self.tokens[side] = _map(folder / f"{side}.tokens", self.about["dtype"], self.about[f"{side}_tokens"])
                self.ends[side] = _map(folder / f"{side}.ends", "<i8", self.about["pairs"])
            for name, checksum in self.about["checksums"].items() if verify else ():
                _check(folder / name, checksum)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise DataError(f"{folder}: not a token store ({error}); delete the folder to prepare it again") from error

    def __len__(self) -> int:
        return int(self.about["pairs"])

    @property
    def stretches(self) -> list[tuple[str, int]] | None:
        """Name the corpora in their order, each with its number of pairs; None: there is only one."""
        stretches = self.about.get("stretches")
        return None if stretches is None else [(name, pairs) for name, pairs in stretches]

    def lengths(self, side: str) -> Int[np.ndarray, "pairs"]:
        """Count the tokens of every sequence of one side, end symbol not counted."""
        return np.diff(self.ends[side], prepend=0).astype(np.int32)

    def sequence(self, side: str, index: int) -> Int[np.ndarray, "length"]:
        """Read one sequence of token ids."""
        start = self.ends[side][index - 1] if index else 0
        return self.tokens[side][start : self.ends[side][index]]


class TokenStoreWriter:
    """Writes a store pair by pair, in bounded memory; nothing is left behind if it fails."""

    def __init__(self, folder: Path, *, vocab_size: int, about: dict[str, Any] | None = None) -> None:
        self.folder = folder
        self.about = about or {}
        self.dtype = np.dtype("<u2" if vocab_size <= 1 << 16 else "<u4")
        self.closing = ExitStack()
        self.unfinished = self.closing.enter_context(finishing(folder))
        self.files = {
            (side, kind): self.closing.enter_context((self.unfinished / f"{side}.{kind}").open("wb"))
            for side in SIDES
            for kind in ("tokens", "ends")
        }
        self.buffers: dict[str, list[int]] = {side: [] for side in SIDES}
        self.ends: dict[str, list[int]] = {side: [] for side in SIDES}
        self.totals = dict.fromkeys(SIDES, 0)
        self.checksums = {f"{side}.{kind}": 0 for side, kind in self.files}
        self.pairs = 0
        self.began: list[tuple[str, int]] = []

    def begin(self, corpus: str) -> None:
        """Say of which corpus the pairs added from now on are; for a store of several."""
        self.began.append((corpus, self.pairs))

    def add(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Append one pair of token sequences."""
        for side, tokens in zip(SIDES, (source, target), strict=True):
            self.buffers[side].extend(tokens)
            self.totals[side] += len(tokens)
            self.ends[side].append(self.totals[side])
        self.pairs += 1
        if max(len(buffer) for buffer in self.buffers.values()) >= BUFFERED_TOKENS:
            self._flush()

    def _flush(self) -> None:
        for side in SIDES:
            self._write(side, "tokens", np.array(self.buffers[side], dtype=self.dtype).tobytes())
            self._write(side, "ends", np.array(self.ends[side], dtype="<i8").tobytes())
            self.buffers[side].clear()
            self.ends[side].clear()

    def _write(self, side: str, kind: str, content: bytes) -> None:
        name = f"{side}.{kind}"
        self.checksums[name] = zlib.crc32(content, self.checksums[name])
        self.files[side, kind].write(content)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.closing.__exit__(kind, error, trace)
            return
        with self.closing:
            self._finish()

    def _finish(self) -> None:
        self._flush()
        for file in self.files.values():
            file.close()
        about = {"version": VERSION, "pairs": self.pairs, "dtype": self.dtype.str, **self.about}
        about |= {f"{side}_tokens": self.totals[side] for side in SIDES}
        about["checksums"] = self.checksums
        if self.began:
            ends = [*(first for _, first in self.began[1:]), self.pairs]
            about["stretches"] = [(name, end - first) for (name, first), end in zip(self.began, ends, strict=True)]
        (self.unfinished / "store.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


def _check(path: Path, checksum: int) -> None:
    """Compare a file's CRC-32: a damaged token would be trained on, or crash the run, without a word."""
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found = zlib.crc32(block, found)
    if found != checksum:
        raise DataError(f"{path}: damaged, its checksum is wrong; delete the folder to prepare it again")


def _map(path: Path, dtype: str, count: int) -> np.ndarray:
    size = count * np.dtype(dtype).itemsize
    found = path.stat().st_size if path.exists() else -1
    if found != size:
        raise DataError(f"{path}: expected {size} bytes, found {max(found, 0)}; delete the folder to prepare it again")
    return np.memmap(path, dtype=dtype, mode="r", shape=(count,)) if count else np.empty(0, dtype)
