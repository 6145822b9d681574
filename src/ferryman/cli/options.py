"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from ferryman.errors import ConfigError

Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Model = Annotated[Path, typer.Argument(help="Model folder, such as runs/en-de.", metavar="MODEL")]
To = Annotated[
    str | None,
    typer.Option("--to", help="Language to translate into, for a model of several.", metavar="LANGUAGE"),
]
With = Annotated[
    list[Path] | None,
    typer.Option(
        "--with", help="Another model to average with, of the same tokenizer; can be repeated.", metavar="MODEL"
    ),
]
Pairs = Annotated[Path, typer.Option("-o", "--output", help="File of pairs to make.", metavar="PAIRS.jsonl")]
DecodingSettings = Annotated[
    list[str] | None,
    typer.Argument(help="Settings to change, as decoding.key=value.", metavar="[decoding.key=value]..."),
]


def split_settings(words: list[str]) -> tuple[list[str], list[str]]:
    """Tell settings (section.key=value) from file names.

    Raises:
        ConfigError: a word is neither, such as ``beam=1``.
    """
    settings = [word for word in words if _is_setting(word)]
    for word in words:
        if "=" in word and word not in settings and not Path(word).exists():
            raise ConfigError(
                f"{word!r}: no such file, and no setting: those are section.key=value, such as "
                "training.minutes=15 or decoding.beam=1"
            )
    return [word for word in words if not _is_setting(word)], settings


def _is_setting(word: str) -> bool:
    key, equals, _ = word.partition("=")
    section, dot, name = key.partition(".")
    return bool(equals and dot and section.isidentifier() and name) and not Path(word).exists()
