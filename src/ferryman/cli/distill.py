"""``ferryman distill``: pairs whose targets a teacher writes."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported
from ferryman.cli.options import Debug, Pairs, To, split_settings


def distill(
    teacher: Annotated[Path, typer.Argument(help="Folder of the model to learn from.", metavar="TEACHER")],
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Source texts, one a line; or SOURCE and TARGET files, or one file of pairs: then, of the "
            "decoding.beam best translations, the one closest to TARGET is taken. Then settings as decoding.key=value.",
            metavar="SOURCE [TARGET]|PAIRS [decoding.key=value]...",
        ),
    ],
    output: Pairs,
    to: To = None,
    debug: Debug = False,
) -> None:
    """Make training pairs for a smaller student: the teacher writes the targets, more regular than people do.

    Lines that are blank, too long or come to no end make no pair and are counted. Interrupted, the same command goes on
    where it stopped.

    \b
    Example:
      ferryman distill runs/teacher train.en -o taught.jsonl
      ferryman train taught.jsonl data.source_language=en data.target_language=de -o runs/student
    """  # noqa: D301
    with reported(debug):
        from ferryman.cli.synthesising import show
        from ferryman.engines.devices import set_threads
        from ferryman.workflows.teaching import distillation

        words, settings = split_settings(corpus)
        if not 1 <= len(words) <= 2:
            raise typer.BadParameter("give the source texts, or two aligned files, or one file of pairs")
        set_threads(0)
        target = words[1] if len(words) > 1 else None
        show(distillation(teacher, words[0], output, settings, target=target, to=to))
