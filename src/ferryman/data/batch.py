"""Sequences of token ids, padded on the right into tensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ferryman.data.store import TokenStore


@dataclass(frozen=True)
class Symbols:
    """Ids of the control symbols."""

    pad: int
    start: int  # what the decoder begins with
    eos: int
    ends_source: bool = True

    @property
    def source_end(self) -> int | None:
        """Return what follows a source: the end symbol, or nothing."""
        return self.eos if self.ends_source else None

    def read(self, source: Sequence[int]) -> tuple[int, ...]:
        """Return what the encoder reads of a source."""
        return (*source, self.eos) if self.ends_source else tuple(source)


def pad_rows(
    rows: Sequence[Sequence[int] | np.ndarray], *, pad: int, first: int | None = None, last: int | None = None
) -> tuple[Int[Tensor, "batch length"], Bool[Tensor, "batch length"] | None]:
    """Stack rows of ids, with ``first`` before and ``last`` after each, padded on the right.

    Returns the ids and a mask that is True where a token is real; None when nothing had to be padded. Of an empty row
    one padding is real, as attention must have something to look at.
    """
    head, tail = int(first is not None), int(last is not None)
    lengths = np.array([len(row) + head + tail for row in rows])
    ids = np.full((len(rows), lengths.max(initial=1)), pad, dtype=np.int64)
    if first is not None:
        ids[:, 0] = first
    for index, row in enumerate(rows):
        ids[index, head : head + len(row)] = row
        if last is not None:
            ids[index, head + len(row)] = last
    real = np.arange(ids.shape[1]) < np.maximum(lengths, 1)[:, None]
    return torch.from_numpy(ids), None if real.all() else torch.from_numpy(real)


@dataclass(frozen=True)
class Batch:
    """Pairs ready for teacher forcing: the decoder reads ``target_in`` and is to say ``target_out``."""

    source: Int[Tensor, "batch src"]  # tokens + eos, if a source has one
    source_real: Bool[Tensor, "batch src"] | None
    target_in: Int[Tensor, "batch tgt"]  # start symbol + tokens
    target_out: Int[Tensor, "batch tgt"]  # tokens + eos
    target_real: Bool[Tensor, "batch tgt"] | None
    target_tokens: int  # real positions of target_out
    target_places: Int[Tensor, "target_tokens"] | None  # where these are in target_out.flatten(); None: everywhere

    @classmethod
    def collate(
        cls,
        sources: Sequence[Sequence[int] | np.ndarray],
        targets: Sequence[Sequence[int] | np.ndarray],
        symbols: Symbols,
    ) -> Self:
        """Pad pairs of token sequences, which hold no control symbols."""
        source, source_real = pad_rows(sources, pad=symbols.pad, last=symbols.source_end)
        target_in, target_real = pad_rows(targets, pad=symbols.pad, first=symbols.start)
        target_out, _ = pad_rows(targets, pad=symbols.pad, last=symbols.eos)
        tokens = sum(len(target) + 1 for target in targets)
        return cls(source, source_real, target_in, target_out, target_real, tokens, _places(target_real))

    @classmethod
    def from_store(
        cls,
        store: TokenStore,
        indices: Int[np.ndarray, "rows"],
        symbols: Symbols,
        noise: Callable[[list[np.ndarray]], list[np.ndarray]] = list,
    ) -> Self:
        """Read the pairs ``indices`` of a store; ``noise`` changes their sources."""
        sources = noise([store.sequence("source", index) for index in indices.tolist()])
        targets = [store.sequence("target", index) for index in indices.tolist()]
        return cls.collate(sources, targets, symbols)

    def to(self, device: torch.device) -> Self:
        """Move to a device; to a GPU from pinned memory, so that nobody waits for the copy."""

        def move(tensor: Tensor) -> Tensor:
            if device.type == "cuda" and tensor.device.type == "cpu":
                tensor = tensor.pin_memory()
            return tensor.to(device, non_blocking=True)

        return type(self)(
            move(self.source),
            None if self.source_real is None else move(self.source_real),
            move(self.target_in),
            move(self.target_out),
            None if self.target_real is None else move(self.target_real),
            self.target_tokens,
            None if self.target_places is None else move(self.target_places),
        )

    def tensors(self) -> list[Tensor]:
        """List what it holds."""
        return [value for value in vars(self).values() if isinstance(value, Tensor)]

    def halves(self) -> tuple[Self, Self]:
        """Split between rows, for when the whole does not fit in memory; needs at least two rows."""
        middle = self.source.size(0) // 2
        return self._rows(slice(0, middle)), self._rows(slice(middle, None))

    def _rows(self, rows: slice) -> Self:
        real = None if self.target_real is None else self.target_real[rows]
        target_in = self.target_in[rows]
        return type(self)(
            self.source[rows],
            None if self.source_real is None else self.source_real[rows],
            target_in,
            self.target_out[rows],
            real,
            target_in.numel() if real is None else int(real.sum()),
            _places(real),
        )


def _places(real: Bool[Tensor, "batch tgt"] | None) -> Int[Tensor, "target_tokens"] | None:
    """List the real positions while they are on the CPU: to find them on a GPU, the CPU would have to wait for it."""
    return None if real is None else real.flatten().nonzero().squeeze(1)
