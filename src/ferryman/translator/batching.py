"""Which rows are searched together: those of like length, and as much for one worker as for the next."""

from collections.abc import Sequence

STEP_ROWS = 4  # a step of the search takes as long as so many rows in it, whatever their number
HALVINGS = 20


def batches(lengths: Sequence[int], batch_tokens: int, workers: int = 1) -> list[list[int]]:
    """Put rows of like length together, longest first: memory is at its peak at once, and no worker is left for last.

    Where there are no more batches than workers, the costliest costs as little as can be: of long rows there are fewer
    in one.

    Args:
        lengths: tokens of each row.
        batch_tokens: of a batch at most, padding counted; a row that has more is a batch by itself.
        workers: how many batches are searched at once.

    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    sizes = [lengths[row] for row in order]
    ends = _cut(sizes, batch_tokens, _cost(sizes))
    if workers > 1 and len(ends) <= workers:
        enough, too_little = _cost(sizes), 0.0
        for _ in range(HALVINGS):
            middle = (enough + too_little) / 2
            tried = _cut(sizes, batch_tokens, middle)
            if len(tried) > workers:
                too_little = middle
            else:
                enough, ends = middle, tried
    return [order[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _cost(sizes: Sequence[int]) -> float:
    """Estimate what a batch costs, in tokens; its longest row comes first."""
    return STEP_ROWS * sizes[0] + sum(sizes) if sizes else 0.0


def _cut(sizes: Sequence[int], batch_tokens: int, most: float) -> list[int]:
    """Return the ends of batches that cost no more than ``most`` and have no more tokens than allowed, or one row."""
    ends, start, tokens = [], 0, 0
    for place, size in enumerate(sizes):
        longest, rows = sizes[start], place - start
        if rows and ((rows + 1) * longest > batch_tokens or STEP_ROWS * longest + tokens + size > most):
            ends.append(place)
            start, tokens = place, 0
        tokens += size
    return [*ends, len(sizes)] if sizes else []
