"""A training run: prepare, train, validate, save, and go on after any interruption. Its files are in ``folder``."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path

from ferryman.checkpoint import CONFIG, WEIGHTS
from ferryman.config import Config, TrainingConfig
from ferryman.config_file import load_config
from ferryman.corpus.report import remark_on_amount
from ferryman.engines.devices import choose_device, choose_precision, keep_memory, set_threads
from ferryman.errors import CheckpointError, ConfigError
from ferryman.model.estimate import estimate
from ferryman.training.distributed import ALONE, Workers
from ferryman.training.events import Event, Notice, Stopped
from ferryman.training.metrics import MetricsFile
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater
from ferryman.wording import counted
from ferryman.workflows.building import build_loader, build_model, build_sampler
from ferryman.workflows.changes import check_changes, with_budget
from ferryman.workflows.fine_tuning import with_tokenizer_of
from ferryman.workflows.folder import CORPUS, METRICS, STATE, TENSORBOARD, RunFolder
from ferryman.workflows.keeping import Keeper
from ferryman.workflows.prepare import Prepared, open_prepared
from ferryman.workflows.restoring import prepare_for, restore_model
from ferryman.workflows.tensorboard import TensorBoard, check_tensorboard
from ferryman.workflows.validations import RunValidation, validation_of


class TrainingRun:
    """One run. Iterate over ``events()``; call ``stop`` to end it after the current step, with everything saved.

    Of several workers every one has its ``TrainingRun`` and iterates; only the leader's touches files.
    """

    def __init__(
        self,
        config: Config,
        folder: Path,
        *,
        resuming: bool = False,
        elapsed: Callable[[], float] | None = None,
        notices: Sequence[str] = (),
        workers: Workers = ALONE,
    ) -> None:
        """Set up a run in a new folder, or in one that holds no training state and no model.

        Args:
            config: the resolved configuration.
            folder: where everything goes.
            resuming: go on with the run in the folder; see ``resume``, which checks that there is one.
            elapsed: seconds since the process began, for ``training.minutes``; unset: since now.
            notices: what to tell at the start, such as how the configuration was chosen.
            workers: the processes that train together.

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
            workers.lead(self.files.check_free)
            config = workers.lead(lambda: with_tokenizer_of(config))
        start = time.monotonic()
        self.workers = workers
        self.config = config
        self.folder = folder
        self.notices = notices
        self.elapsed = elapsed or (lambda: time.monotonic() - start)
        self.device = workers.bind(choose_device(config.training.device))
        self.precision = choose_precision(config.training.precision, self.device)
        if config.training.tensorboard:
            check_tensorboard()
        self.trainer: Trainer | None = None

    @classmethod
    def resume(
        cls,
        folder: Path,
        overrides: Sequence[str] = (),
        *,
        elapsed: Callable[[], float] | None = None,
        workers: Workers = ALONE,
    ) -> "TrainingRun":
        """Set up a run to go on where its folder says it stopped; overrides may give it another budget.

        Raises:
            CheckpointError: the folder holds no run.
            ConfigError: an override would make it another run; see ``ferryman.workflows.changes``.

        """
        config = workers.lead(lambda: _config_to_resume(folder, overrides))
        return cls(config, folder, resuming=True, elapsed=elapsed, workers=workers)

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
        with self.files.locked() if self.workers.leads else nullcontext():
            yield from self._events()

    def _events(self) -> Iterator[Event]:
        threads = counted(set_threads(self.config.training.threads), "thread")
        keep_memory()
        precision = str(self.precision).removeprefix("torch.")
        yield Notice(f"device {self.device.type}, {threads}, {precision}, seed {self.config.training.seed}")
        if self.workers.world > 1:
            yield Notice(f"{self.workers.world} processes; {_step_size(self.config.training, self.workers)}")
        yield from map(Notice, self.notices)
        yield Notice("reading the corpus")
        prepared, remark = self._prepare()
        if remark:
            yield Notice(remark)
        yield from self._describe(prepared)
        validation = validation_of(prepared.valid_by_direction, self.config, prepared.tokenizers)
        going_on = self.workers.lead(lambda: self.files.has_state)
        trainer, begun = self._build(prepared, validation, going_on=going_on), -1
        if going_on:
            self.files.load_state(trainer)
            begun = trainer.progress.step
            yield Notice(f"going on after step {begun}")
            yield from restore_model(self.files, trainer, prepared.tokenizers)
            yield from _step_changes(trainer)
            reason = trainer.finished()
            if reason and trainer.progress.completed:
                reason = f"nothing to do: step {begun}, and {reason}"
                yield Stopped(begun, reason, trainer.progress.seconds, trainer.progress.best_step)
                return
            trainer.progress.completed = False
        self.trainer = trainer
        self.workers.wait_for_all()  # a saved state says that a run can be stopped; so each of them has to be able to
        if self.workers.leads:
            if going_on:
                self.files.drop_checkpoints_after(begun)
            self.files.begin(self.config, prepared.tokenizers)
        if not going_on:  # so that there is something to go on with from the first step, whatever is written next
            self.files.save_state(trainer)
        yield from self._train(trainer, Keeper(self.files, self.config, prepared.tokenizers, validation), begun)

    def _prepare(self) -> tuple[Prepared, str]:
        """Let the leader prepare the corpus and open what it made; with what is to be told of that."""
        made: list[tuple[Prepared, str]] = []

        def make() -> Path:
            made.append(prepare_for(self.files, self.config))
            self.files.keep_corpus(made[0][0])
            return made[0][0].folder

        place = self.workers.lead(make)
        return made[0] if made else (open_prepared(place, self.config, verify=False), "")

    def _train(self, trainer: Trainer, keeper: Keeper, begun: int) -> Iterator[Event]:
        keeper.saved = trainer.progress.mark
        with ExitStack() as stack:
            sinks: list[MetricsFile | TensorBoard] = []
            if self.workers.leads:
                metrics = MetricsFile(self.folder / METRICS, step=begun, validations=trainer.progress.validations)
                sinks.append(stack.enter_context(metrics))
            if self.workers.leads and self.config.training.tensorboard:
                sinks.append(stack.enter_context(TensorBoard(self.folder / TENSORBOARD, step=begun)))
            for event in trainer.events():
                for sink in sinks:
                    sink.write(event)
                for more in keeper.consume(event, trainer):
                    for sink in sinks:
                        sink.write(more)
                    yield more
                yield event

    def _describe(self, prepared: Prepared) -> Iterator[Notice]:
        before = "prepared before; " if prepared.reused else ""
        yield Notice(f"corpus: {before}{prepared.summary}; see {self.folder / CORPUS}")
        yield from map(Notice, prepared.describe(self.config.data))
        remark = remark_on_amount(len(prepared.store))
        if remark and self.config.training.start_from is None:
            yield Notice(remark)
        source, target = prepared.tokenizers.source.vocab_size, prepared.tokenizers.target.vocab_size
        asked = self.config.tokenizer.vocab_size
        if max(source, target) < asked and not self.config.training.start_from:
            sizes = f"{source}" if prepared.tokenizers.joint else f"{source} and {target}"
            yield Notice(f"the corpus supports a vocabulary of {sizes} tokens, not {asked}")
        size = estimate(self.config.model, source, target, self.config.training.batch_tokens)
        yield Notice(f"vocabulary {source}{'' if prepared.tokenizers.joint else f' and {target}'}, {size}")

    def _build(self, prepared: Prepared, validation: RunValidation, *, going_on: bool) -> Trainer:
        config = self.config
        model = build_model(prepared, config, self.workers, started=going_on)
        updater = Updater(model, config.training, self.device, self.precision, self.workers)
        sampler, loader = build_sampler(prepared, config), build_loader(prepared, config)
        return Trainer(updater, sampler, loader, config.training, validation, self.elapsed)


