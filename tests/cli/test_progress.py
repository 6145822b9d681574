"""What a person sees of a run where there is no terminal."""

from pathlib import Path
from types import SimpleNamespace

from ferryman.cli.progress import show
from ferryman.config import Config
from ferryman.training.events import Logged, Notice, Stepped, Stopped, Validated


def logged(step: int) -> Logged:
    return Logged(step, 1.5, 0.5, 2.25, 2.0, 1e-3, 1.0, 1234.5, 60.0, 0, 0)


def test_the_lines_of_a_run(capsys):
    run = SimpleNamespace(config=Config(), folder=Path("runs/x"), trainer=SimpleNamespace(stop_reason=None))
    show(
        [
            Notice("a [notice]"),
            logged(50),
            Validated(50, 60.0, {"loss": 2.0, "bleu": 12.5}, best=True),
            logged(100),  # less than ten seconds after the line before: left out
            Stepped(101, splits=2),
            Stepped(102, bad_tensor="encoder.0.weight"),
            Stopped(103, "all 103 steps are done", 125.4),
        ],
        run,
    )
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.splitlines() == [
        "a [notice]",
        "step 50 · epoch 1.50 · loss 2.250 · lr 1.00e-03 · 1,234 target tokens/s · 50%, 0:01:00 left",
        "validation at step 50: loss 2, bleu 12.5 (beam 1) · best so far",
        "step 101: out of memory, the batch was split 2 times",
        "step 102: skipped, the gradient of encoder.0.weight is not finite",
        "stopped at step 103 after 0:02:05: all 103 steps are done",
        "model and training state are in runs/x",
    ]


def test_a_run_that_was_stopped_says_how_to_go_on(capsys):
    run = SimpleNamespace(config=Config(), folder=Path("runs/x"), trainer=SimpleNamespace(stop_reason="a reason"))
    show([Stopped(3, "a reason", 1.0)], run)
    assert "go on with: ferryman train --resume runs/x" in capsys.readouterr().err


def test_without_a_validation_set_no_validation_is_called_the_best(capsys):
    run = SimpleNamespace(config=Config(), folder=Path("runs/x"), trainer=SimpleNamespace(stop_reason=None))
    show([Validated(3, 1.0, {}, best=True), Stopped(3, "a reason", 1.0, best_step=3)], run)
    assert "model and training state are in runs/x" in capsys.readouterr().err
    show([Validated(3, 1.0, {"loss": 1.0}, best=True), Stopped(3, "a reason", 1.0, best_step=3)], run)
    assert "model (of step 3, the best validation)" in capsys.readouterr().err


def test_a_model_that_there_is_not_is_not_claimed(capsys):
    run = SimpleNamespace(config=Config(), folder=Path("runs/x"), trainer=SimpleNamespace(stop_reason="a reason"))
    show([Stopped(3, "a reason", 1.0, has_model=False)], run)
    assert "\ntraining state is in runs/x\n" in capsys.readouterr().err
