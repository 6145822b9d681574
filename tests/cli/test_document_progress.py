"""What is said of a document while it is translated, and at the end."""

from collections import Counter

from ferryman.cli.documents import progress_line, summarised
from ferryman.documents.results import Progress, Summary


def test_the_progress_line_says_how_long_the_rest_takes():
    assert progress_line("a.po", Progress(total=10)) == "a.po: 0 of 10 texts"
    line = progress_line("a.po", Progress(total=3_000, done=1_000, seconds=60.0))
    assert line == "a.po: 1,000 of 3,000 texts · 0:02:00 left"


def test_the_summary_says_what_was_done_and_why_not():
    assert summarised(Summary(translated=1)) == "1 segment translated"
    summary = Summary(
        translated=1_200,
        remembered=10,
        resumed=3,
        kept=Counter({"fuzzy": 1, "already translated": 5}),
        skipped=Counter({"empty translation": 1}),
        flags=Counter({"term_missing": 2, "far_too_long": 1}),
    )
    assert summarised(summary) == (
        "1,200 segments translated (10 from the memory, 3 from the interrupted run); kept: 5 already translated, "
        "1 fuzzy; skipped: 1 empty translation; flagged: 2 term missing, 1 far too long"
    )
