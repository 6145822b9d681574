"""``metrics.jsonl``: a line an event, right after any interruption."""

import json
import math

import pytest

from ferryman.training.events import Logged, Notice, Stepped, Stopped, Validated
from ferryman.training.metrics import MetricsFile, read_metrics


def logged(step, loss=1.5):
    return Logged(step, 0.5, 0.1, loss, 1.25, 1e-3, 0.75, 1000.0, 2.5, 0, 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "metrics.jsonl"


def write(path, *events, step=0, validations=9):
    with MetricsFile(path, step=step, validations=validations) as metrics:
        for event in events:
            metrics.write(event)


def test_events_of_three_kinds_are_kept(path):
    write(path, Notice("hello"), logged(5), Stepped(5), Validated(5, 3.0, {"bleu": 9.5}, True), Stopped(6, "süß", 4.0))
    assert [(record["kind"], record["step"]) for record in read_metrics(path)] == [
        ("step", 5),
        ("validation", 5),
        ("stop", 6),
    ]
    step, validation, stop = read_metrics(path)
    assert (step["loss"], step["nll"], step["learning_rate"]) == (1.5, 1.25, 1e-3)
    assert (validation["figures"], validation["best"]) == ({"bleu": 9.5}, True)
    assert stop["reason"] == "süß"


def test_lines_are_there_as_soon_as_they_are_written(path):
    with MetricsFile(path, step=0, validations=0) as metrics:
        metrics.write(logged(5))
        assert len(read_metrics(path)) == 1


def test_going_on_drops_what_came_after_the_saved_state(path):
    write(path, logged(5), logged(10), Validated(10, 1.0), logged(15))
    write(path, logged(15, loss=1.0), step=10)
    assert [(record["kind"], record["step"]) for record in read_metrics(path)] == [
        ("step", 5),
        ("step", 10),
        ("validation", 10),
        ("step", 15),
    ]
    assert read_metrics(path)[-1]["loss"] == 1.0


@pytest.mark.parametrize("saved", [0, 1, 2])
def test_a_validation_that_was_not_saved_is_taken_back(path, saved):
    """It will be made again, at the very step of the saved state."""
    write(path, logged(10), Validated(10, 1.0, {"loss": 1.0}), Validated(10, 1.0, {"loss": 2.0}))
    write(path, step=10, validations=saved)
    assert [record["kind"] for record in read_metrics(path)] == ["step"] + ["validation"] * saved


def test_going_on_after_a_stop_takes_it_back(path):
    write(path, logged(5), Stopped(5, "received SIGTERM", 2.0))
    write(path, logged(10), step=5)
    assert [record["kind"] for record in read_metrics(path)] == ["step", "step"]


def test_a_new_run_begins_an_empty_file(path):
    write(path, logged(5), Stopped(6, "done", 1.0))
    write(path, step=0)
    assert path.read_bytes() == b""


def test_a_last_line_cut_off_is_left_out(path):
    """Wherever it is cut, also inside a letter; going on removes it, so that the next line is whole."""
    write(path, logged(5), Stopped(6, "süß", 4.0))
    whole = path.read_bytes()
    for cut in range(2, 60):
        path.write_bytes(whole[:-cut])
        assert [record["step"] for record in read_metrics(path)] == [5]
    write(path, logged(10), step=5)
    assert [record["step"] for record in read_metrics(path)] == [5, 10]


def test_numbers_that_are_not_finite_are_null(path):
    """JSON has no NaN: other programs would refuse the file."""
    write(path, logged(5, loss=math.nan), Validated(5, 1.0, {"loss": math.inf}))
    records = [json.loads(line, parse_constant=pytest.fail) for line in path.read_text().splitlines()]
    assert records[0]["loss"] is None
    assert records[1]["figures"] == {"loss": None}
