"""``torchrun … -m ferryman train``: stopped, killed and failing, several processes end together and lose nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ferryman.training.metrics import read_metrics
from processes import end_together, start_together

TRAIN = ("-m", "ferryman", "train")
STATE = "training_state.safetensors"
LATE = """
import os, time
from ferryman.__main__ import main
from ferryman.workflows import run

def build_late(*arguments, build=run.build_model, **options):
    time.sleep(2 * int(os.environ["RANK"]))
    return build(*arguments, **options)

run.build_model = build_late
main()
"""


@pytest.fixture
def corpus(write_pairs, pairs, quick):
    """Files, and settings of a run that saves often and does not end by itself."""
    often = ["training.steps=100000", "training.save_every_steps=2", "training.log_every_steps=1"]
    return [*write_pairs(pairs), *quick, *often, "training.batch_tokens=64"]


def wait_for(path: Path, *processes: subprocess.Popen) -> None:
    while not path.exists():
        assert all(process.poll() is None for process in processes), processes[0].stderr.read().decode()
        time.sleep(0.01)


def logged_steps(folder: Path) -> list[int]:
    return [record["step"] for record in read_metrics(folder / "metrics.jsonl") if record["kind"] == "step"]


def test_a_signal_to_any_process_saves_once_and_ends_all(ferryman, corpus, tmp_path):
    """Whenever a state has been saved, even if the other process comes to training later than the leader."""
    folder = tmp_path / "run"
    processes = start_together(["-c", LATE, "train", *corpus, "-o", folder])
    wait_for(folder / STATE, *processes)
    processes[1].send_signal(signal.SIGTERM)
    for process in processes:  # as torchrun passes on what the terminal has sent already
        process.send_signal(signal.SIGTERM)
    (code, leader), (other_code, other) = end_together(processes)
    assert (code, other_code) == (128 + signal.SIGTERM,) * 2
    assert leader.count("interrupted by SIGTERM") == 1
    assert "2 processes; a step takes 2 batches of at most 64 tokens (1 each)" in leader
    assert f"go on with: ferryman train --resume {folder}" in leader
    assert other.strip() == "stopping after this step"
    done = logged_steps(folder)[-1]

    resumed = ferryman("train", "--resume", folder, f"training.steps={done + 2}")
    assert resumed.exit_code == 0, resumed.stderr
    assert "batches a step: 1 now, 2 before; with 1 at a time, training.accumulate=2 keeps them" in resumed.stderr
    assert logged_steps(folder) == list(range(1, done + 3))


@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        ("corpus", "corpus.de: no such file"),
        ("checkpoints", "checkpoints"),
        ("budget", "training.steps: input should be"),
    ],
)
def test_an_error_ends_all_with_one_message(corpus, tmp_path, breaks, words):
    """Before anything, while the corpus is read, and when the leader cannot write."""
    folder = tmp_path / "run"
    corpus += ["training.validate_every_steps=1"]
    match breaks:
        case "corpus":
            (tmp_path / "corpus.de").unlink()
        case "checkpoints":
            folder.mkdir()
            (folder / "checkpoints").write_text("a file where a folder has to be")
        case "budget":
            corpus += ["training.steps=none"]
    ends = end_together(start_together([*TRAIN, *corpus, "-o", folder]))
    told = [line for _, text in ends for line in text.splitlines() if line.startswith("ferryman: ")]
    # On a busy machine the other process may find the first one gone before it is told why.
    messages = [line for line in told if "has ended without a word" not in line]
    assert len(messages) == 1, ends
    assert words in messages[0]
    assert all(code in (1, 2) for code, _ in ends)
    assert not any("Traceback" in text for _, text in ends)


def process_of_rank(folder: Path, rank: int) -> int | None:
    """Find a process by what torchrun has told it."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command, variables = (place / "cmdline").read_bytes(), (place / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command and f"\0RANK={rank}\0".encode() in variables:
            return int(place.name)
    return None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_torchrun_goes_on_after_a_process_was_killed(ferryman, corpus, tmp_path):
    """With weights in parts, which are put together to be validated, saved and averaged."""
    folder = tmp_path / "run"
    corpus += ["training.steps=40", "training.shard=true", "training.validations=2", "training.average_last=2"]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=1"]
    process = subprocess.Popen(
        [*launcher, *TRAIN, *map(str, corpus), "-o", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    wait_for(folder / STATE, process)
    os.kill(process_of_rank(folder, 1), signal.SIGKILL)
    errors = process.communicate(timeout=240)[1].decode()
    assert process.returncode == 0, errors
    assert errors.count("going on after step") == 1, errors
    assert "already holds a run" not in errors
    assert "all 40 steps are done" in errors
    assert "average of the last 2 checkpoints" in errors
    assert logged_steps(folder) == list(range(1, 41))
    assert len(ferryman("translate", folder, stdin="apfel baum .\n").stdout.splitlines()) == 1
