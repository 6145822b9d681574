"""``ferryman average``: one model from a run's latest checkpoints."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, say
from ferryman.cli.options import Debug


def average(
    run: Annotated[Path, typer.Argument(help="Folder of a training run.", metavar="RUN")],
    last: Annotated[
        int | None, typer.Option("--last", min=1, help="How many of the latest checkpoints; unset: all that are kept.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Model folder to write; unset: RUN/average.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Average the weights of a run's latest checkpoints into a model folder of its own."""
    with reported(debug):
        from ferryman.workflows.average import average_run

        folder = output or run / "average"
        used = average_run(run, last, folder)
        say(f"averaged {', '.join(path.stem for path in used)} into {folder}")
