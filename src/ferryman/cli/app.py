"""All commands, and what is the same for all of them."""

import sys
from typing import Annotated

import typer

from ferryman import __version__
from ferryman.cli import (
    average,
    back_translate,
    check,
    config,
    convert,
    demo,
    distill,
    evaluate,
    explain,
    info,
    plot,
    quantize,
    score,
    serve,
    train,
    translate,
)
from ferryman.cli.console import FAILED, OUTPUT, refusal, say, share_cores, use_utf8, write

app = typer.Typer(
    name="ferryman",
    help="Train, see into and ship encoder-decoder Transformers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo,
    check,
    train,
    translate,
    score,
    evaluate,
    serve,
    average,
    back_translate,
    distill,
    quantize,
    info,
    explain,
    plot,
    convert,
    config,
):
    name = command.__name__.rpartition(".")[2]
    app.command(name.replace("_", "-"))(getattr(command, name))


def _version(wanted: bool) -> None:
    if wanted:
        write(f"ferryman {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Train, see into and ship encoder-decoder Transformers."""


def main() -> None:
    """Run the command line."""
    use_utf8()
    share_cores()
    try:
        app()
    except OSError as error:  # of what typer prints itself, such as --help, to a full disk
        error.filename = error.filename or OUTPUT
        say(refusal(error))
        sys.exit(FAILED)
