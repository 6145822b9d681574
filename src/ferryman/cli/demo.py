"""``ferryman demo``: everything once, on the built-in phrasebook."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import FAILED, elapsed, program, reported, write
from ferryman.cli.interrupts import stopping_on_signals
from ferryman.cli.options import Debug

EXPECTED_EXACT = 0.9  # share of sentences; reached in half the time that a quiet two-core machine has


def demo(
    language: Annotated[str, typer.Option("--language", help="Translate English into this: zh or de.")] = "zh",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder of the run; unset: runs/demo, or runs/demo-de.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Train a translator on the built-in phrasebook in under three minutes, score it and show it at work."""
    with reported(debug):
        from ferryman.cli.picture import draw
        from ferryman.cli.progress import show
        from ferryman.workflows.demo import PAGE, Demo

        folder = output or Path("runs") / ("demo" if language == "zh" else f"demo-{language}")
        demonstration = Demo(folder, language, elapsed=elapsed)
        with stopping_on_signals(demonstration.run):
            show(demonstration.events(), demonstration.run)
        result = demonstration.result
        if result is None:
            raise typer.Exit(FAILED)
        write("\nOn held-out sentences, whose combinations of words were never seen in training:")
        bleu = result.scores["bleu"]
        write(f"BLEU {bleu.score:.1f}  ({bleu.signature})")
        write(f"{result.exact:.1%} of {result.scores.sentences} sentences are exactly as the phrasebook has them")
        write(f"alignment error rate of its attention, against the phrasebook's links: {result.alignment_error:.1%}\n")
        if result.exact < EXPECTED_EXACT:
            write(
                f"That is less than usual: only {result.steps:,} steps fitted in the time, since this machine is "
                f"slow or busy. To go on: {program()} train --resume {folder} training.minutes=6\n"
            )
        for source, translation, reference in result.examples:
            mark = "" if translation == reference else f"   (phrasebook: {reference})"
            write(f"  {source}\n    {translation}{mark}")
        write(f"\nWhere it looked while writing “{result.examples[0][1]}” (rows) in the source (columns):\n")
        write(draw(result.trace))
        write(_next_steps(folder, folder / PAGE))


def _next_steps(folder: Path, page: Path) -> str:
    ferryman = program()
    return f"""
To follow this sentence through the machine, open {page} in a browser. The model is in {folder}. Now:

  echo "The young teacher gave the children three red apples." | {ferryman} translate {folder}
  {ferryman} translate {folder} {folder}/samples.txt
  {ferryman} explain {folder} "The children will visit the old museum tomorrow." -o page.html
  {ferryman} serve {folder}
  {ferryman} check YOUR.en YOUR.de
  {ferryman} train YOUR.en YOUR.de -o runs/mine training.minutes=30
"""
