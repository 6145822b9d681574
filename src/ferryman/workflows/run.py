"""A training run: prepare, train, validate, save, and go on after any interruption. Its files are in ``folder``."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import torch

from ferryman.checkpoint import CONFIG, WEIGHTS, Tokenizers, load_weights, read_weights, weights_of
from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.data.batch import Batch
from ferryman.data.sampler import BatchSampler
from ferryman.engines.devices import choose_device, choose_precision, set_threads
from ferryman.errors import CheckpointError, ConfigError
from ferryman.model.estimate import estimate
from ferryman.model.transformer import Transformer
from ferryman.training.events import Event, Notice, Stepped, Stopped, Validated
from ferryman.training.metrics import MetricsFile
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater
from ferryman.wording import counted
from ferryman.workflows.average import average_weights, latest_checkpoints
from ferryman.workflows.card import model_card
from ferryman.workflows.changes import check_changes, with_budget
from ferryman.workflows.fine_tuning import with_tokenizer_of
from ferryman.workflows.folder import CORPUS, METRICS, TENSORBOARD, RunFolder
from ferryman.workflows.prepare import Prepared, prepare
from ferryman.workflows.tensorboard import TensorBoard, check_tensorboard
from ferryman.workflows.validation import Validation


class TrainingRun:
    """One run. Iterate over ``events()``; call ``stop`` to end it after the current step, with everything saved."""

    tokenizers: Tokenizers  # these two from the corpus on
    validation: Validation

    def __init__(
        self, config: Config, folder: Path, *, resuming: bool = False, elapsed: Callable[[], float] | None = None
    ) -> None:
        """Set up a run in a new folder, or in one that holds no training state and no model.

        Args:
            config: the resolved configuration.
            folder: where everything goes.
            resuming: go on with the run in the folder; see ``resume``, which checks that there is one.
            elapsed: seconds since the process began, for ``training.minutes``; unset: since now.

        Raises:
            ConfigError: there is no budget, or something in it cannot be had on this machine.
            CheckpointError: ``training.start_from`` is no model.
            TrainingError: the folder already holds a run or a model.

        """
        if not config.training.has_budget:
            raise ConfigError("no budget: set training.minutes, training.steps or training.epochs")
        if config.model.positions == "learned" and config.data.max_tokens + 1 > config.model.max_positions:
            raise ConfigError(
                f"model.max_positions: {config.model.max_positions} learned positions do not hold data.max_tokens "
                f"{config.data.max_tokens} and the end symbol; raise the one or lower the other"
            )
        self.files = RunFolder(folder)
        if not resuming:
            self.files.check_free()
            config = with_tokenizer_of(config)
        start = time.monotonic()
        self.config = config
        self.folder = folder
        self.elapsed = elapsed or (lambda: time.monotonic() - start)
        self.device = choose_device(config.training.device)
        self.precision = choose_precision(config.training.precision, self.device)
        if config.training.tensorboard:
            check_tensorboard()
        self.trainer: Trainer | None = None
        self.saved = time.monotonic()

    @classmethod
    def resume(
        cls, folder: Path, overrides: Sequence[str] = (), *, elapsed: Callable[[], float] | None = None
    ) -> "TrainingRun":
        """Set up a run to go on where its folder says it stopped; overrides may give it another budget.

        Raises:
            CheckpointError: the folder holds no run.
            ConfigError: an override would make it another run; see ``ferryman.workflows.changes``.

        """
        if not (folder / CONFIG).exists():
            raise CheckpointError(f"{folder}: no {CONFIG} in it, so no run to go on with")
        config = load_config(folder / CONFIG, with_budget(overrides))
        files = RunFolder(folder)
        if files.has_state:
            check_changes(load_config(folder / CONFIG), config, folder)
        elif (folder / WEIGHTS).exists():
            raise CheckpointError(
                f"{folder} holds a model but no training state, so no run to go on with; start a new one with "
                f"training.start_from={folder}"
            )
        return cls(config, folder, resuming=True, elapsed=elapsed)

    def stop(self, reason: str) -> bool:
        """Ask training to save and end after the current step; False while there is no training to stop yet."""
        if self.trainer is None:
            return False
        self.trainer.stop(reason)
        return True

    def events(self) -> Iterator[Event]:
        """Prepare and train; the last event is ``Stopped``.

        Raises:
            TrainingError: another process is training in this folder, or its corpus has changed.
            DataError: the corpus cannot be read.

        """
        with self.files.locked():
            yield from self._events()

    def _events(self) -> Iterator[Event]:
        threads = counted(set_threads(self.config.training.threads), "thread")
        precision = str(self.precision).removeprefix("torch.")
        yield Notice(f"device {self.device.type}, {threads}, {precision}, seed {self.config.training.seed}")
        yield Notice("reading the corpus")
        prepared = prepare(
            self.files.with_own_tokenizer(self.config),
            self.config.data.prepared or self.folder / "prepared",
            check=self.files.check_corpus,
        )
        self.files.keep_corpus(prepared)
        yield from self._describe(prepared)
        self.tokenizers = prepared.tokenizers
        self.validation = Validation(prepared.valid, self.config, prepared.tokenizers)
        trainer, begun = self._build(prepared), -1
        if self.files.has_state:
            self.files.load_state(trainer)
            begun = trainer.progress.step
            yield Notice(f"going on after step {begun}")
            reason = trainer.finished()
            if reason and trainer.progress.completed:
                reason = f"nothing to do: step {begun}, and {reason}"
                yield Stopped(begun, reason, trainer.progress.seconds, trainer.progress.best_step)
                return
            trainer.progress.completed = False
            self.files.drop_checkpoints_after(begun)
        self.files.begin(self.config, prepared.tokenizers)
        self.trainer = trainer
        yield from self._train(trainer, begun)

    def _train(self, trainer: Trainer, begun: int) -> Iterator[Event]:
        with ExitStack() as stack:
            metrics = MetricsFile(self.folder / METRICS, step=begun, validations=trainer.progress.validations)
            sinks: list[MetricsFile | TensorBoard] = [stack.enter_context(metrics)]
            if self.config.training.tensorboard:
                sinks.append(stack.enter_context(TensorBoard(self.folder / TENSORBOARD, step=begun)))
            for event in trainer.events():
                for sink in sinks:
                    sink.write(event)
                for more in self._consume(event, trainer):
                    for sink in sinks:
                        sink.write(more)
                    yield more
                yield event

    def _describe(self, prepared: Prepared) -> Iterator[Notice]:
        before = "prepared before; " if prepared.reused else ""
        yield Notice(f"corpus: {before}{prepared.summary}; see {self.folder / CORPUS}")
        source, target = prepared.tokenizers.source.vocab_size, prepared.tokenizers.target.vocab_size
        asked = self.config.tokenizer.vocab_size
        if max(source, target) < asked and not self.config.training.start_from:
            sizes = f"{source}" if prepared.tokenizers.joint else f"{source} and {target}"
            yield Notice(f"the corpus supports a vocabulary of {sizes} tokens, not {asked}")
        size = estimate(self.config.model, source, target, self.config.training.batch_tokens)
        yield Notice(f"vocabulary {source}{'' if prepared.tokenizers.joint else f' and {target}'}, {size}")

    def _build(self, prepared: Prepared) -> Trainer:
        config, tokenizers = self.config, prepared.tokenizers
        torch.manual_seed(config.training.seed)
        model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model)
        if config.training.start_from and not self.files.has_state:
            weights = config.training.start_from / WEIGHTS
            load_weights(model, read_weights(weights), weights)
        symbols = tokenizers.symbols(config.model.start_symbol)
        sampler = BatchSampler(
            prepared.store.lengths("source") + 1,
            prepared.store.lengths("target") + 1,
            batch_tokens=config.training.batch_tokens,
            seed=config.training.seed,
        )
        return Trainer(
            Updater(model.to(self.device), config.training, self.device, self.precision),
            sampler,
            lambda indices: Batch.from_store(prepared.store, indices, symbols),
            config.training,
            self.validation,
            self.elapsed,
        )

    def _consume(self, event: Event, trainer: Trainer) -> Iterator[Event]:
        match event:
            case Validated():
                if self.validation.signatures and trainer.progress.validations <= 1:
                    yield Notice(f"{self.validation.about}: {'; '.join(self.validation.signatures.values())}")
                weights = weights_of(trainer.model)
                self.files.keep_checkpoint(event.step, weights, self.config.training.keep_checkpoints)
                if event.best:
                    self._save_model(weights, event.figures)
                self._save(trainer)
            case Stepped():
                every = self.config.training.save_every_steps
                late = time.monotonic() - self.saved >= self.config.training.save_every_minutes * 60
                if late or (every and event.step % every == 0):
                    self._save(trainer)
            case Stopped():
                if trainer.progress.best_score is None:
                    self._save_model(weights_of(trainer.model), {})
                if trainer.stop_reason is None and event.step < self.config.training.warmup_steps:
                    yield Notice(
                        f"the budget ended inside the warm-up of {self.config.training.warmup_steps} steps: train "
                        "longer, or lower training.warmup_steps"
                    )
                if trainer.stop_reason is None:
                    yield from self._average(trainer)
                    trainer.progress.completed = trainer.stop_reason is None
                self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        self.files.save_state(trainer)
        self.saved = time.monotonic()

    def _save_model(self, weights: dict[str, torch.Tensor], figures: dict[str, float]) -> None:
        card = model_card(self.config, figures, self.validation.signatures.get("bleu", ""))
        self.files.save_model(weights, self.config, self.tokenizers, card)

    def _average(self, trainer: Trainer) -> Iterator[Event]:
        """Average the latest checkpoints and keep the result if it validates better than the best one."""
        paths = latest_checkpoints(self.folder)[-self.config.training.average_last :]
        if self.config.training.average_last < 2 or len(paths) < 2:
            return
        # On the CPU these are the model's own tensors, so copy them before others are put in.
        last = {name: weight.clone() for name, weight in weights_of(trainer.model).items()}
        weights = average_weights(paths)
        load_weights(trainer.model, weights, self.folder)
        event = trainer.compare()
        load_weights(trainer.model, last, self.folder)
        if event.best:
            self._save_model(weights, event.figures)
        yield Notice(f"average of the last {len(paths)} checkpoints: {'kept' if event.best else 'not better'}")
        yield event
