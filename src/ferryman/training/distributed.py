"""Many processes that train one model: who they are, and the few things that they exchange.

The protocol. Every process ("worker") runs the same loop over the same ``Progress``, so all of them take the same
decisions, without asking: whatever they decide on is the same everywhere. What is not is made so at three places:

1. a step's gradients are summed (``sum_gradients``), so the norm, the decision to skip and the new weights are equal;
2. after a step (``Trainer._meet``) losses are summed, the leader's clock is adopted, and so is a request to stop that
   any worker got;
3. what only the leader does (read the corpus, validate, look at files) it does in ``lead``, which tells its result.

Between these no worker waits for another. Which batches a worker takes, how often it halves them when memory runs out,
what its clock says and which signal it got have no influence on which exchanges come next, so nobody waits for one that
another does not take part in. The leader is the worker of rank 0; it alone prints and writes files.

A worker that fails says so in the store (``first_to_fail``). The others' exchanges break: one of all tells why.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from ferryman.errors import ConfigError, TrainingError

VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")  # what torchrun sets
TENSORS_TIMEOUT = timedelta(minutes=30)  # of exchanges between computations; longer than saving takes
LEADER_TIMEOUT = timedelta(days=7)  # what the leader does alone may take long: preparing a corpus, validating
BUCKET_BYTES = 25 << 20  # gradients that travel together: few enough exchanges, begun early enough
JOIN_TIMEOUT = timedelta(minutes=10)
BREAK_SECONDS = 10.0  # for the others to see that one has failed
JOINING, FAILURES = "ferryman", "failures"  # keys of the store

T = TypeVar("T")


@dataclass
class Workers:
    """This process among all those that train one model. ``ALONE`` is a process by itself: nothing is exchanged."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0  # on its machine
    restarts: int = 0  # how often torchrun has started all of them again
    store: dist.Store | None = None
    table: "dist.ProcessGroup | None" = None  # where small values are exchanged, whatever the device

    @property
    def leads(self) -> bool:
        """Whether this is the one that prints and writes files."""
        return self.rank == 0

    def bind(self, device: torch.device) -> torch.device:
        """Choose this worker's own device of a kind.

        Raises:
            ConfigError: there are fewer GPUs than workers on this machine, or devices of this kind cannot exchange.
        """
        if self.world == 1 or device.type == "cpu":
            return device
        if device.type != "cuda":
            raise ConfigError(
                f"training.device: {self.world} processes can train on CUDA GPUs or on CPUs, not on {device.type}; "
                "set training.device=cpu, or train in one process"
            )
        if self.local_rank >= torch.cuda.device_count():
            raise ConfigError(
                f"this machine has {torch.cuda.device_count()} GPUs, too few for its process number "
                f"{self.local_rank + 1}; start as many processes as GPUs (torchrun --nproc-per-node), or set "
                "training.device=cpu"
            )
        own = torch.device("cuda", self.local_rank)
        torch.cuda.set_device(own)
        return own

    def lead(self, work: Callable[[], T]) -> T:
        """Let the leader do something and tell all its result, which is pickled; the others wait for it."""
        if self.world == 1:
            return work()
        told = [work() if self.leads else None]
        dist.broadcast_object_list(told, src=0, group=self.table, device=torch.device("cpu"))
        return told[0]  # type: ignore[return-value]  # the leader put it there

    def sum(self, values: Sequence[float]) -> list[float]:
        """Add up each of these numbers over all workers."""
        total = torch.tensor(values, dtype=torch.float64)
        if self.world > 1:
            dist.all_reduce(total, group=self.table)
        return list(map(float, total))

    def gather(self, value: T) -> list[T]:
        """Collect a value of every worker, by rank; they are pickled."""
        values = [value] * self.world
        if self.world > 1:
            dist.all_gather_object(values, value, group=self.table)
        return values

    @torch.no_grad()
    def broadcast(self, tensors: Iterable[Tensor]) -> None:
        """Give all workers the leader's values of these tensors."""
        if self.world > 1:
            for tensor in tensors:
                dist.broadcast(tensor, src=0)

    @torch.no_grad()
    def sum_gradients(self, gradients: Sequence[Tensor]) -> None:
        """Replace gradients by their sums over all workers; the same bits everywhere."""
        if self.world == 1:
            return
        travelling = []
        for bucket in _buckets(gradients):
            flat = torch.cat([gradient.flatten() for gradient in bucket])
            travelling.append((dist.all_reduce(flat, async_op=True), flat, bucket))
        for exchange, flat, bucket in travelling:
            exchange.wait()
            for gradient, part in zip(bucket, torch.split(flat, [one.numel() for one in bucket]), strict=True):
                gradient.copy_(part.view_as(gradient))

    def seed(self, seed: int, step: int) -> None:
        """Give this worker random numbers of its own for one step; a process by itself goes on with those it has.

        They depend on the seed, the step and the rank alone, so nothing of them has to be saved, and a run goes on
        exactly with as many workers, and as a run like any other with more or fewer.
        """
        if self.world > 1:
            state = np.random.SeedSequence((seed, step, self.rank)).generate_state(1, np.uint64)
            torch.manual_seed(int(state[0]))

    def first_to_fail(self) -> bool:
        """Claim the right to tell why all of them end."""
        if self.store is None:
            return True
        try:
            return bool(self.store.add(FAILURES, 1) == 1)
        except RuntimeError:  # the process that held the store has ended
            return True

    def break_off(self) -> None:
        """Let the others' exchanges with this worker break while the store, which may end with it, still tells why."""
        self.table = None  # connections are closed when nobody has the group any more
        if self.store is None or dist.get_backend() != "gloo":  # NCCL might wait for what will never come
            return
        dist.destroy_process_group()
        until = time.monotonic() + BREAK_SECONDS
        while self.store.add(FAILURES, 0) < self.world and time.monotonic() < until:
            time.sleep(0.01)

    def wait_for_all(self) -> None:
        """Go on when every worker has come here."""
        self.sum((0.0,))

    def leave(self) -> None:
        """Take leave when all have come to the end: when one process ends earlier, torchrun may end the others."""
        if self.world > 1:
            self.wait_for_all()
            dist.destroy_process_group()


