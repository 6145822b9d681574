"""The learning rate over time (§5.3)."""

import math

from ferryman.config import TrainingConfig


def paper_rate(step: int, d_model: int, warmup_steps: int) -> float:
    """Compute eq. 3: d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5), for steps counted from 1."""
    return float(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))


def learning_rate(config: TrainingConfig, d_model: int, step: int, progress: float) -> float:
    """Compute the learning rate of one step.

    Args:
        config: names the schedule, its peak and its warm-up. Without a peak, eq. 3's is taken.
        d_model: the model's width, for eq. 3.
        step: the step to be taken, counted from 1.
        progress: share of the budget used, 0 to 1; ``linear`` and ``cosine`` end at 0 when it is 1.

    """
    warmup = config.warmup_steps
    peak = config.learning_rate or paper_rate(warmup, d_model, warmup)
    rising = min(1.0, step / warmup)
    match config.schedule:
        case "paper":
            return paper_rate(step, d_model, warmup)
        case "inverse_sqrt":
            return peak * min(rising, math.sqrt(warmup / step))
        case "linear":
            return peak * rising * (1 - progress)
        case "cosine":
            return peak * rising * (1 + math.cos(math.pi * progress)) / 2
        case "constant":
            return peak * rising
