"""``ferryman plot``: the curves of a training run."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, write
from ferryman.cli.options import Debug


def plot(
    run: Annotated[Path, typer.Argument(help="Folder of a training run.", metavar="RUN")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Picture, .png or .svg; unset: curves.png in the run.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Draw loss, validation scores and learning rate of a run (needs the extra plot)."""
    with reported(debug):
        from ferryman.workflows.explain import plot_run

        write(str(plot_run(run, output)))
