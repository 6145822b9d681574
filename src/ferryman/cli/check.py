"""``ferryman check``: the data doctor."""

import json
from typing import Annotated

import typer

from ferryman.cli.console import FAILED, reported, write
from ferryman.cli.options import Debug, Json, split_settings


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            help="A configuration (a name from `ferryman config --names`, or a YAML file), or two aligned text files, "
            "or one file of pairs (.tsv .jsonl .tmx .po .mo; all also .gz); then settings as data.key=value.",
            metavar="CONFIG|SOURCE TARGET|PAIRS [data.key=value]...",
        ),
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what is wrong with a corpus: what cannot be read, what training would drop and why, what looks odd.

    Pairs that also stand in the validation or test set (data.valid, data.test) are found too. Exit code: 0 all could be
    read, whatever is odd in it; 1 something could not; 2 a setting is wrong.

    \b
    Examples:
      ferryman check train.en train.de
      ferryman check multi30k data.directory=data/multi30k
    """  # noqa: D301
    with reported(debug):
        from ferryman.workflows.check import check_corpus

        words, settings = split_settings(files)
        report = check_corpus(words, settings)
        write(json.dumps(report.to_json(), ensure_ascii=False, indent=1) if as_json else report.to_text())
        if not report.ok:
            raise typer.Exit(FAILED)
