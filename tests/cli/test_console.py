"""How errors end a command."""

import io
import os
import sys

import pytest
import typer

from ferryman.cli.console import reported, use_utf8
from ferryman.cli.options import split_settings
from ferryman.errors import CheckpointError, ConfigError, DataError


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ConfigError("a setting"), 2, "ferryman: a setting\n"),
        (DataError("a file"), 1, "ferryman: a file\n"),
        (CheckpointError("[bold]not markup[/bold]"), 1, "ferryman: [bold]not markup[/bold]\n"),
        (FileNotFoundError(2, "No such file or directory", "x.en"), 1, "ferryman: x.en: No such file or directory\n"),
        (OSError(28, "Disk full", "x.de"), 1, "ferryman: x.de: Disk full; make room and try again\n"),
        (KeyboardInterrupt(), 130, "ferryman: interrupted\n"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(capsys, error, code, line):
    with pytest.raises(typer.Exit) as caught, reported(debug=False):
        raise error
    assert caught.value.exit_code == code
    assert capsys.readouterr() == ("", line)


def test_debug_and_mistakes_of_ours_are_not_hidden():
    with pytest.raises(DataError), reported(debug=True):
        raise DataError("x")
    with pytest.raises(ZeroDivisionError), reported(debug=False):
        raise ZeroDivisionError


def test_streams_become_utf8(monkeypatch):
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="ascii") for name in ("stdin", "stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    use_utf8()
    sys.stdout.write("ồ 中\n")
    sys.stderr.write("\udcff\n")  # as in a file name that is not UTF-8
    for stream in streams.values():
        stream.flush()
    assert streams["stdout"].buffer.getvalue().decode("utf-8") == f"ồ 中{os.linesep}"
    assert b"udcff" in streams["stderr"].buffer.getvalue()


def test_settings_are_told_from_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.b=c").write_text("", encoding="utf-8")
    words = ["train.en", "training.steps=5", "a.b=c", "data.directory=x=y"]
    assert split_settings(words) == (["train.en", "a.b=c"], ["training.steps=5", "data.directory=x=y"])
    with pytest.raises(ConfigError, match=r"'steps=5': no such file"):
        split_settings(["steps=5"])
