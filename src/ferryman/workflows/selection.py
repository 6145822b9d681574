"""Which pairs of the training corpora are learned from: found in one pass over their files, remembered for the next."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, compress
from typing import Any

from ferryman.config import CleaningConfig
from ferryman.corpus import (
    CleaningReport,
    HeldOut,
    HeldOutTexts,
    Pair,
    ReadingReport,
    Split,
    clean,
    duplicates,
    split_off,
)
from ferryman.text.directions import Direction
from ferryman.workflows.corpora import Corpora, Corpus

SET_ASIDE, OVERLAP = "set aside for validation", "overlap with held-out"


class Part:
    """What is selected of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.reading, self.cleaning = ReadingReport(), CleaningReport()
        self.split = Split(0, ())
        self.valid = 0  # pairs to validate on: those set aside, or those of its validation corpus
        self._kept = bytearray()  # a flag a pair; numbers count from the first pair read

    def clean(self, rules: CleaningConfig, held_out: HeldOut, is_duplicate: Callable[[Pair], bool]) -> Iterator[Pair]:
        """Read the corpus for the first time, and remember which pairs the cleaner keeps."""
        pairs = self.corpus.read(self.corpus.train, self.reading)
        for pair in clean(pairs, rules, held_out=held_out, report=self.cleaning, is_duplicate=is_duplicate):
            self._kept.extend(bytes(self.cleaning.read - 1 - len(self._kept)))
            self._kept.append(True)
            yield pair

    def kept(self) -> Iterator[Pair]:
        """Read the corpus again, only the pairs that the cleaner kept."""
        return compress(self.corpus.read(self.corpus.train), self._kept)

    def drop(self, reason: str) -> None:
        """Count a selected pair as dropped after all."""
        self.cleaning.kept -= 1
        self.cleaning.dropped[reason] += 1

    def to_json(self) -> dict[str, Any]:
        """Give the counts as a value that ``json`` can write."""
        return {"reading": self.reading.to_json(), "cleaning": self.cleaning.to_json(), "valid": self.valid}


class Selection:
    """The pairs that the cleaner keeps, less those set aside for validation and what overlaps with these.

    Of identical pairs of one direction, in whichever corpora, the first is kept. A text held out of one corpus is held
    out of all, on whichever side it stands.
    """

    def __init__(self, corpora: Corpora, see: Callable[[Pair], None]) -> None:
        """Read all corpora once.

        Args:
            corpora: the files.
            see: is shown every pair that the cleaner keeps; some of them may be left out by ``admits`` later.
        """
        self.corpora = corpora
        self.parts = [Part(corpus) for corpus in corpora.all]
        self.valid: dict[Direction, list[Pair]] = {direction: [] for direction in corpora.directions}
        self._held_out, self._aside = HeldOutTexts(), HeldOutTexts()
        self._known = defaultdict[Direction, Callable[[Pair], bool]](duplicates)
        self._hold_out()
        waiting = {one.direction for one in corpora.all} - {one.direction for one in corpora.all if one.valid}
        for part in self.parts:
            direction, kept = part.corpus.direction, self._clean(part, see)
            if direction in waiting and corpora.config.data.valid_pairs:
                waiting.remove(direction)
                part.split = split_off(kept, corpora.config.data.valid_pairs)
                self.valid[direction] += part.split.pairs
                part.valid = len(part.split.pairs)
                self._add(self._aside, direction, part.split.pairs)
            else:
                deque(kept, maxlen=0)
        texts: set[int] | None = set() if len(self.valid) > 1 else None  # of several directions, on either side
        self._every_aside = HeldOut(texts, texts)
        for pair in chain.from_iterable(part.split.pairs for part in self.parts):
            self._every_aside.add(pair)

    def _hold_out(self) -> None:
        for part in self.parts:
            corpus = part.corpus
            valid = list(corpus.read(corpus.valid))
            part.valid = len(valid)
            self.valid[corpus.direction] += valid
            self._add(self._held_out, corpus.direction, valid)
            self._add(self._held_out, corpus.direction, corpus.read(corpus.test))

    @staticmethod
    def _add(texts: HeldOutTexts, direction: Direction, pairs: Iterable[Pair]) -> None:
        held_out = texts.between(direction.source, direction.target)
        for pair in pairs:
            held_out.add(pair)

    def _clean(self, part: Part, see: Callable[[Pair], None]) -> Iterator[Pair]:
        direction = part.corpus.direction
        held_out = self._held_out.between(direction.source, direction.target)
        for pair in part.clean(self.corpora.config.data.cleaning, held_out, self._known[direction]):
            see(pair)
            yield pair

    @property
    def cleaning(self) -> CleaningReport:
        """What was kept and dropped, of all corpora together."""
        return CleaningReport.total(part.cleaning for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Give the counts as a value that ``json`` can write; of several corpora, those of each too."""
        report = {
            "reading": ReadingReport.total(part.reading for part in self.parts).to_json(),
            "cleaning": self.cleaning.to_json(),
            "valid": sum(map(len, self.valid.values())),
        }
        if len(self.parts) > 1:
            report["corpora"] = {part.corpus.name: part.to_json() for part in self.parts}
        return report

    def pairs(self, part: Part) -> Iterator[Pair]:
        """Read a corpus again, its selected pairs only; completes the counts, so it is for one use."""
        direction = part.corpus.direction
        aside = self._aside.between(direction.source, direction.target)
        for pair in part.kept():
            if part.split.holds(pair.source):
                part.drop(SET_ASIDE)
            elif self.corpora.config.data.cleaning.drop_overlap and aside.overlaps(pair):
                part.drop(OVERLAP)
            else:
                yield pair

    def admits(self, source: str, target: str) -> bool:
        """Tell whether a pair that the cleaner kept, of whichever corpus, is surely selected."""
        if any(part.split.holds(source) for part in self.parts):
            return False
        drops = self.corpora.config.data.cleaning.drop_overlap
        return not (drops and self._every_aside.overlaps(Pair(source, target, "", 0)))
