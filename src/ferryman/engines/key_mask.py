"""Which of the cached keys of its sentence a row sees: all that is moved when beams change places."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

FIRST_CAPACITY = 64  # keys; doubled when they are used up


class KeyMask:
    """The mask of self-attention for steppers that keep the keys of all rows of a sentence side by side.

    Every step adds ``beam`` keys a sentence. Rows mostly share their past but for the latest tokens: from time to time
    the keys that no row sees any more can be dropped.
    """

    def __init__(self, batch: int, beam: int, device: torch.device) -> None:
        self.beam, self.keys = beam, 0
        self._mask = torch.empty(batch, beam, max(FIRST_CAPACITY, beam), device=device)
        # Of the keys of one step a row sees its own, until rows change places.
        self._own = additive(torch.eye(beam, dtype=torch.bool, device=device))

    def append(self) -> Float[Tensor, "batch 1 beam keys"]:
        """Add the keys of one step; return what is added to scores."""
        if self.keys + self.beam > self._mask.size(2):
            self._mask = torch.cat((self._mask, torch.empty_like(self._mask)), dim=2)
        self.keys += self.beam
        self._mask[:, :, self.keys - self.beam : self.keys] = self._own
        return self._mask[:, None, :, : self.keys]

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i see what ``rows[i]`` saw."""
        seen = self._mask[:, :, : self.keys]
        seen.copy_(seen.flatten(0, 1).index_select(0, rows).view_as(seen))

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self._mask = self._mask[sentences]

    def tidy(self) -> Int[Tensor, "batch keys"]:
        """Drop the keys that no row sees and return which are left, in order.

        Sentences with fewer left than others keep some of those, unseen.
        """
        used = (self._mask[:, :, : self.keys] == 0).any(dim=1)
        self.keys = int(used.sum(dim=1).max())
        order = used.byte().argsort(dim=1, descending=True, stable=True)[:, : self.keys]
        self._mask[:, :, : self.keys] = self._mask.gather(2, order[:, None].expand(-1, self.beam, -1))
        return order


def additive(mask: Bool[Tensor, "*shape"], dtype: torch.dtype = torch.float32) -> Float[Tensor, "*shape"]:
    """Turn a mask that tells what is seen into what is added to scores, once and not in every layer of every step."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, -math.inf)
