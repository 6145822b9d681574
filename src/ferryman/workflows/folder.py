"""The folder of a training run, written so that it can be read, and gone on with, at any moment.

RUN/config.yaml, *.model, README.md    as in every model folder; written before the first step
RUN/model.safetensors                  the best weights so far; the latest ones if stopped before any validation
RUN/training_state.safetensors         where training is; see ``ferryman.training.resume``
RUN/checkpoints/step-*.safetensors     weights at the latest validations
RUN/metrics.jsonl                      what happened
RUN/corpus.json                        what was read, kept and dropped of the corpus, and its fingerprint
RUN/prepared/                          tokens of the corpus
RUN/tensorboard/                       with training.tensorboard, the curves of metrics.jsonl
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from torch import Tensor

from ferryman.checkpoint import CARD, CONFIG, WEIGHTS, Tokenizers, save_model, save_weights
from ferryman.config import Config
from ferryman.config_file import dump_config
from ferryman.errors import TrainingError
from ferryman.files import locking, write_text
from ferryman.training.resume import load_state, save_state
from ferryman.training.trainer import Trainer
from ferryman.workflows.average import checkpoint_path, latest_checkpoints
from ferryman.workflows.card import model_card
from ferryman.workflows.places import MODEL_FILES, standing
from ferryman.workflows.prepare import Prepared

LOCK = ".lock"
STATE, METRICS, CORPUS, TENSORBOARD = "training_state.safetensors", "metrics.jsonl", "corpus.json", "tensorboard"


class RunFolder:
    """Reads and writes one run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def has_state(self) -> bool:
        """Whether there is something to go on with."""
        return (self.path / STATE).exists()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training in this folder; a lock ends with its process, however that ends.

        Raises:
            TrainingError: another process has it.
        """
        new = not self.path.exists()
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with locking(self.path / LOCK) as locked:
                if not locked:
                    raise TrainingError(f"{self.path}: another process is training in this folder")
                yield
        finally:
            if new and not any(self.path.iterdir()):
                self.path.rmdir()  # nothing came of it

    @property
    def is_begun(self) -> bool:
        """Whether a run has begun to write here: its first file of its own, ``corpus.json``, is there."""
        try:
            return self.fingerprint() is not None
        except TrainingError:
            return False  # somebody else's

    def check_free(self) -> None:
        """Refuse a folder in which a new run would write over a run, a model or files that are not a run's.

        Raises:
            TrainingError: says what is in it.
        """
        if self.path.exists() and not self.path.is_dir():
            raise TrainingError(f"{self.path} is a file, and a run needs a folder; choose another with -o")
        if self.has_state:
            raise TrainingError(
                f"{self.path} already holds a run; go on with --resume {self.path}, choose another folder, or delete it"
            )
        if (self.path / WEIGHTS).exists():
            raise TrainingError(
                f"{self.path} already holds a model; choose another folder (and training.start_from={self.path} to "
                "begin with its weights), or delete it"
            )
        taken = standing(self.path, (*MODEL_FILES, METRICS, CORPUS))
        taken += ["checkpoints"] if latest_checkpoints(self.path) else []
        if taken and not self.is_begun:
            raise TrainingError(
                f"{self.path} holds {' and '.join(taken)}, which a run would replace; choose another folder with -o"
            )

    def with_own_tokenizer(self, config: Config) -> Config:
        """Let a run that goes on read the tokenizer it started from in its own folder: that model may be gone."""
        if not self.has_state or config.training.start_from is None:
            return config
        training = config.training.model_copy(update={"start_from": self.path})
        return config.model_copy(update={"training": training})

    def fingerprint(self) -> str | None:
        """Read which corpus this run is trained on; None if there is no file that says so.

        Raises:
            TrainingError: the file is damaged.
        """
        path = self.path / CORPUS
        if not path.is_file():
            return None
        try:
            return str(json.loads(path.read_text(encoding="utf-8"))["fingerprint"])
        except (ValueError, LookupError, TypeError) as error:
            raise TrainingError(
                f"{path}: damaged ({error}), so it does not tell which corpus the run began with; put it back, or "
                "delete it if you know that the corpus is the same"
            ) from error

    def check_corpus(self, fingerprint: str) -> None:
        """Check that a run that goes on still has the corpus that it began with.

        Raises:
            TrainingError: it has not.
        """
        before = self.fingerprint() if self.has_state else None
        if before not in (None, fingerprint):
            raise TrainingError(
                f"{self.path}: the corpus files have changed since this run began, or a setting of how they are "
                f"read (fingerprint {before}, now {fingerprint}); put them back, or start a new run with "
                f"training.start_from={self.path}"
            )

    def keep_corpus(self, prepared: Prepared) -> None:
        """Write down the corpus that a run is trained on, once."""
        path = self.path / CORPUS
        if not (self.has_state and path.exists()):
            content = {"fingerprint": prepared.folder.name, **prepared.report}
            write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def begin(self, config: Config, tokenizers: Tokenizers) -> None:
        """Make it a model folder but for the weights; remove what a killed process left unfinished."""
        for folder in (self.path, self.path / "checkpoints"):
            for unfinished in folder.glob(".*.unfinished"):
                unfinished.unlink()
        write_text(self.path / CONFIG, dump_config(config))
        tokenizers.save(self.path)
        if not (self.path / CARD).exists():
            write_text(self.path / CARD, model_card(config, {}))

    def load_state(self, trainer: Trainer) -> None:
        """Put a trainer where the run was saved; all its workers do this together."""
        load_state(self.path / STATE, trainer)

    def save_state(self, trainer: Trainer) -> None:
        """Save where the run is; all its workers do this together, and the leader writes."""
        save_state(self.path / STATE, trainer)

    def keep_checkpoint(self, step: int, weights: Mapping[str, Tensor], count: int) -> None:
        """Keep a validation's weights, and of the earlier ones so many that there are ``count``."""
        if count:
            save_weights(checkpoint_path(self.path, step), weights)
            for old in latest_checkpoints(self.path)[:-count]:
                old.unlink()

    def drop_checkpoints_after(self, step: int) -> None:
        """Remove the weights of validations that a killed process made after its last save: they will be made anew."""
        for path in latest_checkpoints(self.path):
            if path > checkpoint_path(self.path, step):
                path.unlink()

    def put_back(self, weights: Mapping[str, Tensor], tokenizers: Tokenizers) -> None:
        """Make these weights the folder's model again; all that is said about them is there."""
        tokenizers.save(self.path)
        save_weights(self.path / WEIGHTS, weights, {"tokenizers": tokenizers.fingerprint})

    def save_model(self, weights: Mapping[str, Tensor], config: Config, tokenizers: Tokenizers, card: str) -> None:
        """Make these weights the folder's model."""
        save_model(self.path, weights, config, tokenizers, card)
