"""``ferryman config``: print a resolved configuration, or its schema."""

import json
from typing import Annotated

import typer

from ferryman.cli.console import reported, write
from ferryman.cli.options import Debug, Settings


def config(
    name: Annotated[str | None, typer.Argument(help="A shipped configuration's name or a YAML file.")] = None,
    settings: Settings = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of all settings.")] = False,
    names: Annotated[bool, typer.Option("--names", help="List the configurations that ship with Ferryman.")] = False,
    debug: Debug = False,
) -> None:
    """Print the resolved configuration: defaults, then the file, then section.key=value settings."""
    from ferryman.config import Config
    from ferryman.config_file import config_names, dump_config, load_config

    with reported(debug):
        if schema:
            write(json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False))
        elif names:
            write("\n".join(config_names()))
        elif name is not None and "=" in name:
            write(dump_config(load_config(None, [name, *(settings or [])])).rstrip())
        else:
            write(dump_config(load_config(name, settings or [])).rstrip())
