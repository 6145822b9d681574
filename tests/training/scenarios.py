"""What two processes do together, one thing after another: ``python scenarios.py STORE FOLDER`` as every rank.

Each scenario returns a value; all of them are left in ``FOLDER/RANK.pt`` for test_distributed.py to look at.
"""

import math
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from toy_task import SYMBOLS, Losses, new_trainer, optimizer_state, tiny_model

from ferryman.data.batch import Batch
from ferryman.data.store import TokenStore
from ferryman.errors import TrainingError
from ferryman.training import distributed
from ferryman.training import update as update_module
from ferryman.training.distributed import Workers, join
from ferryman.training.events import Stepped
from ferryman.training.resume import load_state, save_state
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater, batch_loss

STEPS = 8
SETTINGS = {"steps": STEPS, "log_every_steps": 1, "validate_every_steps": 4, "save_every_steps": 4}
BAD = "decoder.layers.0.feed_forward.outer.weight"


def trainer_of(store: TokenStore, workers: Workers, *, dropout: float = 0.0, **settings: Any) -> Trainer:
    """Make the trainer that the tests make too, for one worker of several."""
    trainer = new_trainer(store, model=tiny_model(dropout=dropout), **{**SETTINGS, **settings})
    updater = trainer.updater
    model = tiny_model(dropout=dropout)
    trainer.updater = Updater(model, trainer.config, updater.device, updater.precision, workers)
    trainer.workers = workers
    return trainer


def everything(trainer: Trainer) -> dict[str, torch.Tensor]:
    """Weights and moments, put together where they are in parts."""
    state = optimizer_state(trainer.updater)
    found = {}
    for name, parameter in trainer.model.named_parameters():
        for part, tensor in (("", parameter.detach()), *state.get(parameter, {}).items()):
            found[f"{name} {part}"] = (tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor).clone()
    return found


