"""Which pairs of a training corpus are learned from: found in one pass over its files, remembered for the next."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import compress

from ferryman.corpus import CleaningReport, HeldOut, Pair, ReadingReport, Split, clean, split_off
from ferryman.workflows.corpora import Corpora

SET_ASIDE, OVERLAP = "set aside for validation", "overlap with held-out"


class Selection:
    """The pairs that the cleaner keeps, less those set aside for validation and what overlaps with these."""

    def __init__(self, corpora: Corpora, see: Callable[[Pair], None]) -> None:
        """Read all corpora once.

        Args:
            corpora: the files.
            see: is shown every pair that the cleaner keeps; some of them may be left out by ``admits`` later.
        """
        self.corpora = corpora
        self.reading, self.cleaning = ReadingReport(), CleaningReport()
        self.valid = list(corpora.read(corpora.valid))
        self._kept = bytearray()  # a flag a pair; numbers count from the first pair read
        kept, count = self._clean(see), 0 if corpora.valid else corpora.config.data.valid_pairs
        if count:
            self._split = split_off(kept, count)
            self.valid = list(self._split.pairs)
        else:
            deque(kept, maxlen=0)
            self._split = Split(0, ())
        self._aside = HeldOut.of(self._split.pairs)

    def _clean(self, see: Callable[[Pair], None]) -> Iterator[Pair]:
        corpora = self.corpora
        held_out = HeldOut.of(self.valid, corpora.read(corpora.test))
        pairs = corpora.read(corpora.train, self.reading)
        for pair in clean(pairs, corpora.config.data.cleaning, held_out=held_out, report=self.cleaning):
            self._kept.extend(bytes(self.cleaning.read - 1 - len(self._kept)))
            self._kept.append(True)
            see(pair)
            yield pair

    def pairs(self) -> Iterator[Pair]:
        """Read the training corpus again, its selected pairs only; completes the counts, so it is for one use."""
        for pair in compress(self.corpora.read(self.corpora.train), self._kept):
            reason = self._reason(pair)
            if reason is None:
                yield pair
            else:
                self.drop(reason)

    def admits(self, source: str, target: str) -> bool:
        """Tell whether a pair that the cleaner kept is selected."""
        return self._reason(Pair(source, target, "", 0)) is None

    def drop(self, reason: str) -> None:
        """Count a selected pair as dropped after all."""
        self.cleaning.kept -= 1
        self.cleaning.dropped[reason] += 1

    def _reason(self, pair: Pair) -> str | None:
        if not self._split.pairs:
            return None
        if self._split.holds(pair.source):
            return SET_ASIDE
        if self.corpora.config.data.cleaning.drop_overlap and self._aside.overlaps(pair):
            return OVERLAP
        return None
