"""``ferryman config``: print a resolved configuration, or its schema."""

import json
from typing import Annotated

import typer

from ferryman.cli.console import reported, write
from ferryman.cli.options import Debug, split_settings


def config(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A configuration (a name from `ferryman config --names`, or a YAML file); none: the defaults. Then "
            "settings as section.key=value.",
            metavar="[CONFIG] [section.key=value]...",
        ),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of all settings.")] = False,
    names: Annotated[bool, typer.Option("--names", help="List the configurations that ship with Ferryman.")] = False,
    debug: Debug = False,
) -> None:
    """Print the resolved configuration: defaults, then the file, then section.key=value settings.

    As for `ferryman train`, a budget given here takes the place of the configuration's.
    """
    from ferryman.config import Config
    from ferryman.config_file import config_names, dump_config, load_config
    from ferryman.workflows.changes import with_budget

    with reported(debug):
        if schema:
            write(json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False))
        elif names:
            write("\n".join(config_names()))
        else:
            words, changes = split_settings(what or [])
            if len(words) > 1:
                raise typer.BadParameter(f"{words[1]}: expected section.key=value after the configuration {words[0]}")
            write(dump_config(load_config(words[0] if words else None, with_budget(changes))).rstrip())
