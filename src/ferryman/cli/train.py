"""``ferryman train``: from parallel text to a model folder."""

import signal
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from ferryman.cli.console import elapsed, reported
from ferryman.cli.options import Debug, split_settings

if TYPE_CHECKING:
    from ferryman.workflows.run import TrainingRun

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def train(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A configuration (a name from `ferryman config --names`, or a YAML file), or SOURCE TARGET files, "
            "or one file of pairs; then settings as section.key=value.",
            metavar="CONFIG|SOURCE TARGET [section.key=value]...",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder of the run.", metavar="RUN")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Go on with this run.", metavar="RUN")] = None,
    debug: Debug = False,
) -> None:
    """Train a translator; Ctrl-C saves and stops, --resume goes on exactly there.

    Examples:
      ferryman train multi30k -o runs/multi30k data.directory=data/multi30k training.minutes=15

      ferryman train train.en train.de -o runs/en-de training.minutes=30

      ferryman train "/usr/share/locale/de/LC_MESSAGES/*.mo" -o runs/gettext data.source_language=en
      data.target_language=de training.minutes=15

      ferryman train --resume runs/en-de
    """
    with reported(debug):
        from ferryman.cli.progress import show
        from ferryman.workflows.plan import plan
        from ferryman.workflows.run import TrainingRun

        words, settings = split_settings(what or [])
        if resume is not None:
            if words or output:
                raise typer.BadParameter("--resume takes its configuration and folder from the run")
            run = TrainingRun.resume(resume, settings, elapsed=elapsed)
        else:
            if not words:
                raise typer.BadParameter("give a configuration or corpus files; see ferryman train --help")
            config, folder = plan(words, settings, output)
            run = TrainingRun(config, folder, elapsed=elapsed)
        stop_on_signals(run)
        show(run.events(), run)


def stop_on_signals(run: "TrainingRun") -> None:
    """Let signals end the run with everything saved; before there is anything to save they end the command."""

    def handle(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
        if not run.stop(f"interrupted by {signal.Signals(number).name}"):
            raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, handle)
