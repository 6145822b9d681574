"""Commands that several processes run together: all of them end when one fails, and one of them says why."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from ferryman.cli.console import FAILED
from ferryman.errors import FerrymanError, TrainingError

if TYPE_CHECKING:
    from ferryman.training.distributed import Workers


@contextmanager
def joined() -> Iterator["Workers"]:
    """Join the processes that torchrun has started, until all have come to the end or one has failed."""
    from ferryman.training.distributed import is_loss_of_a_worker, join

    workers = join()
    if workers.world == 1:
        yield workers
        return
    try:
        yield workers
    except typer.Exit:
        workers.leave()
        raise
    except BaseException as error:
        lost = is_loss_of_a_worker(error)
        if workers.first_to_fail():
            if lost:
                raise TrainingError(
                    "another process of this run has ended without a word, perhaps killed; the run goes on from its "
                    "last saved state with --resume, or by itself under torchrun --max-restarts"
                ) from error
            if workers.leads:
                workers.break_off()
            elif isinstance(error, FerrymanError):
                raise type(error)(f"process {workers.rank} (of {workers.world}, counted from 0): {error}") from error
            raise
        if lost or isinstance(error, FerrymanError | OSError | KeyboardInterrupt | typer.BadParameter):
            raise typer.Exit(FAILED) from error  # another has told
        raise
    else:
        workers.leave()
