"""Kill training at random and fill its disk: it must end as if nothing had happened, down to the last bit.

    python benchmarks/stress.py --kills 30
    make stress

A small run is trained once in peace. Then it is trained again and again, each time killed (SIGKILL) until it comes
through: at random moments, and on purpose while the program starts, while the corpus is prepared, during a validation,
and in the middle of writing each kind of file. Each run that came through is compared with the one in peace: weights,
training state, checkpoints and metrics, times aside. In the end the disk is filled: the run must say so, keep its last
state whole, and go on once there is room. Prints a line a kill; exit code 1 on any difference.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from safetensors import safe_open

from ferryman.corpus.phrasebook import write_corpus
from ferryman.training.metrics import read_metrics

TIMES = {"seconds", "tokens_per_second", "validation_seconds"}
STEPS, VALIDATE_EVERY = 24, 8
LONGEST_SECONDS = 600  # of one process; longer means that it hangs
SETTINGS = [
    *("tokenizer.vocab_size=400", "data.valid_pairs=20"),
    *("model.d_model=32", "model.d_ff=64", "model.heads=2", "model.encoder_layers=1", "model.decoder_layers=1"),
    *(f"training.steps={STEPS}", f"training.validate_every_steps={VALIDATE_EVERY}", "training.average_last=2"),
    *("training.threads=1", "training.device=cpu", "training.precision=float32", "training.batch_tokens=512"),
    *("training.save_every_steps=1", "training.log_every_steps=1", "training.warmup_steps=10"),
]


@dataclass(frozen=True)
class Corpus:
    """Two aligned files, and the run that nobody disturbed."""

    files: tuple[Path, Path]
    peaceful: Path
    seconds: float  # that it took


def make_corpus(place: Path) -> Corpus:
    """Write a piece of the phrasebook and train on it in peace."""
    write_corpus(place / "corpus", "de", train=300, valid=10, test=10, seed=1)
    files = (place / "corpus" / "train.en", place / "corpus" / "train.de")
    began = time.monotonic()
    process = start(files, place / "peaceful")
    said = errors(process)
    if process.returncode != 0:
        raise SystemExit(f"the run in peace failed: {said}")
    return Corpus(files, place / "peaceful", time.monotonic() - began)


def start(files: tuple[Path, Path], run: Path) -> subprocess.Popen[bytes]:
    """Train, or go on where the run is."""
    words = ["--resume", run] if (run / "config.yaml").exists() else [*files, "-o", run, *SETTINGS]
    command = [sys.executable, "-m", "ferryman", "train", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def errors(process: subprocess.Popen[bytes]) -> str:
    """Wait for the end of a process and return what it said."""
    return process.communicate(timeout=LONGEST_SECONDS)[1].decode()


@dataclass(frozen=True)
class Watched:
    """A process in training, and what its folder held when it began."""

    process: subprocess.Popen[bytes]
    run: Path
    began: float
    step: int
    unfinished: frozenset[str]

    def seconds(self) -> float:
        """Tell for how long it has been running."""
        return time.monotonic() - self.began

    def has_come_to(self, step: int, kind: str = "step") -> bool:
        """Tell whether the metrics' latest line is of this kind, of this step or a later one, and new."""
        records = metrics_of(self.run)
        return bool(records) and records[-1]["kind"] == kind and records[-1]["step"] >= max(step, self.step + 1)

    def writes(self) -> list[str]:
        """Name the files that it is in the middle of writing, or was when it was killed."""
        return sorted(unfinished(self.run) - self.unfinished)

    def kill_when(self, is_due: Callable[["Watched"], bool]) -> bool:
        """Kill it when the moment has come; tell whether it had not ended by itself before."""
        while self.process.poll() is None:
            if is_due(self):
                self.process.send_signal(signal.SIGKILL)
                errors(self.process)
                return self.process.returncode == -signal.SIGKILL
            if self.seconds() > LONGEST_SECONDS:
                self.process.kill()
                raise SystemExit(f"{self.run}: no end after {LONGEST_SECONDS} s")
            time.sleep(0.002)
        return False


def metrics_of(run: Path) -> list[dict[str, Any]]:
    """Read a run's metrics; nothing before there are any."""
    return read_metrics(run / "metrics.jsonl") if (run / "metrics.jsonl").exists() else []


def unfinished(run: Path) -> frozenset[str]:
    """Name what is being written in a run's folder."""
    names = [name for part in ("", "checkpoints", "prepared") for name in listing(run / part)]
    return frozenset(name for name in names if name.endswith(".unfinished"))


def listing(folder: Path) -> list[str]:
    """Name what is in a folder; nothing if there is none."""
    with suppress(FileNotFoundError):
        return [path.name for path in folder.iterdir()]
    return []


