"""How the making of pairs looks: one live line on a terminal, plain lines elsewhere, the counts at the end."""

import time

from rich.live import Live
from rich.text import Text

from ferryman.cli.console import duration, messages, program, say
from ferryman.cli.interrupts import ending_tidily
from ferryman.wording import counted
from ferryman.workflows.synthesis import Counts, Synthesis

PLAIN_SECONDS = 30.0  # between lines where there is no terminal


def show(synthesis: Synthesis) -> None:
    """Make the pairs, show how far that is, and say what came of it."""
    counts = Counts()
    try:
        with ending_tidily(), Live(console=messages, auto_refresh=False, transient=True) as live:
            first, began, told = None, time.monotonic(), time.monotonic()
            for counts in synthesis.run():
                if first is None:
                    first = counts.lines
                    if first:
                        say(f"going on after line {first:,}")
                line = progress_line(counts, synthesis.total, counts.lines - first, time.monotonic() - began)
                if messages.is_terminal:
                    live.update(Text(line), refresh=True)
                elif time.monotonic() - told >= PLAIN_SECONDS:
                    say(line)
                    told = time.monotonic()
    except KeyboardInterrupt:
        say(f"{counted(counts.pairs, 'pair')} kept; the same command goes on from there")
        raise
    say(summary(counts, synthesis))


def progress_line(counts: Counts, total: int, done: int, seconds: float) -> str:
    """Say how many lines are done and how long the others will take, going by those done in so many seconds."""
    parts = [f"{counts.lines:,} of {counted(total, 'line')}", counted(counts.pairs, "pair")]
    if done:
        left = duration(seconds / done * (total - counts.lines))
        parts += [f"{done / max(seconds, 1e-9):,.0f} lines/s", f"{left} left"]
    return " · ".join(parts)


def summary(counts: Counts, synthesis: Synthesis) -> str:
    """Say what was made and how to train on it."""
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in counts.skipped.items()) or "none"
    languages = [synthesis.task.direction.source, synthesis.task.direction.target]
    if synthesis.task.given == "target":
        languages.reverse()
    return (
        f"{counted(counts.pairs, 'pair')} in {synthesis.output}, of {counted(counts.lines, 'line')}; skipped: {skipped}"
        f"\ntrain on them with: {program()} train {synthesis.output} data.source_language={languages[0]} "
        f"data.target_language={languages[1]}"
    )
