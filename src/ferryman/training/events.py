"""What happens during training, as values: the loop yields them, others save, print and plot."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Notice:
    """Something worth telling, in words."""

    text: str


@dataclass(frozen=True)
class Stepped:
    """One optimiser step was taken or skipped."""

    step: int
    splits: int = 0
    bad_tensor: str | None = None


@dataclass(frozen=True)
class Logged:
    """Figures over the steps since the last ones."""

    step: int
    epoch: float
    progress: float  # share of the budget used, 0 to 1
    loss: float  # nats per target token, label smoothing included
    nll: float  # nats per target token
    learning_rate: float
    gradient_norm: float
    tokens_per_second: float  # real target tokens
    seconds: float  # used so far, of all the run
    skipped_steps: int
    splits: int


@dataclass(frozen=True)
class Validated:
    """A validation was made."""

    step: int
    seconds: float
    figures: dict[str, float] = field(default_factory=dict)  # loss, ppl, bleu, chrf …
    best: bool = False


@dataclass(frozen=True)
class Stopped:
    """Training ended, and why."""

    step: int
    reason: str
    seconds: float
    best_step: int = 0  # which step's weights validated best
    has_model: bool = True  # not if the run failed before any validation that counts


Event = Notice | Stepped | Logged | Validated | Stopped
