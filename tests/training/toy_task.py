"""A task without text that a tiny model learns in seconds, and trainers for it."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ferryman.config import ModelConfig, TrainingConfig
from ferryman.data.batch import Batch, Symbols
from ferryman.data.sampler import BatchSampler
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.model.transformer import Transformer
from ferryman.training.events import Event, Stopped
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater, batch_loss

VOCAB = 13
SYMBOLS = Symbols(pad=0, start=2, eos=3)
CPU = torch.device("cpu")
TINY = {"d_model": 16, "d_ff": 24, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def write_task(folder: Path, count: int, *, answer: Callable[[list[int]], list[int]] = lambda x: x[::-1]) -> TokenStore:
    """Write ``count`` random sequences of 2 to 6 tokens, each with the answer to it."""
    chance = random.Random(5)
    with TokenStoreWriter(folder, vocab_size=VOCAB) as writer:
        for _ in range(count):
            source = [chance.randrange(4, VOCAB) for _ in range(chance.randint(2, 6))]
            writer.add(source, answer(source))
    return TokenStore(folder)


def tiny_model(seed: int = 0, **changes: Any) -> Transformer:
    generator = torch.Generator().manual_seed(seed)
    return Transformer(VOCAB, VOCAB, ModelConfig(**{**TINY, **changes}), generator)


def new_updater(model: Transformer, **training: Any) -> Updater:
    return Updater(model, TrainingConfig(**training), CPU, torch.float32)


def new_trainer(
    store: TokenStore,
    *,
    model: Transformer | None = None,
    validate: Callable[[Transformer], dict[str, float]] | None = None,
    elapsed: Callable[[], float] | None = None,
    **training: Any,
) -> Trainer:
    """Make a trainer of a tiny model; without more said, it validates by the loss on all pairs and its clock stands."""
    settings = {"batch_tokens": 40, "warmup_steps": 10, "learning_rate": 3e-3, **training}
    config = TrainingConfig(**settings)
    sampler = BatchSampler(
        store.lengths("source") + 1, store.lengths("target") + 1, batch_tokens=config.batch_tokens, seed=config.seed
    )
    return Trainer(
        new_updater(model or tiny_model(), **settings),
        sampler,
        lambda indices, after: Batch.from_store(store, indices, SYMBOLS),
        config,
        validate or Losses(store),
        elapsed or (lambda: 0.0),
    )


class Losses:
    """Validation by the loss on every pair of a store."""

    def __init__(self, store: TokenStore) -> None:
        self.batch = Batch.from_store(store, np.arange(len(store)), SYMBOLS)

    @torch.inference_mode()
    def __call__(self, model: Transformer) -> dict[str, float]:
        model.eval()
        _, nll = batch_loss(model, self.batch, 0.0)
        model.train()
        return {"loss": nll.item() / self.batch.target_tokens}


def without_timings(event: Event) -> Event:
    """Leave out what depends on how fast the machine is."""
    timings = {name: 0.0 for name in ("seconds", "tokens_per_second") if hasattr(event, name)}
    return replace(event, **timings)


def run(trainer: Trainer) -> list[Event]:
    """Train to the end."""
    events = list(trainer.events())
    assert isinstance(events[-1], Stopped)
    return events


def of_kind(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def scripted(*losses: float) -> Callable[[Transformer], dict[str, float]]:
    """Validate by reading these losses off one by one."""
    rest = deque(losses)
    return lambda model: {"loss": rest.popleft()}


def ticking(seconds: float) -> Callable[[], float]:
    """Make a clock that goes on by so much whenever it is read."""
    times = count(0.0, seconds)
    return lambda: next(times)


def optimizer_state(updater):
    """What the optimisers keep of each parameter."""
    return {parameter: kept for optimizer in updater.optimizers for parameter, kept in optimizer.state.items()}
