"""What a run that goes on has lost since: its best model, or the files of its corpus; and how it goes on without."""

import math
from collections.abc import Iterator
from pathlib import Path

from ferryman.checkpoint import WEIGHTS, Tokenizers, check_weights, read_weights
from ferryman.config import Config
from ferryman.errors import CheckpointError, DataError
from ferryman.training.events import Notice
from ferryman.training.trainer import Trainer
from ferryman.workflows.average import checkpoint_path
from ferryman.workflows.folder import RunFolder
from ferryman.workflows.prepare import REPORT, Prepared, open_prepared, prepare


def prepare_for(files: RunFolder, config: Config) -> tuple[Prepared, str]:
    """Prepare a run's corpus or find it prepared; once prepared, its files are not needed any more.

    Returns:
        What was prepared, and a remark if the corpus itself could not be read.

    Raises:
        DataError: nor is there what was prepared of it.
        TrainingError: the corpus is another one than before.
    """
    place = config.data.prepared or files.path / "prepared"
    try:
        return prepare(files.with_own_tokenizer(config), place, check=files.check_corpus), ""
    except DataError as error:
        before = files.fingerprint() if files.has_state else None
        if before is None:
            raise
        if not (place / before / REPORT).exists():
            raise DataError(f"{error}; where the corpus is now, say with data.directory=FOLDER") from error
        return open_prepared(place / before, config), f"{error}; going on with what was prepared of the corpus"


def restore_model(files: RunFolder, trainer: Trainer, tokenizers: Tokenizers) -> Iterator[Notice]:
    """Put the best model so far back if it is missing or damaged; all workers do this together.

    Without its checkpoint the best one is chosen anew, from the next validation on, or is the latest if none comes.
    """
    progress = trainer.progress
    if progress.best_score is None:
        return  # there was no model yet
    problem, is_back = trainer.workers.lead(lambda: _restored(files, trainer, tokenizers))
    if not problem:
        return
    kept = f"the weights of step {progress.best_step}"
    if is_back:
        yield Notice(f"{problem}; put back: {kept}, from the checkpoints")
        return
    progress.best_score, progress.best_loss, progress.best_step = None, math.inf, 0
    progress.without_improvement, progress.completed = 0, False
    yield Notice(f"{problem}, and {kept} are not among the checkpoints; the best model is chosen anew from here on")


def _restored(files: RunFolder, trainer: Trainer, tokenizers: Tokenizers) -> tuple[str, bool]:
    """Say what is wrong with the best model's file, nothing if all is well, and whether it could be put back."""
    path = files.path / WEIGHTS
    if _is_sound(path, trainer):
        return "", True
    checkpoint = checkpoint_path(files.path, trainer.progress.best_step)
    is_kept = _is_sound(checkpoint, trainer)
    problem = f"{path} is {'damaged' if path.exists() else 'missing'}"
    if is_kept:
        files.put_back(read_weights(checkpoint), tokenizers)
    return problem, is_kept


def _is_sound(path: Path, trainer: Trainer) -> bool:
    try:
        check_weights(trainer.model, read_weights(path), path)
    except CheckpointError:
        return False
    return True
