"""``ferryman train``: from parallel text to a model folder."""

from collections import deque
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import elapsed, reported
from ferryman.cli.interrupts import exit_code, stopping_on_signals
from ferryman.cli.joining import joined
from ferryman.cli.options import Debug, split_settings


def train(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="A configuration (a name from `ferryman config --names`, or a YAML file), or SOURCE TARGET files, "
            "or one file of pairs; then settings as section.key=value.",
            metavar="CONFIG|SOURCE TARGET|PAIRS [section.key=value]...",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder of the run.", metavar="RUN")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Go on with this run.", metavar="RUN")] = None,
    debug: Debug = False,
) -> None:
    """Train a translator; Ctrl-C saves and stops, --resume goes on exactly there.

    A budget given here (training.minutes, training.steps or training.epochs) takes the place of the configuration's.
    With corpus files instead of a configuration, what is not set is chosen for the corpus, the machine and the budget
    (15 minutes if none is given), and told: size, vocabulary, dropout, batches, learning rate, schedule, validation;
    `ferryman config SOURCE TARGET` shows it without training.

    Exit code: 0 finished, or nothing left to do; 1 failed; 2 a setting is wrong; 130 stopped by Ctrl-C and 143 by
    SIGTERM, both with everything saved.

    \b
    Examples:
      ferryman train train.en train.de -o runs/en-de training.minutes=30
      ferryman train multi30k data.directory=data/multi30k training.minutes=15
      ferryman train "/usr/share/locale/de/LC_MESSAGES/*.mo" -o runs/gettext
          data.source_language=en data.target_language=de training.minutes=15
      ferryman train --resume runs/en-de
      torchrun --nproc-per-node 8 -m ferryman train base -o runs/en-de
    """  # noqa: D301
    with reported(debug), joined() as workers:
        from ferryman.cli.progress import show
        from ferryman.workflows.plan import plan
        from ferryman.workflows.restart import began
        from ferryman.workflows.run import TrainingRun

        words, settings = split_settings(what or [])
        if resume is not None:
            if words or output:
                raise typer.BadParameter("--resume takes its configuration and folder from the run")
            run = TrainingRun.resume(resume, settings, elapsed=elapsed, workers=workers)
        else:
            if not words:
                raise typer.BadParameter("give a configuration or corpus files; see ferryman train --help")
            config, folder, notices = workers.lead(lambda: plan(words, settings, output))
            if workers.lead(lambda: workers.restarts > 0 and began(config, folder)):
                run = TrainingRun.resume(folder, elapsed=elapsed, workers=workers)
            else:
                run = TrainingRun(config, folder, elapsed=elapsed, notices=notices, workers=workers)
        with stopping_on_signals(run, workers):
            if workers.leads:
                show(run.events(), run)
            else:
                deque(run.events(), maxlen=0)
        if run.trainer is not None and run.trainer.stop_reason:
            raise typer.Exit(exit_code(run.trainer.stop_reason))
