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
            help="Two aligned text files, or one file of pairs (.tsv .jsonl .tmx .po .mo; all also .gz); then settings "
            "as data.key=value.",
            metavar="SOURCE TARGET|PAIRS [data.key=value]...",
        ),
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what is wrong with a corpus: what cannot be read, what training would drop and why, what looks odd."""
    with reported(debug):
        from ferryman.workflows.check import check_corpus

        words, settings = split_settings(files)
        report = check_corpus(words, settings)
        write(json.dumps(report.to_json(), ensure_ascii=False, indent=1) if as_json else report.to_text())
        if not report.ok:
            raise typer.Exit(FAILED)
