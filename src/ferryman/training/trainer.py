"""The training loop (§5): batch -> update -> events. It saves nothing and prints nothing; whoever iterates does.

The three things that a run depends on besides its weights are one value, ``Progress``, so a run can be stopped between
any two steps and go on as if it had not been.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from ferryman.config import TrainingConfig
from ferryman.data.sampler import BatchSampler
from ferryman.model.transformer import Transformer
from ferryman.training.events import Event, Logged, Stepped, Stopped, Validated
from ferryman.training.feed import Feed, LoadBatch, Portion
from ferryman.training.progress import Mark, Progress, Window
from ferryman.training.schedule import learning_rate
from ferryman.training.update import Update, Updater
from ferryman.wording import all_of, counted

UNMEASURED_SHARE = 0.05  # of a time budget, set aside for the last validation before one was timed
TRAINING_PER_VALIDATION = 9  # in a time budget, validation takes a tenth of the time at most
LOWEST_SCORE = 1.0  # BLEU and chrF below this are chance: then the loss decides
LOST = 10.0  # nats a token; a validation loss so much above the best one is of weights that lead nowhere

Validate = Callable[[Transformer], dict[str, float]]


class Trainer:
    """Runs the loop; ``progress`` can be saved and put back at any time between two events."""

    def __init__(
        self,
        updater: Updater,
        sampler: BatchSampler,
        load_batch: LoadBatch,
        config: TrainingConfig,
        validate: Validate,
        elapsed: Callable[[], float],
    ) -> None:
        """Set up.

        Args:
            updater: owns the model and the optimiser.
            sampler: says which pairs come next.
            load_batch: makes a batch of pairs' indices; see ``feed``.
            config: budget, schedule, validation.
            validate: returns figures such as loss and bleu of a model; only the leader is asked.
            elapsed: tells the seconds since this process began; only the leader's counts.

        """
        self.updater = updater
        self.workers = updater.workers
        self.sampler = sampler
        self.load_batch = load_batch
        self.config = config
        self.validate = validate
        self.elapsed = elapsed
        self.progress = Progress()
        self.stop_reason: str | None = None
        self.asked: str | None = None  # to stop, for a reason that the other workers do not know yet
        self.lost = False  # the latest validation's loss was out of all bounds, and no step was taken since

    @property
    def model(self) -> Transformer:
        """The model in training."""
        return self.updater.model

    @property
    def is_sound(self) -> bool:
        """Whether something can come of these weights; gradients or a validation may have shown that nothing can."""
        return not (self.progress.skipped_in_a_row or self.lost)

    def stop(self, reason: str) -> None:
        """Ask the loop to end after the current step, without a last validation; for all workers, any one will do."""
        if self.workers.world == 1:
            self.stop_reason = self.stop_reason or reason
        else:
            self.asked = self.asked or reason

    def events(self) -> Iterator[Event]:
        """Train until the budget, patience or a request ends it; the last event is ``Stopped``."""
        progress, now = self.progress, self._clock(self.progress.seconds)
        feed = Feed(self.sampler, self.load_batch, self.config.accumulate, self.workers, self.updater.device)
        feed.start(progress.position)
        while True:
            if self._validation_due():
                yield self._validated(now)
            reason = self.stop_reason or self.finished()
            if reason:
                break
            began = now()
            result = self._step(feed.take(), feed.look_ahead, now)
            progress.window.seconds += progress.seconds - began
            if progress.step % self.config.log_every_steps == 0:
                yield self._logged(result)
            yield Stepped(progress.step, result.splits, result.bad_tensor)
        if self.stop_reason is None and progress.validated.step != progress.step:
            yield self._validated(now)
        if self.stop_reason is None and (failure := self._failure()):
            self.stop_reason = reason = failure
        progress.seconds = now()
        has_model = self.is_sound or progress.best_score is not None
        yield Stopped(progress.step, reason, progress.seconds, progress.best_step, has_model)

    def share_used(self, mark: Mark | None = None) -> float:
        """Tell which share of the budget is used, or was at a mark, 0 to 1; of several budgets the one used up most."""
        config, mark = self.config, mark or self.progress.mark
        shares = [0.0]
        if config.steps:
            shares.append(mark.step / config.steps)
        if config.epochs:
            shares.append(self.sampler.epochs(mark.position) / config.epochs)
        if config.minutes:
            shares.append(mark.seconds / self._training_seconds(config.minutes))
        return min(1.0, max(shares))

    def _training_seconds(self, minutes: float) -> float:
        """Tell how long to train, so that what comes after the last step fits in the budget too."""
        last = 1 + (self.config.average_last > 1)  # validations
        measured = self.progress.validation_seconds or minutes * 60 * UNMEASURED_SHARE
        return max(1.0, minutes * 60 - last * measured)

    def compare(self, model: Transformer | None = None) -> Validated:
        """Validate a model, unset: this one, whatever was put into it, against the best so far."""
        return self._validated(self._clock(self.progress.seconds - self.elapsed()), model)

    def _clock(self, before: float) -> Callable[[], float]:
        return lambda: before + self.elapsed()

    def _step(self, portion: Portion, meanwhile: Callable[[], None], now: Callable[[], float]) -> Update:
        progress = self.progress
        rate = learning_rate(self.config, self.model.config.d_model, progress.step + 1, self.share_used())
        self.workers.seed(self.config.seed, progress.step)
        result = self.updater.update(portion.batches, rate, portion.target_tokens, meanwhile)
        progress.step += 1
        progress.position = portion.after
        progress.step_batches = self.config.accumulate * self.workers.world
        result = self._meet(result, now)
        progress.splits += result.splits
        if result.skipped:
            progress.skipped_steps += 1
            progress.skipped_in_a_row += 1
        else:
            progress.skipped_in_a_row, self.lost = 0, False
            progress.window.loss += result.loss
            progress.window.nll += result.nll
            progress.window.target_tokens += result.target_tokens
        if progress.skipped_in_a_row >= self.config.max_skipped_steps:
            self.stop_reason = self.stop_reason or (
                f"{counted(progress.skipped_in_a_row, 'step')} in a row had gradients that are not finite, "
                f"the last one first in {result.bad_tensor}; lower training.learning_rate"
            )
        return result

    def _meet(self, result: Update, now: Callable[[], float]) -> Update:
        """Make the same everywhere what the rest depends on: losses, the time, and whether somebody asked to stop."""
        time = now() if self.workers.leads else 0.0
        asking = float(self.asked is not None)
        loss, nll, splits, seconds, asking = self.workers.sum((result.loss, result.nll, result.splits, time, asking))
        self.progress.seconds = seconds
        if asking and self.stop_reason is None:
            self.stop_reason = next(reason for reason in self.workers.gather(self.asked) if reason is not None)
        return replace(result, loss=loss, nll=nll, splits=int(splits))

    def finished(self) -> str | None:
        """Say why the run is at its end, or None while it is not."""
        config, progress = self.config, self.progress
        if config.steps and progress.step >= config.steps:
            return f"{all_of(config.steps, 'step')} done"
        if config.epochs and self.sampler.epochs(progress.position) >= config.epochs:
            return f"{all_of(config.epochs, 'epoch')} done"
        if config.minutes and progress.seconds >= self._training_seconds(config.minutes):
            return f"{all_of(config.minutes, 'minute')} used"
        if config.patience and progress.without_improvement >= config.patience:
            return f"no improvement in {counted(progress.without_improvement, 'validation')}"
        rate = learning_rate(config, self.model.config.d_model, max(1, progress.step), self.share_used())
        if progress.step > config.warmup_steps and rate < config.stop_learning_rate:
            return f"the learning rate {rate:.2e} is below training.stop_learning_rate"
        return None

    def _failure(self) -> str | None:
        """Say why nothing came of a run whose budget is used."""
        progress = self.progress
        if progress.skipped_in_a_row and progress.skipped_steps == progress.step:
            found = "every step had gradients that are not finite, so none was taken"
        elif progress.validations and progress.best_score is None:
            found = "the loss on the validation set was never finite"
        else:
            return None
        return f"{found}; lower training.learning_rate"

    def _logged(self, result: Update) -> Logged:
        progress, window = self.progress, self.progress.window
        tokens = window.target_tokens or math.nan  # every step was skipped: there is no loss to tell
        logged = Logged(
            step=progress.step,
            epoch=self.sampler.epochs(progress.position),
            progress=self.share_used(),
            loss=window.loss / tokens,
            nll=window.nll / tokens,
            learning_rate=self.updater.learning_rate,
            gradient_norm=result.gradient_norm,
            tokens_per_second=window.target_tokens / max(window.seconds, 1e-9),
            seconds=progress.seconds,
            skipped_steps=progress.skipped_steps,
            splits=progress.splits,
        )
        progress.window = Window()
        return logged

    def _validation_due(self) -> bool:
        config, progress = self.config, self.progress
        if self.stop_reason is not None or progress.validated.step == progress.step:
            return False
        if progress.step == 0:
            return config.validate_at_start
        if config.validate_every_steps:
            return progress.step % config.validate_every_steps == 0
        since = progress.seconds - progress.validated.seconds
        if config.minutes and since < TRAINING_PER_VALIDATION * progress.validation_seconds:
            return False
        # The latest one may have come a little early: the first, once timed, moves the moments at which they are due.
        return self._validations_until(progress.mark) > self._validations_until(progress.validated, early=0.25)

    def _validations_until(self, mark: Mark, early: float = 1e-9) -> int:
        return int(self.share_used(mark) * self.config.validations + early)  # 0.29 * 100 is 28.999…

    def _validated(self, now: Callable[[], float], model: Transformer | None = None) -> Validated:
        progress, candidate = self.progress, model or self.updater.whole_model()
        began, figures, progress.seconds = self.workers.lead(lambda: (now(), self.validate(candidate), now()))
        progress.validation_seconds = max(progress.validation_seconds, progress.seconds - began)
        progress.validated = progress.mark
        progress.validations += 1
        score = self._score(figures)
        loss = figures.get("loss", math.inf)
        if model is None:
            self.lost = "loss" in figures and not loss < progress.best_loss + LOST
        so_far = -math.inf if progress.best_score is None else progress.best_score
        best = (score, -loss) > (so_far, -progress.best_loss)  # never one whose loss is not finite
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
        if metric in figures and metric != "loss":
            score = figures[metric] if figures[metric] >= LOWEST_SCORE else 0.0
        else:
            score = -figures["loss"]
        return -math.inf if math.isnan(score) else score  # nothing is better than what is not a number
