"""Compare how long two things take, in one run and in turns, so that a busy machine slows both."""

import time
from collections.abc import Callable
from statistics import median


def ratio(slow: Callable[[], object], fast: Callable[[], object], rounds: int = 5) -> float:
    """Tell how many times as long the first takes as the second, by processor time: the median over rounds."""
    return median(_seconds(slow) / _seconds(fast) for _ in range(rounds))


def _seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()  # what other programs do on the machine changes it least
    work()
    return time.thread_time() - began
