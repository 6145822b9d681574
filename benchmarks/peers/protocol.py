"""What the benchmark and its sides tell each other.

A side reads a ``Task`` (one line of JSON) from standard input, builds its model and answers with its size and versions.
Then every line is a turn: it takes one optimiser step on every batch and answers how long that took. Knows nothing of
Ferryman, so that it can be read in a peer's environment too.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

PAD, UNKNOWN, START, EOS = 1, 0, 2, 3  # Joey NMT has its unknown word first, so all do
FIRST_WORD = 4


@dataclass(frozen=True)
class Task:
    """A model's shape, how it is trained, and the file of batches."""

    batches: str
    preset: str
    settings: list[str]
    vocab: int
    d_model: int
    d_ff: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    norm_first: bool
    dropout: float
    attention_dropout: float
    feed_forward_dropout: float
    label_smoothing: float
    learning_rate: float
    betas: list[float]
    clip_norm: float
    device: str
    precision: str
    threads: int

    def to_line(self) -> str:
        """Write as one line of JSON."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class TokenBatch:
    """Ids of shape (batch, length), padded on the right with ``PAD``."""

    source: Tensor  # tokens + EOS
    target_in: Tensor  # START + tokens
    target_out: Tensor  # tokens + EOS
    target_tokens: int  # real positions of target_out

    def to(self, device: torch.device) -> "TokenBatch":
        """Move to a device."""
        tensors = (tensor.to(device, non_blocking=True) for tensor in (self.source, self.target_in, self.target_out))
        return TokenBatch(*tensors, target_tokens=self.target_tokens)


Step = Callable[[TokenBatch], Tensor | float]
"""One optimiser step on a batch: its loss in nats, summed over target tokens."""


def write_batches(path: Path, batches: Sequence[tuple[Tensor, Tensor, Tensor]]) -> None:
    """Write (source, target_in, target_out) of every batch."""
    arrays = {f"{number}_{part}": t.numpy() for number, batch in enumerate(batches) for part, t in enumerate(batch)}
    np.savez(path, **arrays)


def read_batches(path: str) -> list[TokenBatch]:
    """Read what ``write_batches`` wrote."""
    with np.load(path) as arrays:
        parts = [
            [torch.from_numpy(arrays[f"{number}_{part}"]) for part in range(3)] for number in range(len(arrays) // 3)
        ]
    return [TokenBatch(*tensors, target_tokens=int((tensors[2] != PAD).sum())) for tensors in parts]


def serve(package: str, build: Callable[[Task], tuple[nn.Module, Step]]) -> None:
    """Be a side: build the model and take turns until standard input ends.

    Args:
        package: the distribution whose version is told.
        build: makes the model and its step.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    task = Task(**json.loads(sys.stdin.readline()))
    torch.set_num_threads(task.threads)
    torch.manual_seed(1)
    batches = read_batches(task.batches)
    model, step = build(task)
    model.train()
    parameters = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    answer = {"parameters": parameters, "version": version(package), "torch": torch.__version__}
    print(json.dumps(answer), file=answers, flush=True)
    for _ in sys.stdin:
        print(json.dumps(take_turn(step, batches, torch.device(task.device))), file=answers, flush=True)


def take_turn(step: Step, batches: Sequence[TokenBatch], device: torch.device) -> dict[str, float]:
    """Take a step on every batch; tell the seconds and the mean loss in nats a target token."""
    start = time.perf_counter()
    losses = [step(batch) for batch in batches]
    if device.type == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "loss": sum(map(float, losses)) / sum(batch.target_tokens for batch in batches)}
