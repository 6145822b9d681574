"""Training throughput: ours beside peers, on the same batches, in the same run, in turns.

    python benchmarks/training.py --preset tiny --json
    python benchmarks/training.py --preset tiny --peers --json

Without ``--peers``, beside what one writes with PyTorch's own parts (``nn.Transformer``, ``CrossEntropyLoss`` with
label smoothing, fused Adam); with it, also beside Hugging Face's Marian and Joey NMT, which are installed in
environments of their own the first time. A peer that cannot be installed or run is null in the result, with the reason;
the others go on.

All train the same shape with the same dropout (rates of attention weights and feed-forward layers included), label
smoothing and tied embeddings, on batches of random tokens whose lengths follow those of everyday sentences. Each side
has a process of its own with the same number of threads and the same PyTorch; the sides take turns, so that a machine
whose speed drifts is fair to all, and the median of a side's turns counts. Between turns the machine's fastest matrix
product is measured. On a GPU with bfloat16, matrix products of all sides are in it.
"""

import argparse
import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.errors import FerrymanError
from peers.arithmetic import matmul_rate, training_flop
from peers.environments import NotInstalledError, default_folder, prepare
from peers.protocol import PAD, Task, read_batches
from peers.tasks import make_task
from peers.workers import Worker, WorkerError

SIDES = {"ferryman": "ours", "nn_transformer": "nn_transformer", "marian": "marian", "joeynmt": "joeynmt"}
"""Name in the result, and file in ``peers``."""
INSTALLED = ("marian", "joeynmt")


def start(name: str, task: Task, folder: Path, environments: Path) -> Worker:
    """Start a side, in its environment if it needs one.

    Raises:
        NotInstalledError: it cannot be installed.
        WorkerError: it cannot be built.

    """
    python = prepare(name, environments) if name in INSTALLED else Path(sys.executable)
    worker = Worker(SIDES[name], python, task, folder)
    if worker.about["torch"] != torch.__version__:
        worker.close()
        raise WorkerError(f"its PyTorch is {worker.about['torch']}, ours {torch.__version__}")
    return worker


def run(names: list[str], task: Task, arguments: argparse.Namespace, folder: Path) -> tuple[dict, dict, float]:
    """Let all sides take their turns: those that ran, why the others did not, and the best matrix product's rate."""
    workers: dict[str, Worker] = {}
    missing: dict[str, str] = {}
    rates = []
    with ExitStack() as stack:
        for name in names:
            try:
                workers[name] = start(name, task, folder, arguments.environments)
                stack.callback(workers[name].close)
            except (NotInstalledError, WorkerError) as error:
                missing[name] = str(error)
        for _ in range(arguments.rounds + 1):  # the first is for warming up
            rates.append(matmul_rate(torch.device(task.device), getattr(torch, task.precision)))
            for name, worker in list(workers.items()):
                try:
                    worker.take_turn()
                except WorkerError as error:
                    missing[name] = str(error)
                    del workers[name]
    if "ferryman" in missing:
        raise SystemExit(f"Ferryman itself does not run: {missing['ferryman']}")
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}", file=sys.stderr)
    return workers, missing, max(rates)


def summarise(worker: Worker, tokens: int, flop: float, peak: float) -> dict[str, Any]:
    """Say what a side did: the median of its turns, the first left out."""
    turns = worker.seconds[1:]
    seconds = statistics.median(turns)
    return {
        "version": worker.about["version"],
        "parameters": worker.about["parameters"],
        "tokens_per_second": round(tokens / seconds, 1),
        "slowest_and_fastest_turn": [round(tokens / max(turns), 1), round(tokens / min(turns), 1)],
        "gflop_per_second": round(flop / seconds / 1e9, 1),
        "fraction_of_peak": round(flop / seconds / peak, 3),
        "loss_first_and_last": [round(worker.losses[0], 3), round(worker.losses[-1], 3)],
    }


def compare(config: Config, arguments: argparse.Namespace) -> dict[str, Any]:
    """Run all sides and put their figures together. Tokens are real target tokens, end symbol counted."""
    names = [name for name in SIDES if arguments.peers or name not in INSTALLED]
    with tempfile.TemporaryDirectory() as folder:
        task = make_task(config, arguments, Path(folder))
        batches = read_batches(task.batches)
        workers, missing, peak = run(names, task, arguments, Path(folder))
    tokens = sum(batch.target_tokens for batch in batches)
    lengths = [
        (int((source != PAD).sum()), int((target != PAD).sum()))
        for batch in batches
        for source, target in zip(batch.source, batch.target_out, strict=True)
    ]
    flop = training_flop(config.model, task.vocab, lengths)
    sides = {name: summarise(worker, tokens, flop, peak) for name, worker in workers.items()}
    rates = {name: side["tokens_per_second"] for name, side in sides.items()}
    ours = rates["ferryman"]
    peers = {name: rates.get(name) for name in names if name != "ferryman"}
    fastest = max((name for name in peers if peers[name]), key=lambda name: rates[name], default=None)
    return {
        "preset": " ".join([arguments.preset, *arguments.settings]),
        "device": task.device,
        "threads": task.threads,
        "precision": task.precision,
        "torch": torch.__version__,
        "batch_tokens": arguments.batch_tokens,
        "target_tokens_a_turn": tokens,
        "mflop_per_target_token": round(flop / tokens / 1e6, 2),
        "peak_gflop_per_second": round(peak / 1e9, 1),
        **{f"{name}_tokens_per_second": rates.get(name) for name in names},
        **{f"ratio_vs_{name}": round(ours / rate, 3) if rate else None for name, rate in peers.items()},
        "fastest_peer": fastest,
        "ratio_vs_fastest_peer": round(ours / rates[fastest], 3) if fastest else None,
        "sides": {name: sides.get(name) for name in names},
        "missing": missing,
    }


def show(result: dict[str, Any]) -> None:
    """Print a result for people."""
    for name, value in result.items():
        if name == "sides":
            for side, figures in value.items():
                print(f"\n{side}" if figures else f"\n{side}: left out, {result['missing'][side]}")
                for figure, amount in (figures or {}).items():
                    print(f"{figure:>32}  {amount}")
        elif name != "missing":
            print(f"{name:>32}  {value}")


def positive(text: str) -> int:
    """Read a number above zero."""
    if (value := int(text)) < 1:
        raise ValueError(text)
    return value


def main() -> None:
    """Run all sides in turns and print their throughput, ratios and share of the machine's peak."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="*", help="as section.key=value, such as model.attention_dropout=0.1")
    parser.add_argument("--preset", default="tiny")
    parser.add_argument(
        "--peers", action="store_true", help="also Hugging Face Marian and Joey NMT, installed if need be"
    )
    parser.add_argument("--environments", type=Path, default=default_folder(), help="where peers are installed")
    parser.add_argument("--batch-tokens", type=positive, default=4096)
    parser.add_argument("--rounds", type=positive, default=6)
    parser.add_argument("--steps", type=positive, default=4, help="steps of each side in a round")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_intermixed_args()
    try:
        result = compare(load_config(arguments.preset, arguments.settings), arguments)
    except FerrymanError as error:
        raise SystemExit(str(error)) from error
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
