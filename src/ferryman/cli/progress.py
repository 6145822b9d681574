"""How a training run looks: one live line on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterable, Iterator

from rich.live import Live
from rich.text import Text

from ferryman.cli.console import duration, messages, say
from ferryman.training.events import Event, Logged, Notice, Stepped, Stopped, Validated
from ferryman.wording import counted
from ferryman.workflows.run import TrainingRun

PLAIN_SECONDS = 10.0  # between progress lines where there is no terminal


def show(events: Iterable[Event], run: TrainingRun) -> None:
    """Iterate over a run's events and print them."""
    with Live(console=messages, auto_refresh=False, transient=True) as live:
        last_line, bleu, measured = 0.0, None, True
        for event in events:
            match event:
                case Logged():
                    line = _line(event, bleu)
                    if messages.is_terminal:
                        live.update(Text(line), refresh=True)
                    elif _is_due(last_line) or event.step <= run.config.training.log_every_steps:
                        say(line)
                        last_line = time.monotonic()
                case Validated():
                    bleu, measured = event.figures.get("bleu", bleu), bool(event.figures)
                    say(_validation(event, run.config.training.validation_beam))
                case _:
                    for line in _words(event, run, measured):
                        say(line)


def _is_due(last_line: float) -> bool:
    return time.monotonic() - last_line >= PLAIN_SECONDS


def _words(event: Event, run: TrainingRun, measured: bool) -> Iterator[str]:
    """Tell of an event; ``measured``: whether there was anything to validate on."""
    match event:
        case Notice():
            yield event.text
        case Stepped():
            if event.bad_tensor:
                yield f"step {event.step}: skipped, the gradient of {event.bad_tensor} is not finite"
            if event.splits:
                yield f"step {event.step}: out of memory, the batch was split {counted(event.splits, 'time')}"
        case Stopped():
            yield f"stopped at step {event.step} after {duration(event.seconds)}: {event.reason}"
            best = f" (of step {event.best_step}, the best validation)" if event.best_step and measured else ""
            yield f"{f'model{best} and training state are' if event.has_model else 'training state is'} in {run.folder}"
            if run.trainer is not None and run.trainer.stop_reason:
                yield f"go on with: ferryman train --resume {run.folder}"


def _line(event: Logged, bleu: float | None) -> str:
    parts = [f"step {event.step:,}", f"epoch {event.epoch:.2f}", f"loss {event.loss:.3f}"]
    if bleu is not None:
        parts.append(f"BLEU {bleu:.1f}")
    parts += [f"lr {event.learning_rate:.2e}", f"{event.tokens_per_second:,.0f} target tokens/s"]
    if event.skipped_steps:
        parts.append(f"{event.skipped_steps} skipped")
    if 0 < event.progress < 1:
        parts.append(f"{event.progress:.0%}, {duration(event.seconds / event.progress - event.seconds)} left")
    return " · ".join(parts)


def _validation(event: Validated, beam: int) -> str:
    figures = ", ".join(f"{name} {value:.4g}" for name, value in event.figures.items()) or "no validation set"
    return f"validation at step {event.step}: {figures} (beam {beam}){' · best so far' if event.best else ''}"
