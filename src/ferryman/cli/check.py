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

    Pairs that also stand in the validation or test set (data.valid, data.test) are found too. Of a configuration with
    several corpora each is examined by itself. Exit code: 0 all could be
    read, whatever is odd in it; 1 something could not, or nothing is left to train on; 2 a setting is wrong.

    \b
    Examples:
      ferryman check train.en train.de
      ferryman check multi30k data.directory=data/multi30k
    """  # noqa: D301
    with reported(debug):
        from ferryman.workflows.check import check_corpora

        words, settings = split_settings(files)
        reports = check_corpora(words, settings)
        if as_json:
            found = {name: report.to_json() for name, report in reports.items()}
            write(json.dumps(found if len(found) > 1 else found["main"], ensure_ascii=False, indent=1))
        else:
            write("\n\n".join(report.to_text() for report in reports.values()))
        if not all(one.ok for one in reports.values()) or not any(one.cleaning.kept for one in reports.values()):
            raise typer.Exit(FAILED)
