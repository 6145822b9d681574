"""The k largest of many numbers, found in one quick pass."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

_BLOCK = 128


def largest(
    values: Float[Tensor, "batch beam vocab"], added: Float[Tensor, "batch beam"], k: int
) -> tuple[Float[Tensor, "batch k"], Int[Tensor, "batch k"]]:
    """Return the ``k`` largest of ``values + added`` in each sentence, and their places in beam * vocab, in that order.

    Only the ``k`` blocks with the largest maxima can hold them, and only those are looked through.
    """
    if values.size(1) * values.size(2) < 4 * k * _BLOCK:
        place = (values + added[:, :, None]).flatten(1).topk(k, dim=1, sorted=False).indices
    else:
        place = _largest_by_block(values, added, k)
    place = place.sort(dim=1).values
    return values.flatten(1).gather(1, place) + added.gather(1, place // values.size(2)), place


def _largest_by_block(values: Tensor, added: Tensor, k: int) -> Int[Tensor, "batch k"]:
    batch, beam, vocab = values.shape
    blocks = vocab // _BLOCK
    whole, rest = values[:, :, : blocks * _BLOCK].view(batch, beam, blocks, _BLOCK), values[:, :, blocks * _BLOCK :]
    block = (whole.amax(dim=3) + added[:, :, None]).flatten(1).topk(min(k, beam * blocks), dim=1, sorted=False).indices
    origin, number = block // blocks, block % blocks
    device = values.device
    inside = whole[torch.arange(batch, device=device)[:, None], origin, number] + added.gather(1, origin)[:, :, None]
    candidates = torch.cat([inside.flatten(1), (rest + added[:, :, None]).flatten(1)], dim=1)

    first = (origin * vocab + number * _BLOCK)[:, :, None] + torch.arange(_BLOCK, device=device)
    # What is left over, shorter than a block, is always looked through.
    left_over = torch.arange(beam, device=device)[:, None] * vocab + torch.arange(blocks * _BLOCK, vocab, device=device)
    places = torch.cat([first.flatten(1), left_over.flatten().expand(batch, -1)], dim=1)
    return places.gather(1, candidates.topk(k, dim=1, sorted=False).indices)
