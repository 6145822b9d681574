"""``ferryman back-translate``: pairs from text in the target language alone."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported
from ferryman.cli.options import Debug, DecodingSettings, Pairs, To


def back_translate(
    model: Annotated[
        Path,
        typer.Argument(help="Model folder that translates the other way: from the language of TEXT.", metavar="MODEL"),
    ],
    text: Annotated[Path, typer.Argument(help="Text in the target language, one a line.", metavar="TEXT")],
    output: Pairs,
    settings: DecodingSettings = None,
    to: To = None,
    debug: Debug = False,
) -> None:
    """Make training pairs of text in one language: a model writes the source, the target is the text itself.

    Greedy unless decoding.beam says otherwise. Lines that are blank, too long or come to no end make no pair and are
    counted. Interrupted, the same command goes on where it stopped.

    \b
    Example, for a translator from English into German:
      ferryman back-translate runs/de-en news.de -o news.jsonl
      ferryman train news.jsonl data.source_language=en data.target_language=de
    """  # noqa: D301
    with reported(debug):
        from ferryman.cli.synthesising import show
        from ferryman.engines.devices import set_threads
        from ferryman.workflows.teaching import back_translation

        set_threads(0)
        show(back_translation(model, text, output, settings or [], to=to))
