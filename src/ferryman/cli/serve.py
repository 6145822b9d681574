"""``ferryman serve``: models, at work for many clients."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, split_settings
from ferryman.errors import ConfigError
from ferryman.wording import counted

if TYPE_CHECKING:
    from ferryman.config import ServingConfig

MOMENT = 0.2  # seconds in which a thread that has nothing to do ends


def serve(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Model folders, then settings as serving.key=value, decoding.key=value or documents.key=value.",
            metavar="MODEL... [section.key=value]...",
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen at; 0.0.0.0: all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen at; 0: a free one.")] = 8000,
    new_key: Annotated[
        str | None,
        typer.Option("--new-key", help="Add a key to the file serving.api_keys, print it and end.", metavar="NAME"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Serve a page to translate with, and answer programs as LibreTranslate does and more. Ends on Ctrl-C or SIGTERM.

    \b
    Examples:
      ferryman serve runs/en-de
      ferryman serve runs/en-de runs/en-zh --port 8080 serving.max_characters=5000 decoding.threads=2
      ferryman serve runs/en-de documents.glossary=terms.tsv documents.memory=memory.tmx
      ferryman serve --new-key anna serving.api_keys=keys.txt
      ferryman serve runs/en-de --host 0.0.0.0 serving.api_keys=keys.txt serving.requests_per_minute=60
    """  # noqa: D301
    with reported(debug):
        folders, settings = split_settings(words or [])
        of_serving = [setting for setting in settings if not setting.startswith(("decoding.", "documents."))]
        config = _read(of_serving)
        if new_key is not None:
            _add_key(config, new_key)
            return
        if not folders:
            raise ConfigError("name the folder of a model, such as runs/en-de")
        _run(
            [Path(folder) for folder in folders], [one for one in settings if one not in of_serving], config, host, port
        )


def _read(settings: list[str]) -> "ServingConfig":
    from ferryman.config_file import load_config

    if wrong := [setting for setting in settings if not setting.startswith("serving.")]:
        raise ConfigError(f"{wrong[0]}: of a server only serving.*, decoding.* and documents.* can be set")
    return load_config(None, settings).serving


def _add_key(config: "ServingConfig", name: str) -> None:
    if config.api_keys is None:
        raise ConfigError("--new-key: say in which file, such as serving.api_keys=keys.txt")
    from ferryman.serving.keys import add_key

    write(add_key(config.api_keys, name))


def _run(folders: list[Path], of_models: list[str], config: "ServingConfig", host: str, port: int) -> None:
    try:
        from ferryman.serving.server import Server, listen, load_service
    except ModuleNotFoundError as error:
        raise ConfigError(f"ferryman serve needs {error.name}: pip install 'ferryman[serve]'") from error
    from ferryman.engines.devices import set_threads

    with _logged(), listen(host, port) as socket:
        set_threads(0)
        service = load_service(folders, of_models, config)
        say(f"{counted(len(folders), 'model')}: {service.about}")
        Server(service, lambda address: say(f"listening at {address} (for programs: {address}/docs)")).run([socket])
        is_done = service.worker.stop(MOMENT)
    say("stopped")
    if not is_done:  # Ctrl-C twice, or a batch that takes too long: to end Python under a thread that computes aborts
        sys.stderr.flush()
        os._exit(0)


@contextmanager
def _logged() -> Iterator[None]:
    """Write a line for each request, and what uvicorn warns of, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    levels = {"ferryman.serving": logging.INFO, "uvicorn": logging.WARNING}
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
        logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        for name in levels:
            logging.getLogger(name).removeHandler(handler)