ALONE = Workers()


def join() -> Workers:
    """Join the processes that torchrun, or whatever sets the same variables, has started; ``ALONE`` without it.

    Raises:
        ConfigError: not all of the variables are set, or they are no numbers.
        TrainingError: the others do not come.
    """
    if not any(name in os.environ for name in VARIABLES[:3]):
        return ALONE
    missing = [name for name in VARIABLES if not os.environ.get(name)]
    if missing:
        there = ", ".join(name for name in VARIABLES if name not in missing)
        raise ConfigError(
            f"{there} {'are' if ',' in there else 'is'} set in the environment, but not {', '.join(missing)}: start "
            "several processes with torchrun, which sets them all, or unset them to train in one process"
        )
    rank, world, local_rank, restarts = (_number(name) for name in (*VARIABLES[:3], "TORCHELASTIC_RESTART_COUNT"))
    if rank >= world:
        raise ConfigError(f"RANK is {rank}, but WORLD_SIZE says that there are {world} processes, counted from 0")
    if world == 1:
        return Workers(restarts=restarts)
    try:
        place, _, _ = next(rendezvous("env://", timeout=JOIN_TIMEOUT))
        store = PrefixStore(_attempt(place, rank, world), place)
        gpus = torch.cuda.is_available() and dist.is_nccl_available()
        backend = "cpu:gloo,cuda:nccl" if gpus else "gloo"
        dist.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=TENSORS_TIMEOUT)
        table = dist.new_group(backend="gloo", timeout=LEADER_TIMEOUT)
    except (RuntimeError, ValueError) as error:
        where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise TrainingError(f"process {rank} could not join the others of {world} at {where}: {error}") from error
    return Workers(rank, world, local_rank, restarts, store, table)


def _attempt(place: dist.Store, rank: int, world: int) -> str:
    """Agree on a name that is new in the store.

    torchrun may keep its store when it starts all processes again (PyTorch 2.13 does), and in it the addresses of those
    that have ended. Its count of restarts does not tell attempts apart: it is not the same on all machines. So every
    worker leaves a word that nobody used before, and takes the name that the leader puts beside this very word.
    """
    if rank:
        word = secrets.token_hex(8)
        place.set(f"{JOINING}/{rank}", word)
        name: str = place.get(f"{JOINING}/{word}").decode()
        place.set(f"{name}/{rank}", "")
        return name
    name, missing = f"{JOINING}/{secrets.token_hex(8)}", set(range(1, world))
    until = time.monotonic() + JOIN_TIMEOUT.total_seconds()
    while missing:
        for other in missing:
            if place.check([f"{JOINING}/{other}"]):  # it may be an old word; then the new one comes later
                place.set(f"{JOINING}/{place.get(f'{JOINING}/{other}').decode()}", name)
        missing = {other for other in missing if not place.check([f"{name}/{other}"])}
        if time.monotonic() > until:
            raise RuntimeError(f"those of rank {', '.join(map(str, sorted(missing)))} have not come")
        time.sleep(0.01)
    return name


def is_loss_of_a_worker(error: BaseException) -> bool:
    """Whether an exchange broke because another process has ended."""
    if isinstance(error, dist.DistError):
        return True
    told = ("gloo", "NCCL", "Connection reset", "Broken pipe")  # gloo's errors have no type of their own
    return isinstance(error, RuntimeError) and any(words in str(error) for words in told)


def _number(name: str) -> int:
    text = os.environ.get(name, "0")
    if not text.isdecimal():
        raise ConfigError(f"{name} is {text!r} in the environment, but has to be a number; torchrun sets it")
    return int(text)


def _buckets(tensors: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    bucket, size = list[Tensor](), 0
    for tensor in tensors:
        bucket, size = [*bucket, tensor], size + tensor.nbytes
        if size >= BUCKET_BYTES:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket
