"""What must not be trained on: validation and test pairs, and how some pairs are set aside for validation."""

import heapq
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

from ferryman.corpus.pair import Pair

LARGEST_SHARE = 10
"""At most one pair in so many is set aside."""


def comparison_form(text: str) -> str:
    """Write a text such that what reads alike is alike: NFC, case folded, white space as single spaces."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def digest(text: str) -> int:
    """Hash a text to 64 bits, the same in every process. Two of 2 million texts collide with probability 1e-7."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


class HeldOut:
    """The sources and the targets of validation and test corpora, kept as hashes of their comparison form."""

    def __init__(self, sources: set[int] | None = None, targets: set[int] | None = None) -> None:
        """Hold nothing out, or what stands in these sets, which may be shared with others and grow."""
        self._sources: set[int] = set() if sources is None else sources
        self._targets: set[int] = set() if targets is None else targets

    @classmethod
    def of(cls, *corpora: Iterable[Pair]) -> Self:
        """Take up all pairs of some corpora."""
        held_out = cls()
        for corpus in corpora:
            for pair in corpus:
                held_out.add(pair)
        return held_out

    def add(self, pair: Pair) -> None:
        """Take up a pair."""
        self._sources.add(digest(comparison_form(pair.source)))
        self._targets.add(digest(comparison_form(pair.target)))

    def overlaps(self, pair: Pair) -> bool:
        """Tell whether the pair's source is a held-out source or its target a held-out target."""
        return _holds(self._sources, pair.source) or _holds(self._targets, pair.target)


class HeldOutTexts:
    """What is held out of corpora of several directions, by language: who translates back may not learn it either."""

    def __init__(self) -> None:
        self._texts: dict[str, set[int]] = defaultdict(set)

    def between(self, source_language: str, target_language: str) -> HeldOut:
        """Give what is held out as a corpus of these languages meets it; what is added to it, all others meet too."""
        other = target_language if target_language != source_language else f"{target_language}, translated"
        return HeldOut(self._texts[source_language], self._texts[other])


def _holds(digests: set[int], text: str) -> bool:
    return bool(digests) and digest(comparison_form(text)) in digests


@dataclass(frozen=True, slots=True)
class Split:
    """Which pairs of a corpus are set aside: those whose source hashes below a threshold."""

    threshold: int
    pairs: tuple[Pair, ...]
    """The pairs set aside, in the corpus's order."""

    def holds(self, source: str) -> bool:
        """Tell, in a later pass over the same corpus, whether pairs with this source are set aside."""
        return is_held_out(source, self.threshold)


def is_held_out(source: str, threshold: int) -> bool:
    """Tell whether a source's 64-bit hash lies below the threshold; sources that read alike go together."""
    return digest(comparison_form(source)) < threshold


def split_off(pairs: Iterable[Pair], count: int) -> Split:
    """Choose pairs to set aside for validation, evenly from the whole corpus and always the same ones.

    Args:
        pairs: the corpus, best already cleaned; read once, only ``count`` pairs of it stay in memory.
        count: how many pairs; fewer are taken so as to leave nine tenths of the corpus, and not to part equal sources.
    """
    seen = 0

    def ranked() -> Iterable[tuple[int, int, Pair]]:
        nonlocal seen
        for pair in pairs:
            yield digest(comparison_form(pair.source)), seen, pair
            seen += 1

    smallest = heapq.nsmallest(count + 1, ranked())
    limit = min(count, seen // LARGEST_SHARE)
    threshold = smallest[limit][0] if limit < len(smallest) else 0
    chosen = sorted((place, pair) for rank, place, pair in smallest if rank < threshold)
    return Split(threshold, tuple(pair for _, pair in chosen))
