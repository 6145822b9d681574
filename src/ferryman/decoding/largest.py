"""The k largest of many numbers, found in one quick pass."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

_BLOCK = 64


def largest(
    values: Float[Tensor, "batch beam vocab"], added: Float[Tensor, "batch beam"], k: int
) -> tuple[Float[Tensor, "batch k"], Int[Tensor, "batch k"]]:
    """Return the ``k`` largest of ``values + added`` in each sentence, and their places in beam * vocab, in that order.

    Only the ``k`` blocks with the largest maxima can hold them, and only those are looked through. The sums are written
    over ``values``.
    """
    total = values.to(torch.promote_types(values.dtype, added.dtype)).add_(added[:, :, None]).flatten(1)
    few = total.size(1) < 4 * k * _BLOCK
    place = total.topk(k, dim=1, sorted=False).indices if few else _largest_by_block(total, k)
    place = place.sort(dim=1).values
    return total.gather(1, place), place


def _largest_by_block(total: Float[Tensor, "batch numbers"], k: int) -> Int[Tensor, "batch k"]:
    batch, numbers = total.shape
    end = numbers - numbers % _BLOCK
    whole = total[:, :end].view(batch, -1, _BLOCK)
    block = whole.amax(dim=2).topk(k, dim=1, sorted=False).indices
    candidates = whole.gather(1, block[:, :, None].expand(-1, -1, _BLOCK)).flatten(1)
    if end < numbers:  # what is left over, shorter than a block, is always looked through
        candidates = torch.cat([candidates, total[:, end:]], dim=1)
    found = candidates.topk(k, dim=1, sorted=False).indices
    inside = block.gather(1, (found // _BLOCK).clamp_(max=k - 1)) * _BLOCK + found % _BLOCK
    return inside if end == numbers else torch.where(found < k * _BLOCK, inside, found - k * _BLOCK + end)
