"""The largest of many numbers, or the k largest, found in one quick pass."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

_BLOCK, _NARROWEST = 64, 32
_MANY = 1 << 16  # numbers; PyTorch looks for the place of a maximum one number after the other


def likeliest(log_probs: Float[Tensor, "rows vocab"]) -> tuple[Float[Tensor, "rows"], Int[Tensor, "rows"]]:
    """Return the largest of each row and its place, the lowest among equals."""
    vocab = log_probs.size(1)
    width = math.gcd(vocab, _BLOCK)
    if log_probs.numel() < _MANY or width < _NARROWEST:
        best, place = log_probs.max(dim=1)
        return best, place
    blocks = log_probs.view(-1, vocab // width, width)
    block = blocks.amax(dim=2).max(dim=1).indices
    best, inside = blocks[torch.arange(len(block), device=block.device), block].max(dim=1)
    return best, block * width + inside


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


def largest_of_one(
    values: Float[Tensor, "beam vocab"], added: Float[Tensor, "beam"], k: int
) -> list[tuple[float, int]]:
    """Return the same for one sentence, with fewer calls: sums and places, largest first, of equals the lower place."""
    total = values.to(torch.promote_types(values.dtype, added.dtype)).add_(added[:, None]).flatten()
    if len(total) < 4 * k * _BLOCK:
        found = total.topk(k)
        places = found.indices.tolist()
    else:
        end = len(total) - len(total) % _BLOCK
        whole = total[:end].view(-1, _BLOCK)
        block = whole.amax(dim=1).topk(k, sorted=False).indices
        candidates = whole.index_select(0, block).flatten()
        found = (candidates if end == len(total) else torch.cat([candidates, total[end:]])).topk(k)
        begins = [number * _BLOCK for number in block.tolist()]
        places = [
            begins[place // _BLOCK] + place % _BLOCK if place < k * _BLOCK else end + place - k * _BLOCK
            for place in found.indices.tolist()
        ]
    ordered = zip(found.values.tolist(), places, strict=True)
    return sorted(ordered, key=lambda one: (one[0] == one[0], -one[0], one[1]))  # what is not a number comes first
