"""How far the translation of a file is: one live line on a terminal that shows nothing else."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.live import Live
from rich.text import Text

from ferryman.cli.console import duration, messages
from ferryman.wording import counted
from ferryman.workflows.translate import Console, Job, Tally, count_texts


@contextmanager
def shown(tally: Tally, jobs: Sequence[Job], console: Console) -> Iterator[None]:
    """Show the tally while it grows; not where the translations themselves, or what a person types, are shown."""
    busy = console.typed or (sys.stdout.isatty() and any(job.target is None for job in jobs))
    if busy or not messages.is_terminal:
        yield
        return
    total = count_texts(jobs)
    line = Live(
        console=messages,
        get_renderable=lambda: Text(progress_line(tally, total)),
        transient=True,
        redirect_stdout=False,  # translations go where standard output goes, not to the terminal
    )
    with line:
        yield


def progress_line(tally: Tally, total: int | None) -> str:
    """Say how many texts are done and how fast; if ``total`` is known, how long the others will take."""
    parts = [counted(tally.texts, "text") if total is None else f"{tally.texts:,} of {counted(total, 'text')}"]
    if tally.texts:
        parts.append(f"{tally.tokens_per_second:,.0f} tokens/s")
        if total is not None:
            parts.append(f"{duration(tally.seconds / tally.texts * (total - tally.texts))} left")
    return " · ".join(parts)
