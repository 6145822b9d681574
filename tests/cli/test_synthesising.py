"""How far the making of pairs is, in words."""

from ferryman.cli.synthesising import progress_line
from ferryman.workflows.synthesis import Counts


def test_the_time_left_goes_by_what_was_done_this_time():
    """Of 4,000 lines, 2,000 were done before the interruption and 1,000 in the ten seconds after it."""
    line = progress_line(Counts(3000, 2900, {"blank": 100}), 4000, 1000, 10.0)
    assert line == "3,000 of 4,000 lines · 2,900 pairs · 100 lines/s · 0:00:10 left"
    assert progress_line(Counts(), 1, 0, 0.0) == "0 of 1 line · 0 pairs"