def _config_to_resume(folder: Path, overrides: Sequence[str]) -> Config:
    if not (folder / CONFIG).exists():
        again = "; if it was stopped before its first save, give the same command again" if folder.is_dir() else ""
        raise CheckpointError(f"{folder}: no {CONFIG} in it, so no run to go on with{again}")
    config = load_config(folder / CONFIG, with_budget(overrides))
    if RunFolder(folder).has_state:
        check_changes(load_config(folder / CONFIG), config, folder)
    elif (folder / WEIGHTS).exists():
        raise CheckpointError(
            f"{folder} holds a model but no training state, so no run to go on with; start a new one with "
            f"training.start_from={folder}"
        )
    elif not RunFolder(folder).is_begun:
        raise CheckpointError(f"{folder}: no {STATE} and no {CORPUS} of a run in it, so no run to go on with")
    return config


def _step_size(training: TrainingConfig, workers: Workers) -> str:
    batches = training.accumulate * workers.world
    return f"a step takes {batches} batches of at most {training.batch_tokens:,} tokens ({training.accumulate} each)"


def _step_changes(trainer: Trainer) -> Iterator[Notice]:
    """Say so when a run goes on in larger or smaller steps, and how it would not."""
    before, world = trainer.progress.step_batches, trainer.workers.world
    now = trainer.config.accumulate * world
    if before not in (0, now):
        same = f"training.accumulate={before // world} keeps" if before % world == 0 else "nothing keeps"
        yield Notice(f"batches a step: {now} now, {before} before; with {world} at a time, {same} them as they were")