class Scenarios:
    """All scenarios; public methods are run in order."""

    def __init__(self, workers: Workers, store: TokenStore, folder: Path) -> None:
        self.workers = workers
        self.store = store
        self.folder = folder

    def trained(self, trainer: Trainer | None = None, **settings: Any) -> dict[str, Any]:
        """Train to the end and tell all."""
        trainer = trainer or trainer_of(self.store, self.workers, **settings)
        loaded, load_batch = [], trainer.load_batch
        trainer.load_batch = lambda indices, after: loaded.append(indices.tolist()) or load_batch(indices, after)
        events = list(trainer.events())
        return {"events": events, "state": everything(trainer), "loaded": loaded, "progress": trainer.progress}

    def plain(self) -> dict[str, Any]:
        return self.trained()

    def accumulated(self) -> dict[str, Any]:
        return self.trained(accumulate=3, steps=3)

    def small_buckets(self) -> dict[str, Any]:
        distributed.BUCKET_BYTES, before = 600, distributed.BUCKET_BYTES
        try:
            return self.trained(steps=2)
        finally:
            distributed.BUCKET_BYTES = before

    def whole(self) -> dict[str, Any]:
        """With dropout, without interruption; what is saved on the way is for ``resumed``."""
        trainer = trainer_of(self.store, self.workers, dropout=0.2)
        events, stops = [], deque(["half"])
        for event in trainer.events():
            events.append(event)
            if stops and event == Stepped(STEPS // 2):
                save_state(self.folder / stops.pop(), trainer)
        return {"events": events, "state": everything(trainer)}

    def resumed(self) -> dict[str, Any]:
        torch.manual_seed(99)
        trainer = trainer_of(self.store, self.workers, dropout=0.2)
        load_state(self.folder / "half", trainer)
        return self.trained(trainer)

    def resumed_of_one(self) -> dict[str, Any]:
        """Go on with what a single process saved."""
        trainer = trainer_of(self.store, self.workers)
        load_state(self.folder / "one", trainer)
        return self.trained(trainer)

    def saved_for_one(self) -> None:
        trainer = trainer_of(self.store, self.workers, steps=STEPS // 2)
        self.trained(trainer)
        save_state(self.folder / "two", trainer)

    def streams(self) -> list[float]:
        """Random numbers of two steps, drawn twice."""
        draws = []
        for step in (3, 4, 3):
            self.workers.seed(1, step)
            draws.append(torch.rand(1).item())
        return draws

    def out_of_memory(self) -> dict[str, Any]:
        """Rank 1 has memory for three rows at a time."""

        def limited(model: Any, batch: Batch, *rest: Any) -> Any:
            if batch.source.size(0) > 3 and not self.workers.leads:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return batch_loss(model, batch, *rest)

        update_module.batch_loss = limited
        try:
            return self.trained()
        finally:
            update_module.batch_loss = batch_loss

    def not_finite(self) -> dict[str, Any]:
        """A gradient of rank 1 is NaN in step 3."""
        trainer = trainer_of(self.store, self.workers)
        spoil = not self.workers.leads
        trainer.model.get_parameter(BAD).register_hook(
            lambda gradient: gradient * (math.nan if spoil and trainer.progress.step == 2 else 1.0)
        )
        return self.trained(trainer)

    def asked_to_stop(self) -> dict[str, Any]:
        """Rank 1 gets a signal after its second step."""
        trainer = trainer_of(self.store, self.workers, steps=100)
        events = []
        for event in trainer.events():
            events.append(event)
            if event == Stepped(2) and not self.workers.leads:
                trainer.stop("interrupted by SIGTERM")
        return {"events": events, "asked": trainer.asked, "reason": trainer.stop_reason}

    def clocks(self) -> dict[str, Any]:
        """A budget of time and a schedule that follows it, where rank 1's clock is far ahead and its loss another."""
        now = [0.0]

        def elapsed() -> float:
            now[0] += 1.0 if self.workers.leads else 1000.0
            return now[0]

        trainer = trainer_of(
            self.store, self.workers, steps=None, minutes=1.0, schedule="cosine", validations=2,
            validate_every_steps=None, elapsed=elapsed,
        )  # fmt: skip
        return self.trained(trainer)

    def patience(self) -> dict[str, Any]:
        """Only the leader validates, and its figures end the run."""
        rest = deque([3.0, 2.0, 4.0, 4.0] if self.workers.leads else [])
        trainer = trainer_of(
            self.store, self.workers, steps=50, validate_every_steps=2, patience=2,
            validate=lambda _: {"loss": rest.popleft()},
        )  # fmt: skip
        return self.trained(trainer)

    def sharded(self) -> dict[str, Any]:
        trainer = trainer_of(self.store, self.workers, shard=True)
        parts = sum(parameter.to_local().numel() for parameter in trainer.model.parameters())
        told = self.trained(trainer)
        save_state(self.folder / "sharded", trainer)
        return {**told, "parts": parts}

    def sharded_resumed(self) -> dict[str, Any]:
        """Go on in parts with what was saved whole, and save again: the file is the same."""
        trainer = trainer_of(self.store, self.workers, shard=True, steps=2 * STEPS)
        load_state(self.folder / "sharded", trainer)
        save_state(self.folder / "sharded_again", trainer)
        return self.trained(trainer)

    def sharded_not_finite(self) -> dict[str, Any]:
        trainer = trainer_of(self.store, self.workers, shard=True)
        loss, spoil = trainer.updater._loss, not self.workers.leads

        def spoiled(batch: Batch) -> Any:
            one, nll = loss(batch)
            return one * (math.nan if spoil and trainer.progress.step == 2 else 1.0), nll

        trainer.updater._loss = spoiled
        return self.trained(trainer)

    def sharded_out_of_memory(self) -> str:
        """All ranks at once, so that nobody waits: this comes last."""

        def never(*_: Any) -> Any:
            raise torch.OutOfMemoryError("CUDA out of memory")

        trainer = trainer_of(self.store, self.workers, shard=True)
        trainer.updater.parted.batch_loss = never
        trainer.validate = Losses(self.store)
        try:
            trainer.updater.update([Batch.from_store(self.store, torch.arange(4).numpy(), SYMBOLS)], 1e-3)
        except TrainingError as error:
            return str(error)
        return ""


def main() -> None:
    torch.set_num_threads(1)
    workers = join()
    scenarios = Scenarios(workers, TokenStore(Path(sys.argv[1])), Path(sys.argv[2]))
    names = [name for name, value in vars(Scenarios).items() if isinstance(value, Callable) and name[0] != "_"]
    results = {name: getattr(scenarios, name)() for name in names if name != "trained"}
    torch.save(results, scenarios.folder / f"{workers.rank}.pt")
    workers.leave()


if __name__ == "__main__":
    main()
