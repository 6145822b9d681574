"""A training run and its folder: prepare, train, save, validate, and go on after any interruption.

RUN/config.yaml, *.model, README.md    as in every model folder; written before the first step
RUN/model.safetensors                  the best weights so far
RUN/training_state.safetensors         where training is; see ``ferryman.training.resume``
RUN/checkpoints/step-*.safetensors     weights at the latest validations
RUN/metrics.jsonl                      what happened
RUN/prepared/                          tokens of the corpus
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from ferryman.checkpoint import (
    CARD,
    CONFIG,
    WEIGHTS,
    Tokenizers,
    load_weights,
    read_weights,
    save_model,
    save_weights,
    weights_of,
)
from ferryman.config import Config
from ferryman.config_file import dump_config, load_config
from ferryman.data.batch import Batch
from ferryman.data.sampler import BatchSampler
from ferryman.engines.devices import choose_device, choose_precision, set_threads
from ferryman.errors import CheckpointError, ConfigError, TrainingError
from ferryman.files import write_text
from ferryman.model.estimate import estimate
from ferryman.model.transformer import Transformer
from ferryman.training.events import Event, Notice, Stepped, Stopped, Validated
from ferryman.training.metrics import MetricsFile
from ferryman.training.resume import load_state, save_state
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater
from ferryman.workflows.average import average_weights, checkpoint_path, latest_checkpoints
from ferryman.workflows.card import model_card
from ferryman.workflows.prepare import Prepared, prepare
from ferryman.workflows.validation import Validation

STATE, METRICS = "training_state.safetensors", "metrics.jsonl"


class TrainingRun:
    """One run. Iterate over ``events()``; call ``stop`` to end it after the current step, with everything saved."""

    def __init__(self, config: Config, folder: Path, *, elapsed: Callable[[], float] | None = None) -> None:
        """Set up a run in a new folder, or in one that holds no training state.

        Args:
            config: the resolved configuration.
            folder: where everything goes.
            elapsed: seconds since the process began, for ``training.minutes``; unset: since now.

        Raises:
            ConfigError: there is no budget, or something in it cannot be had on this machine.
            TrainingError: the folder already holds a run.

        """
        if not config.training.has_budget:
            raise ConfigError("no budget: set training.minutes, training.steps or training.epochs")
        if (folder / STATE).exists():
            raise TrainingError(
                f"{folder} already holds a run; go on with --resume {folder}, choose another folder, or delete it"
            )
        self._begin(config, folder, elapsed)

    @classmethod
    def resume(
        cls, folder: Path, overrides: Sequence[str] = (), *, elapsed: Callable[[], float] | None = None
    ) -> "TrainingRun":
        """Set up a run to go on where its folder says it stopped; overrides may lengthen its budget.

        Raises:
            CheckpointError: the folder holds no run.

        """
        if not (folder / CONFIG).exists():
            raise CheckpointError(f"{folder}: no {CONFIG} in it, so no run to go on with")
        run = cls.__new__(cls)
        run._begin(load_config(folder / CONFIG, overrides), folder, elapsed)
        return run

    def _begin(self, config: Config, folder: Path, elapsed: Callable[[], float] | None) -> None:
        start = time.monotonic()
        self.config = config
        self.folder = folder
        self.elapsed = elapsed or (lambda: time.monotonic() - start)
        self.device = choose_device(config.training.device)
        self.precision = choose_precision(config.training.precision, self.device)
        self.trainer: Trainer | None = None
        self.tokenizers: Tokenizers | None = None
        self.saved = time.monotonic()

    def stop(self, reason: str) -> bool:
        """Ask training to save and end after the current step; False while there is no training to stop yet."""
        if self.trainer is None:
            return False
        self.trainer.stop(reason)
        return True

    def events(self) -> Iterator[Event]:
        """Prepare and train; the last event is ``Stopped``."""
        threads = set_threads(self.config.training.threads)
        precision = str(self.precision).removeprefix("torch.")
        yield Notice(f"device {self.device.type}, {threads} threads, {precision}, seed {self.config.training.seed}")
        yield Notice("reading the corpus")
        prepared = prepare(self.config, self.config.data.prepared or self.folder / "prepared")
        yield from self._describe(prepared)
        trainer = self._build(prepared)
        self._write_folder(prepared.tokenizers)
        if (self.folder / STATE).exists():
            load_state(self.folder / STATE, trainer)
            yield Notice(f"going on after step {trainer.progress.step}")
            if trainer.finished():
                reason = f"nothing to do: step {trainer.progress.step}, and {trainer.finished()}"
                yield Stopped(trainer.progress.step, reason, trainer.progress.seconds)
                return
        self.trainer = trainer
        with MetricsFile(self.folder / METRICS, step=trainer.progress.step) as metrics:
            for event in trainer.events():
                metrics.write(event)
                for more in self._consume(event, trainer):
                    metrics.write(more)
                    yield more
                yield event

    def _describe(self, prepared: Prepared) -> Iterator[Notice]:
        cleaning = prepared.report["cleaning"]
        reused = " (prepared before)" if prepared.reused else ""
        yield Notice(f"corpus{reused}: {json.dumps(cleaning)}; {len(prepared.valid)} validation pairs")
        source, target = prepared.tokenizers.source.vocab_size, prepared.tokenizers.target.vocab_size
        asked = self.config.tokenizer.vocab_size
        if max(source, target) < asked:
            yield Notice(f"the corpus supports a vocabulary of {source} and {target} tokens, not {asked}")
        size = estimate(self.config.model, source, target, self.config.training.batch_tokens)
        yield Notice(f"vocabulary {source}{'' if prepared.tokenizers.joint else f' and {target}'}, {size}")

    def _build(self, prepared: Prepared) -> Trainer:
        config, tokenizers = self.config, prepared.tokenizers
        torch.manual_seed(config.training.seed)
        model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model)
        if config.training.start_from:
            weights = config.training.start_from / WEIGHTS
            load_weights(model, read_weights(weights), weights)
        symbols = tokenizers.symbols(config.model.start_symbol)
        sampler = BatchSampler(
            prepared.store.lengths("source") + 1,
            prepared.store.lengths("target") + 1,
            batch_tokens=config.training.batch_tokens,
            seed=config.training.seed,
        )
        self.tokenizers = tokenizers
        return Trainer(
            Updater(model.to(self.device), config.training, self.device, self.precision),
            sampler,
            lambda indices: Batch.from_store(prepared.store, indices, symbols),
            config.training,
            Validation(prepared.valid, config, tokenizers),
            self.elapsed,
        )

    def _write_folder(self, tokenizers: Tokenizers) -> None:
        write_text(self.folder / CONFIG, dump_config(self.config))
        tokenizers.save(self.folder)
        write_text(self.folder / CARD, model_card(self.config, {}))

    def _consume(self, event: Event, trainer: Trainer) -> Iterator[Event]:
        match event:
            case Validated():
                self._keep_weights(event, trainer)
                self._save(trainer)
            case Stepped():
                every = self.config.training.save_every_steps
                late = time.monotonic() - self.saved >= self.config.training.save_every_minutes * 60
                if late or (every and event.step % every == 0):
                    self._save(trainer)
            case Stopped():
                if trainer.stop_reason is None:
                    yield from self._average(trainer)
                self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        save_state(self.folder / STATE, trainer)
        self.saved = time.monotonic()

    def _keep_weights(self, event: Validated, trainer: Trainer) -> None:
        weights = weights_of(trainer.model)
        if self.config.training.keep_checkpoints:
            save_weights(checkpoint_path(self.folder, event.step), weights)
            for old in latest_checkpoints(self.folder)[: -self.config.training.keep_checkpoints]:
                old.unlink()
        if event.best:
            self._save_best(weights, event.figures)

    def _save_best(self, weights: dict[str, torch.Tensor], figures: dict[str, float]) -> None:
        if self.tokenizers is None:
            raise RuntimeError("weights can be saved only after preparation")
        save_model(self.folder, weights, self.config, self.tokenizers, model_card(self.config, figures))

    def _average(self, trainer: Trainer) -> Iterator[Event]:
        """Average the latest checkpoints and keep the result if it validates better than the best one."""
        paths = latest_checkpoints(self.folder)[-self.config.training.average_last :]
        if self.config.training.average_last < 2 or len(paths) < 2:
            return
        last = weights_of(trainer.model)
        weights = average_weights(paths)
        load_weights(trainer.model, weights, self.folder)
        event = trainer.compare()
        load_weights(trainer.model, last, self.folder)
        if event.best:
            self._save_best(weights, event.figures)
        yield Notice(f"average of the last {len(paths)} checkpoints: {'kept' if event.best else 'not better'}")
        yield event
