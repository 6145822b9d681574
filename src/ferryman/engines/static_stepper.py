"""The stepper for a GPU: it writes into buffers of a fixed shape and runs, or replays, one step of theirs."""

import weakref
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.engines.key_mask import additive
from ferryman.engines.packed_encoder import encode
from ferryman.engines.static import Buffers, Shape, StaticModel, roomy
from ferryman.model.masks import source_mask

LEAST_TOKENS = 16  # and a multiple of 8 above it, as CUDA's attention wants masks


class StaticStepper:
    """Runs a ``StaticModel`` behind the stepper protocol of ``ferryman.decoding``. A step never waits for the GPU."""

    buffers: Buffers

    def __init__(
        self, model: StaticModel, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None
    ) -> None:
        self.model = model
        self.source = source
        self.real = real

    @torch.no_grad()
    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        self.beam, self.position = beam, 0
        self.batch, width = self.source.shape
        tokens = roomy(width, LEAST_TOKENS)  # translations are about as long; see ``step`` for those that are not
        self._borrow(Shape(roomy(self.batch), beam, tokens, tokens))
        mask = None if self.real is None else additive(source_mask(self.real), self.model.table.dtype)
        for ours, found in zip(self.buffers.cross, encode(self.model.packed, self.source, mask), strict=True):
            for buffer, part in zip(ours, found, strict=True):
                buffer[: self.batch, :, :width] = part
        seen = self.buffers.source_seen[: self.batch]
        seen[..., width:] = -torch.inf
        if mask is not None:
            seen[..., :width] = mask
        return self.batch

    @torch.no_grad()
    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the log-probabilities of the next (linear + log-softmax, §3.4).

        Raises:
            TranslationError: the model has no such position.

        """
        shape = self.buffers.shape
        if self.position == shape.capacity:
            everyone = torch.arange(self.batch, device=tokens.device)
            self._move(shape._replace(capacity=2 * shape.capacity), everyone)
        if self.position == self.model.positions:
            self.model.packed.embed_target.positions(self.position, 1, self.model.table)  # says so
        self.buffers.tokens[: len(tokens)] = tokens
        self.buffers.position.fill_(self.position)
        logits = self.model.run(self.buffers)
        self.position += 1
        return torch.log_softmax(logits[: len(tokens)], dim=-1)  # a copy, which the caller may write into

    @torch.no_grad()
    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``, a row of the same sentence."""
        seen = self.buffers.seen[: self.batch].flatten(0, 1)
        seen.copy_(seen.index_select(0, rows))

    @torch.no_grad()
    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self.batch = len(sentences)
        self._move(self.buffers.shape._replace(batch=roomy(self.batch)), sentences)

    def _move(self, shape: Shape, sentences: Int[Tensor, "kept"]) -> None:
        """Take sentences along to the first places of buffers of another shape, or of the same."""
        old, give_back, count, used = self.buffers, self._give_back, len(sentences), self.position
        if shape != old.shape:
            self._borrow(shape)
        new = self.buffers
        for past, before in zip(new.past, old.past, strict=True):
            past[:count, :used] = before[:, :used].index_select(0, sentences)
        new.seen[:count, :, :used] = old.seen[:, :, :used].index_select(0, sentences)
        for ours, before_them in zip(new.cross, old.cross, strict=True):
            for buffer, part in zip(ours, before_them, strict=True):
                buffer[:count] = part.index_select(0, sentences)
        new.source_seen[:count] = old.source_seen.index_select(0, sentences)
        if new is not old:
            give_back()

    def _borrow(self, shape: Shape) -> None:
        self.buffers = self.model.borrow(shape)
        # A search does not say when it is over: then its stepper is gone.
        self._give_back = weakref.finalize(self, self.model.give_back, self.buffers)
        self._give_back.atexit = False


@dataclass(frozen=True)
class StaticEngine:
    """Makes steppers of one model."""

    model: StaticModel

    def __call__(self, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None) -> StaticStepper:
        """Make a stepper for a batch."""
        return StaticStepper(self.model, source, real)
