"""``ferryman info``: what a model is."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, write
from ferryman.cli.options import Debug, Json


def info(
    path: Annotated[
        Path,
        typer.Argument(help="Model or training run, ours or another toolkit's.", metavar="PATH"),
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what a model is: languages, sizes, vocabulary, how it was trained and how well it did.

    Of another toolkit's also whether Ferryman can translate with it. Nothing in it is run.
    """
    with reported(debug):
        from ferryman.workflows.describe import describe

        facts = describe(path)
        if as_json:
            write(json.dumps(facts, ensure_ascii=False, indent=1))
            return
        width = max(len(name) for name in facts)
        for name, value in facts.items():
            write(f"{name:<{width}}  {_words(value)}")


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(part)}" for name, part in value.items())
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
