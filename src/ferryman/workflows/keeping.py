"""What is kept of a run while it trains, and when: checkpoints, the best model, the training state.

Of weights that have led training astray nothing is kept (``Trainer.is_sound``): what was saved before them is what the
run can go on with.
"""

import math
from collections.abc import Iterator

import torch

from ferryman.checkpoint import Tokenizers, load_weights, weights_of
from ferryman.config import Config
from ferryman.training.events import Event, Notice, Stepped, Stopped, Validated
from ferryman.training.progress import Mark
from ferryman.training.trainer import Trainer
from ferryman.workflows.average import average_weights, latest_checkpoints
from ferryman.workflows.card import model_card
from ferryman.workflows.folder import RunFolder
from ferryman.workflows.validations import RunValidation

DIVERGED = 1.0  # nats a token above guessing; a model that has just begun may have half of that


class Keeper:
    """Consumes a trainer's events. Every worker has one, for a model in parts is put together by all; one writes."""

    def __init__(self, files: RunFolder, config: Config, tokenizers: Tokenizers, validation: RunValidation) -> None:
        self.files = files
        self.config = config
        self.tokenizers = tokenizers
        self.validation = validation
        self.saved = Mark()  # where the training state on disk is; the same for all workers
        self.loss: float | None = None  # of the latest validation

    def consume(self, event: Event, trainer: Trainer) -> Iterator[Event]:
        """Keep what an event gives reason to; yield further events."""
        match event:
            case Validated():
                if self.validation.signatures and trainer.progress.validations <= 1:
                    yield Notice(f"{self.validation.about}: {'; '.join(self.validation.signatures.values())}")
                self.loss = event.figures.get("loss")
                if trainer.is_sound or event.best:
                    self._keep(event, trainer)
                self._save(trainer)
            case Stepped():
                every = self.config.training.save_every_steps
                late = trainer.progress.seconds - self.saved.seconds >= self.config.training.save_every_minutes * 60
                if late or (every and event.step % every == 0):
                    self._save(trainer)
            case Stopped():
                yield from self._stopped(event, trainer)

    def _keep(self, event: Validated, trainer: Trainer) -> None:
        weights = trainer.updater.weights()
        if trainer.workers.leads:
            self.files.keep_checkpoint(event.step, weights, self.config.training.keep_checkpoints)
            if event.best:
                self._save_model(weights, event.figures)

    def _stopped(self, event: Stopped, trainer: Trainer) -> Iterator[Event]:
        if trainer.progress.best_score is None and trainer.is_sound:
            weights = trainer.updater.weights()
            if trainer.workers.leads:
                self._save_model(weights, {})
        if trainer.stop_reason is None and event.step < self.config.training.warmup_steps:
            yield Notice(
                f"the budget ended inside the warm-up of {self.config.training.warmup_steps} steps: train "
                "longer, or lower training.warmup_steps"
            )
        if trainer.stop_reason is None:
            yield from self._divergence()
            yield from self._average(trainer)
            trainer.progress.completed = trainer.stop_reason is None
        self._save(trainer)
        if not trainer.is_sound:
            yield Notice(f"the training state is kept as it was after step {self.saved.step}, before the trouble")

    def _save(self, trainer: Trainer) -> None:
        if trainer.is_sound:
            self.files.save_state(trainer)
            self.saved = trainer.progress.mark

    def _divergence(self) -> Iterator[Event]:
        """Say so when the model at the end is worse than one that guesses."""
        tokens = self.tokenizers.target.vocab_size
        chance = math.log(tokens)
        if self.loss is not None and not self.loss <= chance + DIVERGED:
            yield Notice(
                f"training has diverged: at the end the loss is {self.loss:.4g}, and guessing among {tokens:,} tokens "
                f"has {chance:.4g}; lower training.learning_rate"
            )

    def _save_model(self, weights: dict[str, torch.Tensor], figures: dict[str, float]) -> None:
        card = model_card(self.config, figures, self.validation.signatures.get("bleu", ""))
        self.files.save_model(weights, self.config, self.tokenizers, card)

    def _average(self, trainer: Trainer) -> Iterator[Event]:
        """Average the latest checkpoints and keep the result if it validates better than the best one."""
        count = self.config.training.average_last
        paths = trainer.workers.lead(lambda: latest_checkpoints(self.files.path)[-count:])
        if count < 2 or len(paths) < 2:
            return
        model = trainer.updater.whole_model()
        if not trainer.workers.leads:
            yield trainer.compare(model)
            return
        # On the CPU these are the model's own tensors, so copy them before others are put in.
        last = {name: weight.clone() for name, weight in weights_of(model).items()}
        weights = average_weights(paths)
        load_weights(model, weights, self.files.path)
        event = trainer.compare(model)
        load_weights(model, last, self.files.path)
        if event.best:
            self._save_model(weights, event.figures)
        yield Notice(f"average of the last {len(paths)} checkpoints: {'kept' if event.best else 'not better'}")
        yield event
