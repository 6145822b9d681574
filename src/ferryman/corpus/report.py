"""What happened to a corpus on its way in, counted: as text for people and as JSON for programs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ferryman.corpus.characters import odd_characters
from ferryman.corpus.pair import Pair
from ferryman.errors import DataError
from ferryman.wording import counted

EXAMPLES = 3
FEW_PAIRS = 1_000
"""Fewer are hopeless: even a small corpus of one kind of sentence, such as multi30k, has 29,000."""


def remark_on_amount(pairs: int) -> str:
    """Say so if pairs are too few to learn from; empty if they may be enough."""
    if not pairs:
        return "no pair is left to train on"
    if pairs < FEW_PAIRS:
        return (
            f"only {counted(pairs, 'pair')} to train on: learning to translate takes tens of thousands; expect no more "
            "than a repetition of what is in them"
        )
    return ""


@dataclass(slots=True)
class Tally:
    """Counts by name, each with its first few examples."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, example: str) -> None:
        """Count one more ``name``; remember the example if it is among the first."""
        self.counts[name] += 1
        known = self.examples.setdefault(name, [])
        if len(known) < EXAMPLES:
            known.append(example)

    def to_json(self) -> dict[str, Any]:
        """Give ``{name: {"count": …, "examples": […]}}``."""
        return {name: {"count": count, "examples": self.examples[name]} for name, count in self.counts.items()}

    def to_lines(self) -> list[str]:
        """Give one line a name and, indented below it, one an example."""
        lines = []
        for name, count in self.counts.most_common():
            lines.append(f"  {name}: {count:,}")
            lines.extend(f"    {example}" for example in self.examples[name])
        return lines


@dataclass(slots=True)
class ReadingReport:
    """What the readers met.

    A tolerant report (the data doctor's) notes what cannot be read and lets the reader go on; any other raises.
    """

    tolerant: bool = False
    read: int = 0
    """Pairs read."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Units that hold no pair, by reason: blank lines, fuzzy messages, translation units without a language …"""
    odd_characters: Counter[str] = field(default_factory=Counter)
    """Characters kept as text that are rarely meant, by name: ``U+2028 LINE SEPARATOR``."""
    altered: Counter[str] = field(default_factory=Counter)
    """Pairs whose text a reader changed, by what it did."""
    broken_files: dict[str, str] = field(default_factory=dict)
    """Files of a pattern that could not be read, with the reason."""
    problems: Tally = field(default_factory=Tally)
    """What a tolerant reading could not read, by kind."""

    def admit(self, pair: Pair) -> Pair:
        """Count a pair that was read, and the odd characters in it."""
        self.read += 1
        self.odd_characters.update(odd_characters(pair.source))
        self.odd_characters.update(odd_characters(pair.target))
        return pair

    def refuse(self, kind: str, error: DataError) -> None:
        """Raise the error, or note it if the report is tolerant."""
        if not self.tolerant:
            raise error
        self.problems.add(kind, str(error))

    @classmethod
    def total(cls, reports: Iterable["ReadingReport"]) -> "ReadingReport":
        """Add up the counts of several corpora."""
        total = cls()
        for report in reports:
            total.read += report.read
            total.skipped.update(report.skipped)
            total.odd_characters.update(report.odd_characters)
            total.altered.update(report.altered)
            total.broken_files.update(report.broken_files)
        return total

    def to_json(self) -> dict[str, Any]:
        """Give the counts as a value that ``json`` can write."""
        return {
            "read": self.read,
            "skipped": dict(self.skipped),
            "odd_characters": dict(self.odd_characters),
            "altered": dict(self.altered),
            "broken_files": dict(self.broken_files),
            "problems": self.problems.to_json(),
        }

    def to_text(self) -> str:
        """Give the counts as lines for people."""
        lines = [f"read {counted(self.read, 'pair')}"]
        lines += _section("skipped, no pair in them", self.skipped)
        lines += _section("odd characters, kept as text", self.odd_characters)
        lines += _section("pairs altered in reading", self.altered)
        if self.broken_files:
            lines.append(f"broken files, left out: {len(self.broken_files):,}")
            lines.extend(f"  {reason}" for reason in self.broken_files.values())
        if self.problems.counts:
            lines += ["cannot be read:", *self.problems.to_lines()]
        return "\n".join(lines)


@dataclass(slots=True)
class CleaningReport:
    """What the cleaner did: always ``read == kept + sum(dropped)``."""

    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Pairs dropped, by the first reason that applied."""

    @classmethod
    def total(cls, reports: Iterable["CleaningReport"]) -> "CleaningReport":
        """Add up the counts of several corpora."""
        total = cls()
        for report in reports:
            total.read += report.read
            total.kept += report.kept
            total.dropped.update(report.dropped)
        return total

    def to_json(self) -> dict[str, Any]:
        """Give the counts as a value that ``json`` can write."""
        return {"read": self.read, "kept": self.kept, "dropped": dict(self.dropped)}

    def to_text(self) -> str:
        """Give the counts as lines for people."""
        head = f"of {counted(self.read, 'pair')} {self.kept:,} kept, {self.dropped.total():,} dropped"
        return "\n".join([head, *_counts(self.dropped.most_common())])


def _section(title: str, counts: Counter[str]) -> list[str]:
    return [f"{title}: {counts.total():,}", *_counts(counts.most_common())] if counts else []


def _counts(counts: Iterable[tuple[str, int]]) -> list[str]:
    return [f"  {name}: {count:,}" for name, count in counts]
