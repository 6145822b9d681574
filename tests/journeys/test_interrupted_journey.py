"""A run that is interrupted, in whatever way, ends as if it had not been."""

import json
import math
import signal
import time
from itertools import count
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from ferryman.training import update
from ferryman.training.metrics import read_metrics

TIMINGS = {"seconds", "tokens_per_second"}


def untimed(folder: Path) -> list[dict]:
    records = read_metrics(folder / "metrics.jsonl")
    return [{key: value for key, value in record.items() if key not in TIMINGS} for record in records]


def wait_for_records(folder: Path, count: int, process) -> None:
    """Wait until a run has written so many lines of metrics."""
    path = folder / "metrics.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.stderr.read().decode()
        time.sleep(0.002)


def heed_ctrl_c() -> None:
    """Undo what a shell may have done to a test run in the background, which children inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def assert_same_run(folder: Path, trained) -> None:
    for name in ("model.safetensors", "training_state.safetensors"):
        weights, expected = load_file(folder / name), load_file(trained.folder / name)
        assert weights.keys() == expected.keys()
        assert all(torch.equal(weights[key], expected[key]) for key in expected)
    assert (folder / "README.md").read_bytes() == (trained.folder / "README.md").read_bytes()
    assert untimed(folder) == untimed(trained.folder)


def test_a_run_stopped_and_killed_and_stopped_again_goes_on_exactly(ferryman, start, trained, tmp_path):
    folder = tmp_path / "run"
    command = ["train", trained.source, trained.target, "-o", folder, *trained.settings]
    for number, records in ((signal.SIGTERM, 1), (signal.SIGKILL, 5), (signal.SIGINT, 9)):
        process = start(*command, preexec_fn=heed_ctrl_c)
        wait_for_records(folder, records, process)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1].decode()
        assert "Traceback" not in errors
        if number == signal.SIGKILL:
            (folder / ".model.safetensors.1.unfinished").write_bytes(b"as a kill while writing leaves it")
            with (folder / "metrics.jsonl").open("ab") as file:
                file.write(b'{"kind": "step", "st')
        else:
            assert process.returncode == 128 + number
            assert f"interrupted by {number.name}" in errors
            assert f"go on with: ferryman train --resume {folder}" in errors
            assert len(ferryman("translate", folder, stdin="apfel baum .\n").stdout.splitlines()) == 1
        command = ["train", "--resume", folder]
    resumed = ferryman(*command)
    assert resumed.exit_code == 0, resumed.stderr
    assert "going on after step" in resumed.stderr
    assert_same_run(folder, trained)
    assert not list(folder.rglob("*.unfinished"))


@pytest.fixture
def finished(ferryman, write_pairs, pairs, tmp_path, quick) -> Path:
    """A run of two steps that is done."""
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, "training.log_every_steps=1")
    assert result.exit_code == 0
    return tmp_path / "run"


def test_nothing_to_do_is_said_with_both_numbers_and_changes_nothing(ferryman, finished):
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    for settings in ([], ["training.steps=1"]):
        result = ferryman("train", "--resume", finished, *settings)
        assert result.exit_code == 0
        budget = "the one step is" if settings else "all 2 steps are"
        assert f"nothing to do: step 2, and {budget} done" in result.stderr
    assert {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("budget", ["training.steps=4", "training.epochs=3"])
def test_a_longer_budget(ferryman, finished, budget):
    result = ferryman("train", "--resume", finished, budget)
    assert result.exit_code == 0, result.stderr
    assert "prepared before" in result.stderr
    steps = [record["step"] for record in read_metrics(finished / "metrics.jsonl") if record["kind"] == "step"]
    assert steps[:4] == [1, 2, 3, 4]
    name, _, value = budget.removeprefix("training.").partition("=")
    resolved = (finished / "config.yaml").read_text(encoding="utf-8")
    assert f"  {name}: {value}" in resolved


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("model.d_model=64", "model.d_model: 32 cannot become 64"),
        ("model.norm_order=post", "model.norm_order: pre cannot become post"),
        ("training.seed=2", "training.seed: 1 cannot become 2"),
        ("data.max_tokens=9", "data.max_tokens: 256 cannot become 9"),
        ("tokenizer.vocab_size=300", "tokenizer.vocab_size: 400 cannot become 300"),
    ],
)
def test_what_a_run_is_cannot_change_on_the_way(ferryman, finished, setting, words):
    before = (finished / "config.yaml").read_bytes()
    result = ferryman("train", "--resume", finished, "training.steps=4", setting)
    assert result.exit_code == 2
    assert words in result.stderr
    assert (finished / "config.yaml").read_bytes() == before
    assert ferryman("info", finished).exit_code == 0


def test_a_corpus_that_has_changed_is_refused(ferryman, finished, tmp_path):
    source = tmp_path / "corpus.en"
    source.write_bytes(source.read_bytes().replace(b"haus", b"maus"))
    result = ferryman("train", "--resume", finished, "training.steps=4")
    assert result.exit_code == 1
    assert "the corpus files have changed since this run began" in result.stderr


def test_the_corpus_may_move(ferryman, write_pairs, pairs, tmp_path, quick):
    write_pairs(pairs)
    named = ["data.train=['corpus.{source}','corpus.{target}']", "data.source_language=en", "data.target_language=de"]
    first = ferryman("train", "tiny", "-o", tmp_path / "run", *named, f"data.directory={tmp_path}", *quick)
    assert first.exit_code == 0, first.stderr
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("corpus.en", "corpus.de"):
        (tmp_path / name).rename(moved / name)
    lost = ferryman("train", "--resume", tmp_path / "run", "training.steps=3")
    assert lost.exit_code == 0, lost.stderr
    assert "no such file" in lost.stderr
    assert "going on with what was prepared of the corpus" in lost.stderr
    found = ferryman("train", "--resume", tmp_path / "run", "training.steps=4", f"data.directory={moved}")
    assert found.exit_code == 0, found.stderr
    assert "no such file" not in found.stderr


@pytest.mark.parametrize("damage", ["no run", "model only", "damaged state"])
def test_what_cannot_go_on_says_so(ferryman, finished, tmp_path, damage):
    state = finished / "training_state.safetensors"
    if damage == "no run":
        result = ferryman("train", "--resume", tmp_path / "nowhere")
    else:
        state.unlink() if damage == "model only" else state.write_bytes(state.read_bytes()[:1000])
        result = ferryman("train", "--resume", finished, "training.steps=4")
    assert result.exit_code == 1
    assert len([line for line in result.stderr.splitlines() if line.startswith("ferryman: ")]) == 1
    assert "Traceback" not in result.stderr


def test_a_run_killed_before_its_first_save_starts_afresh(ferryman, finished):
    for name in ("training_state.safetensors", "model.safetensors"):
        (finished / name).unlink()
    first = untimed(finished)
    result = ferryman("train", "--resume", finished)
    assert result.exit_code == 0, result.stderr
    assert untimed(finished) == first


def test_resume_takes_no_files(ferryman, finished):
    result = ferryman("train", "tiny", "--resume", finished)
    assert result.exit_code == 2
    assert "--resume takes its configuration and folder from the run" in result.stderr


def test_patience_is_a_reason_to_stop(ferryman, write_pairs, pairs, tmp_path, quick):
    stopping = ["training.steps=4", "training.validate_every_steps=1", "training.patience=2", "data.valid_pairs=0"]
    # Without a validation set the latest is the best, so there is no losing patience ...
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "a", *quick, *stopping)
    assert "all 4 steps are done" in result.stderr
    # ... and with a learning rate of next to nothing, no validation is better than the first.
    stopping[-1:] = ["training.learning_rate=1e-30", "training.validation_sentences=2", "training.best_metric=chrf"]
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "b", *quick, *stopping)
    assert result.exit_code == 0
    assert "stopped at step 3" in result.stderr
    assert "no improvement in 2 validations" in result.stderr
    assert json.loads((tmp_path / "b" / "metrics.jsonl").read_text().split("\n")[-2])["reason"].startswith("no improv")


def test_the_learning_rate_is_a_reason_to_stop(ferryman, write_pairs, pairs, tmp_path, quick):
    settings = ["training.steps=50", "training.warmup_steps=2", "training.stop_learning_rate=0.009"]
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, *settings)
    assert result.exit_code == 0
    assert "is below training.stop_learning_rate" in result.stderr


@pytest.fixture
def disturb(monkeypatch):
    """Let something happen at some of the batches, counted from 1."""

    def set_up(happens, numbers) -> None:
        batch_loss, calls = update.batch_loss, count(1)

        def disturbed(*arguments):
            loss, nll = batch_loss(*arguments)
            return (happens(loss), nll) if next(calls) in numbers else (loss, nll)

        monkeypatch.setattr(update, "batch_loss", disturbed)

    return set_up


def out_of_memory(_loss):
    raise torch.OutOfMemoryError("CUDA out of memory")


def test_a_lack_of_memory_is_told_and_counted(ferryman, write_pairs, pairs, tmp_path, quick, disturb):
    disturb(out_of_memory, {2})
    settings = ["training.steps=3", "training.log_every_steps=1"]
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, *settings)
    assert result.exit_code == 0, result.stderr
    assert "step 2: out of memory, the batch was split 1 time" in result.stderr
    steps = [record for record in read_metrics(tmp_path / "run" / "metrics.jsonl") if record["kind"] == "step"]
    assert [record["splits"] for record in steps] == [0, 1, 1]
    assert all(record["skipped_steps"] == 0 and math.isfinite(record["loss"]) for record in steps)


def test_gradients_that_are_not_finite_fail_the_command(ferryman, write_pairs, pairs, tmp_path, quick, disturb):
    """Step 2 is skipped; so are steps 4 to 6, which are too many in a row: what was saved before them stays."""
    disturb(lambda loss: loss * math.nan, {2, 4, 5, 6})
    folder = tmp_path / "run"
    settings = ["training.steps=9", "training.max_skipped_steps=3", "training.save_every_steps=1"]
    command = ["train", *write_pairs(pairs), "-o", folder, *quick, *settings, "training.log_every_steps=1"]
    result = ferryman(*command)
    assert result.exit_code == 1
    assert "step 2: skipped, the gradient of target_table is not finite" in result.stderr
    assert "3 steps in a row had gradients that are not finite, the last one first in target_table" in result.stderr
    steps = [record for record in read_metrics(folder / "metrics.jsonl") if record["kind"] == "step"]
    assert [record["skipped_steps"] for record in steps] == [0, 1, 1, 2, 3, 4]
    assert [record["loss"] is None for record in steps] == [False, True, False, True, True, True]
    state = load_file(folder / "training_state.safetensors")
    assert all(tensor.isfinite().all() for tensor in state.values())
    resumed = ferryman("train", "--resume", folder)  # no batch is disturbed any more
    assert resumed.exit_code == 0, resumed.stderr
    assert "going on after step 3" in resumed.stderr
    assert read_metrics(folder / "metrics.jsonl")[-1]["step"] == 9


SELDOM = "training.save_every_minutes=1000"  # the clock counts from the start of the process, which runs other tests


def test_a_learning_rate_that_wrecks_a_run_leaves_what_was_saved_before(ferryman, finished):
    wild = ["training.steps=30", "training.learning_rate=1e9", SELDOM]
    wrecked = ferryman("train", "--resume", finished, *wild)
    assert wrecked.exit_code == 1
    assert "10 steps in a row had gradients that are not finite" in wrecked.stderr
    assert "the training state is kept as it was after step 2" in wrecked.stderr
    resumed = ferryman("train", "--resume", finished, "training.steps=6", "training.learning_rate=1e-3")
    assert resumed.exit_code == 0, resumed.stderr
    assert "going on after step 2" in resumed.stderr
    assert "all 6 steps are done" in resumed.stderr


def test_a_new_run_that_is_wrecked_at_once_claims_no_model_and_can_go_on(ferryman, write_pairs, pairs, tmp_path, quick):
    wild = ["training.steps=30", "training.warmup_steps=1", "training.learning_rate=1e30", SELDOM]
    wrecked = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, *wild)
    assert wrecked.exit_code == 1
    assert f"\ntraining state is in {tmp_path / 'run'}" in wrecked.stderr
    assert not (tmp_path / "run" / "model.safetensors").exists()
    resumed = ferryman("train", "--resume", tmp_path / "run", "training.steps=3", "training.learning_rate=1e-3")
    assert resumed.exit_code == 0, resumed.stderr


def test_a_run_that_has_diverged_at_its_end_says_so(ferryman, write_pairs, pairs, tmp_path, quick):
    wild = ["training.steps=20", "training.warmup_steps=1", "training.learning_rate=10.0", "data.valid_pairs=4"]
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, *wild)
    assert "training has diverged: at the end the loss is" in result.stderr
    assert "lower training.learning_rate" in result.stderr
