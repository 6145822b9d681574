"""Words for numbers."""


def counted(number: float, noun: str) -> str:
    """Write a number and what it counts: ``1 pair``, ``2,000 pairs``, ``0.5 minutes``."""
    return f"{_written(number)} {noun}{'' if number == 1 else 's'}"


def all_of(number: float, noun: str) -> str:
    """Write a number as the subject of a sentence: ``all 7 steps are``, ``the one step is``."""
    return f"the one {noun} is" if number == 1 else f"all {counted(number, noun)} are"


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"
