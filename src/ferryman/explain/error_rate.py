"""Word alignment quality: the alignment error rate (Och and Ney, 2003, section 6.1)."""

from collections.abc import Sequence, Set

from ferryman.errors import DataError


def alignment_error_rate(
    predicted: Sequence[Set[tuple[int, int]]],
    sure: Sequence[Set[tuple[int, int]]],
    possible: Sequence[Set[tuple[int, int]]] | None = None,
) -> float:
    """Return the alignment error rate over all sentence pairs: 0 is perfect, 1 is all wrong.

    ``AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)`` with the links A predicted, S sure and P possible; a sure link is
    always possible too. Without links on either side it is 0.

    Args:
        predicted: for each sentence pair its links (position in the source, position in the target).
        sure: the links that must be there.
        possible: the links that may be there; without it, the sure ones alone.

    Raises:
        DataError: the number of sentence pairs differs.
    """
    possible = sure if possible is None else possible
    if not len(predicted) == len(sure) == len(possible):
        raise DataError(
            f"alignments of {len(predicted)} sentence pairs, but gold links of {len(sure)} (sure) and "
            f"{len(possible)} (possible): each pair needs one of each."
        )
    hits = total = 0
    for found, must, may in zip(predicted, sure, possible, strict=True):
        hits += len(found & must) + len(found & (may | must))
        total += len(found) + len(must)
    return 1 - hits / total if total else 0.0
