"""Of several processes that end together, one tells why."""

from dataclasses import dataclass, field

import pytest
import typer

from ferryman.cli.joining import joined
from ferryman.errors import DataError, TrainingError
from ferryman.training import distributed

LOST = RuntimeError("[gloo/transport/tcp/pair.cc:547] Connection closed by peer")


@dataclass
class Fake:
    """One of two workers, which is, or is not, the first to fail."""

    first: bool = True
    leads: bool = False
    rank: int = 1
    world: int = 2
    left: list[bool] = field(default_factory=list)

    def first_to_fail(self) -> bool:
        return self.first

    def break_off(self) -> None:
        self.left.append(False)

    def leave(self) -> None:
        self.left.append(True)


def end_with(error, monkeypatch, **about):
    worker = Fake(**about)
    monkeypatch.setattr(distributed, "join", lambda: worker)
    with pytest.raises(BaseException) as caught, joined():
        raise error
    return caught.value, worker


def test_the_first_to_fail_tells_which_process_it_is(monkeypatch):
    error, worker = end_with(DataError("no such file"), monkeypatch)
    assert type(error) is DataError
    assert str(error) == "process 1 (of 2, counted from 0): no such file"
    assert not worker.left
    error, worker = end_with(DataError("no such file"), monkeypatch, leads=True, rank=0)
    assert str(error) == "no such file"
    assert worker.left == [False]  # the others have seen it


@pytest.mark.parametrize("error", [DataError("no"), LOST, KeyboardInterrupt(15), OSError(28, "full")], ids=repr)
def test_the_others_fail_without_a_word(monkeypatch, error):
    ended, _ = end_with(error, monkeypatch, first=False)
    assert isinstance(ended, typer.Exit)
    assert ended.exit_code == 1


def test_one_that_ended_without_a_word_is_told_of(monkeypatch):
    error, _ = end_with(LOST, monkeypatch)
    assert isinstance(error, TrainingError)
    assert "another process of this run has ended without a word" in str(error)


@pytest.mark.parametrize("first", [True, False])
def test_a_bug_keeps_its_traceback(monkeypatch, first):
    error, _ = end_with(ValueError("a bug"), monkeypatch, first=first)
    assert isinstance(error, ValueError)


def test_all_that_come_to_the_end_take_leave(monkeypatch):
    ended, worker = end_with(typer.Exit(143), monkeypatch)
    assert ended.exit_code == 143
    assert worker.left
    worker = Fake()
    monkeypatch.setattr(distributed, "join", lambda: worker)
    with joined() as workers:
        assert workers is worker
    assert worker.left
