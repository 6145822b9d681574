"""``ferryman explain``: what happened inside one translation."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, DecodingSettings, Model, To
from ferryman.errors import ConfigError


class View(StrEnum):
    """What a picture shows."""

    alignment = "alignment"
    encoder = "encoder"
    decoder = "decoder"
    cross = "cross"


def explain(
    model: Model,
    text: Annotated[str, typer.Argument(help="One sentence.", metavar="TEXT")],
    settings: DecodingSettings = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File: a page, .html; .json; a picture, .png or .svg; unset: a summary."),
    ] = None,
    view: Annotated[
        View, typer.Option("--view", help="Picture of the word alignment, or of every head of an attention.")
    ] = View.alignment,
    layer: Annotated[int | None, typer.Option("--layer", help="Only this layer's heads, from 1.")] = None,
    to: To = None,
    debug: Debug = False,
) -> None:
    """Translate a sentence and tell what happened inside the model and the search.

    \b
    Examples:
      ferryman explain runs/demo "Is it snowing in Rome?"
      ferryman explain runs/demo "Is it snowing in Rome?" -o rome.html
      ferryman explain runs/demo "Is it snowing in Rome?" -o rome.json decoding.beam=4
      ferryman explain runs/demo "Is it snowing in Rome?" -o heads.svg --view cross --layer 2
    """  # noqa: D301
    with reported(debug):
        from ferryman.cli.picture import draw
        from ferryman.workflows import explain as workflow

        _check(output, view, layer)
        if output is not None:
            workflow.check_output(output, (".html", ".json", ".png", ".svg"))
        from ferryman.engines.devices import set_threads

        set_threads(0)
        found = workflow.explain(model, text, settings or [], to=to)
        if output is None:
            target = found.target
            write(f"{target.text}\nscore {target.score:.4f}, log-probability {target.log_prob:.4f}\n\n{draw(found)}")
        elif missing := workflow.write_explanation(found, output, view.value, layer):
            say(f"no font here has these characters, which the picture leaves blank: {missing}")


def _check(output: Path | None, view: View, layer: int | None) -> None:
    if output is None or output.suffix.lower() not in (".png", ".svg"):
        if view != View.alignment or layer is not None:
            raise ConfigError("--view and --layer are for pictures; add -o FILE.png or -o FILE.svg")
    elif layer is not None and view == View.alignment:
        raise ConfigError("--layer needs --view encoder, decoder or cross; decoding.alignment_layer sets this one")
