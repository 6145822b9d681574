"""The cleaner: drops pairs that are not worth learning from, whole, and counts why."""

from collections.abc import Callable, Iterable, Iterator

from ferryman.config import CleaningConfig
from ferryman.corpus.characters import is_blank
from ferryman.corpus.held_out import HeldOut, digest
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import CleaningReport

BYTES_ALLOWED = 30
"""Difference in length that never counts as a wrong ratio."""

Test = Callable[[Pair], bool]


def clean(
    pairs: Iterable[Pair],
    rules: CleaningConfig,
    *,
    held_out: HeldOut,
    report: CleaningReport,
    is_duplicate: Test | None = None,
) -> Iterator[Pair]:
    """Give the pairs worth learning from, in order; a pair is dropped for the first reason that applies.

    The reasons, in order: ``empty`` (either side holds nothing visible), ``too long``, ``length ratio``,
    ``untranslated copy``, ``duplicate`` (of a pair kept or dropped as overlap before), ``overlap with held-out``.
    Duplicates are told by 8-byte hashes: some 100 bytes of memory a pair.

    Args:
        pairs: what was read.
        rules: limits, and which of the last three reasons apply.
        held_out: validation and test pairs; an empty one holds nothing out.
        report: counts; at any moment ``read == kept + sum(dropped)``.
        is_duplicate: ``duplicates()`` that has seen other corpora too; unset: pairs are compared among themselves.
    """
    tests = _tests(rules, held_out, is_duplicate or duplicates())
    for pair in pairs:
        report.read += 1
        reason = next((reason for reason, applies in tests if applies(pair)), None)
        if reason is not None:
            report.dropped[reason] += 1
            continue
        report.kept += 1
        yield pair


def _tests(rules: CleaningConfig, held_out: HeldOut, is_duplicate: Test) -> list[tuple[str, Test]]:
    tests: list[tuple[str, Test]] = [
        ("empty", lambda pair: is_blank(pair.source) or is_blank(pair.target)),
        ("too long", lambda pair: max(len(pair.source), len(pair.target)) > rules.max_characters),
        ("length ratio", lambda pair: is_lopsided(pair, rules.max_length_ratio)),
    ]
    if rules.drop_copies:
        tests.append(("untranslated copy", lambda pair: pair.source.strip() == pair.target.strip()))
    if rules.drop_duplicates:
        tests.append(("duplicate", is_duplicate))
    if rules.drop_overlap:
        tests.append(("overlap with held-out", held_out.overlaps))
    return tests


def is_lopsided(pair: Pair, max_ratio: float) -> bool:
    """Tell whether one side is too many times longer than the other, in UTF-8 bytes."""
    shorter, longer = sorted((len(pair.source.encode()), len(pair.target.encode())))
    return longer - shorter > BYTES_ALLOWED and longer > max_ratio * shorter


def duplicates() -> Test:
    """Make a test that tells whether it has been given an identical pair before."""
    seen: set[int] = set()

    def is_known(pair: Pair) -> bool:
        key = digest(f"{pair.source}\n{pair.target}")  # a pair holds no line feed, so no two pairs share a key
        if key in seen:
            return True
        seen.add(key)
        return False

    return is_known