def moments(chance: random.Random, seconds: float) -> Iterator[tuple[str, Callable[[Watched], bool]]]:
    """Name moments to kill at, all kinds in turn; ``seconds`` is how long a whole run takes."""

    def after(share: float) -> Callable[[Watched], bool]:
        moment = chance.uniform(0, share) * seconds
        return lambda watched: watched.seconds() >= moment

    def writing(name: str) -> Callable[[Watched], bool]:
        return lambda watched: any(name in one for one in watched.writes())

    def soon_after(step: int, kind: str, longest: float) -> Callable[[Watched], bool]:
        moment = chance.uniform(0, longest)
        return lambda watched: watched.has_come_to(step, kind) and pause(moment)

    while True:
        yield "start", after(0.3)
        yield "preparation", writing("@")  # as folders are called
        yield "state", writing("training_state")
        yield "any time", after(1)
        yield "step", soon_after(chance.randrange(VALIDATE_EVERY), "step", 0.02)
        yield "model", writing(".model.safetensors")
        step = VALIDATE_EVERY * chance.randrange(1, STEPS // VALIDATE_EVERY)
        yield "validation", soon_after(step, "step", 0.3)
        yield "checkpoint", writing(".step-")
        yield "after validation", soon_after(1, "validation", 0.01)


def pause(seconds: float) -> bool:
    """Wait, and say that now is the moment."""
    time.sleep(seconds)
    return True


def disturbed(corpus: Corpus, place: Path, kills: int, seed: int, tell: Callable[[str], None]) -> list[str]:
    """Kill runs until there were enough kills, let each one come through, and list what differs."""
    chance, count, number, found = random.Random(seed), 0, 0, list[str]()
    planned = moments(chance, corpus.seconds)
    while count < kills:
        number += 1
        run = place / f"run-{number}"
        for name, is_due in planned:
            before = metrics_of(run)
            step, left = before[-1]["step"] if before else 0, unfinished(run)
            watched = Watched(start(corpus.files, run), run, time.monotonic(), step, left)
            if count < kills and watched.kill_when(is_due):
                count += 1
                tell(f"kill {count:3}  run {number}  {name:16}  {where(watched)}")
                continue
            said = errors(watched.process)
            if watched.process.returncode != 0:
                return [*found, f"run {number} failed: {said}"]
            break
        differences = compare(run, corpus.peaceful)
        tell(f"run {number} came through: {'; '.join(differences) or 'bit-equal to the run in peace'}")
        found += [f"run {number}: {difference}" for difference in differences]
    return found


def where(watched: Watched) -> str:
    """Say where a process was killed, by what is in its folder."""
    records, writes = metrics_of(watched.run), watched.writes()
    place = f"after {records[-1]['kind']} {records[-1]['step']}" if records else "before the first step"
    return f"{place}{', writing ' + ', '.join(writes) if writes else ''}"


def compare(run: Path, peaceful: Path) -> list[str]:
    """Name everything in which a run is not as the one in peace is, times aside."""
    differences = []
    names = [str(path.relative_to(peaceful)) for path in peaceful.rglob("*.safetensors")]
    others = [str(path.relative_to(run)) for path in run.rglob("*.safetensors")]
    if sorted(names) != sorted(others):
        differences.append(f"files {sorted(others)}, expected {sorted(names)}")
    for name in set(names) & set(others):
        if contents(run / name) != contents(peaceful / name):
            differences.append(f"{name} differs")
    if untimed(read_metrics(run / "metrics.jsonl")) != untimed(read_metrics(peaceful / "metrics.jsonl")):
        differences.append("metrics.jsonl differs")
    if (run / "README.md").read_bytes() != (peaceful / "README.md").read_bytes():
        differences.append("README.md differs")
    rests = [str(path) for path in run.rglob("*.unfinished")]
    return differences + ([f"left over: {rests}"] if rests else [])


def contents(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read a safetensors file's tensors, as bytes, and what it says about itself."""
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name).contiguous() for name in file.keys()}  # noqa: SIM118
        about = {key: untimed(json.loads(text)) if text[:1] == "{" else text for key, text in file.metadata().items()}
    return about, {name: tensor.flatten().view(torch.uint8).numpy().tobytes() for name, tensor in tensors.items()}


def untimed(value: Any) -> Any:
    """Leave out how long things took."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in TIMES}
    return [untimed(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    """Disturb training, print what happens and end with 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30, help="how many in all")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="ferryman-stress-") as name:
        place, began = Path(name), time.monotonic()
        corpus = make_corpus(place)
        print(f"in peace: {corpus.seconds:.1f} s", flush=True)
        differences = disturbed(corpus, place, options.kills, options.seed, lambda line: print(line, flush=True))
        print(f"{options.kills} kills in {time.monotonic() - began:.0f} s: {len(differences)} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
