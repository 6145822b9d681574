"""``ferryman config``: print a resolved configuration, or its schema."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, split_settings

if TYPE_CHECKING:
    from ferryman.config import Config


def config(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A configuration (a name from `ferryman config --names`, or a YAML file), or corpus files as for "
            "`ferryman train`; none: the defaults. Then settings as section.key=value.",
            metavar="[CONFIG|SOURCE TARGET|PAIRS] [section.key=value]...",
        ),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of all settings.")] = False,
    names: Annotated[bool, typer.Option("--names", help="List the configurations that ship with Ferryman.")] = False,
    debug: Debug = False,
) -> None:
    """Print the resolved configuration: defaults, then the file, then section.key=value settings.

    As for `ferryman train`, a budget given here takes the place of the configuration's; and for corpus files, the
    configuration is chosen that `ferryman train` would choose, the reasons on standard error.

    \b
    Examples:
      ferryman config multi30k training.minutes=5
      ferryman config train.en train.de training.minutes=15
    """  # noqa: D301
    from ferryman.config import Config
    from ferryman.config_file import config_names, dump_config

    with reported(debug):
        if schema:
            write(json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False))
        elif names:
            write("\n".join(config_names()))
        else:
            words, changes = split_settings(what or [])
            write(dump_config(_resolve(words, changes)).rstrip())


def _resolve(words: list[str], settings: list[str]) -> "Config":
    from ferryman.config_file import load_config
    from ferryman.workflows.changes import with_budget
    from ferryman.workflows.plan import names_corpus, plan

    if words and names_corpus(words):
        config, _, notices = plan(words, settings, None)
        for notice in notices:
            say(notice)
        return config
    if len(words) > 1:
        raise typer.BadParameter(f"{words[1]}: expected section.key=value after the configuration {words[0]}")
    return load_config(words[0] if words else None, with_budget(settings))
