"""The training loop (§5): batch -> update -> events. It saves nothing and prints nothing; whoever iterates does.

The three things that a run depends on besides its weights are one value, ``Progress``, so a run can be stopped between
any two steps and go on as if it had not been.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from itertools import islice

from jaxtyping import Int
from numpy import ndarray

from ferryman.config import TrainingConfig
from ferryman.data.batch import Batch
from ferryman.data.sampler import BatchSampler, Position
from ferryman.model.transformer import Transformer
from ferryman.training.events import Event, Logged, Stepped, Stopped, Validated
from ferryman.training.schedule import learning_rate
from ferryman.training.update import Update, Updater

Validate = Callable[[Transformer], dict[str, float]]


@dataclass
class Window:
    """Sums over the steps since the last ``Logged``."""

    loss: float = 0.0
    nll: float = 0.0
    target_tokens: int = 0
    seconds: float = 0.0


@dataclass
class Progress:
    """Where a run is. Everything here is saved with the weights."""

    step: int = 0
    position: Position = field(default_factory=Position)
    seconds: float = 0.0  # used by the whole run, from the first process's start
    validation_seconds: float = 0.0  # of the longest validation so far
    validations: int = 0
    validated_step: int = -1
    best_score: float | None = None
    best_loss: float = math.inf  # decides between equal scores
    best_step: int = 0
    without_improvement: int = 0  # validations in a row
    skipped_steps: int = 0
    skipped_in_a_row: int = 0
    splits: int = 0
    window: Window = field(default_factory=Window)


class Trainer:
    """Runs the loop; ``progress`` can be saved and put back at any time between two events."""

    def __init__(
        self,
        updater: Updater,
        sampler: BatchSampler,
        load_batch: Callable[[Int[ndarray, "rows"]], Batch],
        config: TrainingConfig,
        validate: Validate,
        elapsed: Callable[[], float],
    ) -> None:
        """Set up.

        Args:
            updater: owns the model and the optimiser.
            sampler: says which pairs come next.
            load_batch: makes a batch of pairs' indices.
            config: budget, schedule, validation.
            validate: returns figures such as loss and bleu of a model.
            elapsed: tells the seconds since this process began.

        """
        self.updater = updater
        self.sampler = sampler
        self.load_batch = load_batch
        self.config = config
        self.validate = validate
        self.elapsed = elapsed
        self.progress = Progress()
        self.stop_reason: str | None = None

    @property
    def model(self) -> Transformer:
        """The model in training."""
        return self.updater.model

    def stop(self, reason: str) -> None:
        """Ask the loop to end after the current step, without a last validation."""
        self.stop_reason = self.stop_reason or reason

    def events(self) -> Iterator[Event]:
        """Train until the budget, patience or a request ends it; the last event is ``Stopped``."""
        before = self.progress.seconds
        now = self._clock(before)
        if self.config.validate_at_start and self.progress.step == 0 and self.progress.validated_step < 0:
            yield self._validated(now)
        reason = self.finished()
        batches = self.sampler.batches(self.progress.position)
        last_log = now()
        while reason is None:
            drawn = list(islice(batches, self.config.accumulate))
            result = self._step([self.load_batch(indices) for indices, _ in drawn], drawn[-1][1])
            self.progress.window.seconds += now() - last_log
            last_log = now()
            self.progress.seconds = last_log
            reason = self.finished()
            if self.progress.step % self.config.log_every_steps == 0:
                yield self._logged(result)
            if reason is None and self.stop_reason is None and self._validation_due():
                yield self._validated(now)
                last_log = now()
                reason = self.finished()
            yield Stepped(self.progress.step, result.splits, result.bad_tensor)
            reason = self.stop_reason or reason
        if self.stop_reason is None and self.progress.validated_step != self.progress.step:
            yield self._validated(now)
        self.progress.seconds = now()
        yield Stopped(self.progress.step, reason, self.progress.seconds)

    def share_used(self) -> float:
        """Tell which share of the budget is used, 0 to 1; of several budgets the one used up most."""
        config, progress = self.config, self.progress
        shares = [0.0]
        if config.steps:
            shares.append(progress.step / config.steps)
        if config.epochs:
            shares.append(self.sampler.epochs(progress.position) / config.epochs)
        if config.minutes:
            # The last validation belongs to the budget too.
            shares.append(progress.seconds / max(1.0, config.minutes * 60 - self.progress.validation_seconds))
        return min(1.0, max(shares))

    def compare(self) -> Validated:
        """Validate the model as it is now, whatever was put into it, against the best so far."""
        return self._validated(self._clock(self.progress.seconds - self.elapsed()))

    def _clock(self, before: float) -> Callable[[], float]:
        return lambda: before + self.elapsed()

    def _step(self, batches: list[Batch], after: Position) -> Update:
        progress = self.progress
        rate = learning_rate(self.config, self.model.config.d_model, progress.step + 1, self.share_used())
        result = self.updater.update(batches, rate)
        progress.step += 1
        progress.position = after
        progress.splits += result.splits
        if result.skipped:
            progress.skipped_steps += 1
            progress.skipped_in_a_row += 1
        else:
            progress.skipped_in_a_row = 0
            progress.window.loss += result.loss
            progress.window.nll += result.nll
            progress.window.target_tokens += result.target_tokens
        if progress.skipped_in_a_row >= self.config.max_skipped_steps:
            self.stop(
                f"{progress.skipped_in_a_row} steps in a row had gradients that are not finite, "
                f"the last one first in {result.bad_tensor}; lower training.learning_rate"
            )
        return result

    def finished(self) -> str | None:
        """Say why the run is at its end, or None while it is not."""
        config, progress = self.config, self.progress
        if config.steps and progress.step >= config.steps:
            return f"all {config.steps} steps are done"
        if config.epochs and self.sampler.epochs(progress.position) >= config.epochs:
            return f"all {config.epochs:g} epochs are done"
        if config.minutes and progress.seconds >= config.minutes * 60 - self.progress.validation_seconds:
            return f"{config.minutes:g} minutes are used"
        if config.patience and progress.without_improvement >= config.patience:
            return f"no improvement in {progress.without_improvement} validations"
        rate = learning_rate(config, self.model.config.d_model, max(1, progress.step), self.share_used())
        if progress.step > config.warmup_steps and rate < config.stop_learning_rate:
            return f"the learning rate {rate:.2e} is below training.stop_learning_rate"
        return None

    def _logged(self, result: Update) -> Logged:
        progress, window = self.progress, self.progress.window
        tokens = window.target_tokens or math.nan  # every step was skipped: there is no loss to tell
        logged = Logged(
            step=progress.step,
            epoch=self.sampler.epochs(progress.position),
            progress=self.share_used(),
            loss=window.loss / tokens,
            nll=window.nll / tokens,
            learning_rate=self.updater.optimizer.param_groups[0]["lr"],
            gradient_norm=result.gradient_norm,
            tokens_per_second=window.target_tokens / max(window.seconds, 1e-9),
            seconds=progress.seconds,
            skipped_steps=progress.skipped_steps,
            splits=progress.splits,
        )
        progress.window = Window()
        return logged

    def _validation_due(self) -> bool:
        if self.config.validate_every_steps:
            return self.progress.step % self.config.validate_every_steps == 0
        return self._validations_due() > self.progress.validations

    def _validations_due(self) -> int:
        return int(self.share_used() * self.config.validations + 1e-9)  # 0.29 * 100 is 28.999…

    def _validated(self, now: Callable[[], float]) -> Validated:
        began, progress = now(), self.progress
        figures = self.validate(self.model)
        progress.seconds = now()
        self.progress.validation_seconds = max(self.progress.validation_seconds, progress.seconds - began)
        progress.validated_step = progress.step
        if progress.step:
            progress.validations = max(progress.validations + 1, self._validations_due())
        score = self._score(figures)
        loss = figures.get("loss", math.inf)
        best = progress.best_score is None or (score, -loss) > (progress.best_score, -progress.best_loss)
        if best:
            progress.best_score, progress.best_loss, progress.best_step = score, loss, progress.step
            progress.without_improvement = 0
        else:
            progress.without_improvement += 1
        return Validated(progress.step, progress.seconds, figures, best)

    def _score(self, figures: dict[str, float]) -> float:
        metric = self.config.best_metric
        if "loss" not in figures:
            return float(self.progress.step)  # nothing to validate on: the latest is the best
        score = figures[metric] if metric in figures and metric != "loss" else -figures["loss"]
        return -math.inf if math.isnan(score) else score  # nothing is better than what is not a number


def progress_to_json(progress: Progress) -> dict[str, object]:
    """Turn progress into JSON values; floats survive exactly."""
    return {
        item.name: vars(value) if hasattr(value := getattr(progress, item.name), "__dict__") else value
        for item in fields(progress)
    }


def progress_from_json(values: dict[str, object]) -> Progress:
    """Do the reverse of ``progress_to_json``."""
    known = dict(values)
    position, window = known.pop("position"), known.pop("window")
    return Progress(**known, position=Position(**position), window=Window(**window))  # type: ignore[arg-type]
