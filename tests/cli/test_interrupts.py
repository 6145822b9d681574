"""The first signal asks the run to stop, a second one acts at once, and all is as before afterwards."""

import signal

import pytest
import typer

from ferryman.cli.console import reported
from ferryman.cli.interrupts import SIGNALS, ending_tidily, stopping_on_signals
from ferryman.files import replacing


class Run:
    """Notes what it was asked; can be stopped once training has begun."""

    def __init__(self, *, begun: bool) -> None:
        self.begun = begun
        self.reasons: list[str] = []

    def stop(self, reason: str) -> bool:
        self.reasons.append(reason)
        return self.begun


@pytest.fixture(autouse=True)
def _handlers_as_they_were():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:  # one of them may be ignored, as under nohup
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_run_and_is_the_exit_code(number):
    run, before = Run(begun=True), [signal.getsignal(one) for one in SIGNALS]
    with pytest.raises(typer.Exit) as caught, stopping_on_signals(run):
        signal.raise_signal(number)
    assert run.reasons == [f"interrupted by {signal.Signals(number).name}"]
    assert caught.value.exit_code == 128 + number
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_a_second_signal_acts_at_once():
    run = Run(begun=True)
    with pytest.raises(KeyboardInterrupt), stopping_on_signals(run):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert len(run.reasons) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_before_training_a_signal_ends_the_command(number, capsys):
    with pytest.raises(typer.Exit) as caught, reported(debug=False), stopping_on_signals(Run(begun=False)):
        signal.raise_signal(number)
    assert caught.value.exit_code == 128 + number
    assert capsys.readouterr().err == "ferryman: interrupted\n"


def test_a_signal_that_was_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    run = Run(begun=True)
    with stopping_on_signals(run):
        signal.raise_signal(signal.SIGHUP)
    assert run.reasons == []


def test_without_a_signal_nothing_happens():
    with stopping_on_signals(Run(begun=True)):
        before = signal.getsignal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler is not before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_was_written_in_part_is_removed(number, tmp_path):
    before = [signal.getsignal(one) for one in SIGNALS]
    file = replacing(tmp_path / "out.txt")
    with pytest.raises(typer.Exit) as caught, reported(debug=False), ending_tidily(), file as unfinished:
        unfinished.write_text("half")
        signal.raise_signal(number)
    assert caught.value.exit_code == 128 + number
    assert not list(tmp_path.iterdir())
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_what_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with ending_tidily():
        signal.raise_signal(signal.SIGHUP)
