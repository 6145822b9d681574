"""The commands are a promise: their names, and that asking for help is quick."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from ferryman import __version__
from ferryman.cli.app import app

COMMANDS = [
    "demo",
    "check",
    "train",
    "translate",
    "score",
    "evaluate",
    "serve",
    "average",
    "back-translate",
    "distill",
    "quantize",
    "info",
    "explain",
    "plot",
    "convert",
    "config",
]

FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"

# Runs in a process of its own, which has loaded nothing before.
ASK_FOR_HELP = """
import json, sys
from typer.testing import CliRunner
from ferryman.cli.app import app
names = json.loads(sys.argv[1])
found = {name: CliRunner().invoke(app, [name, "--help"]) for name in names}
found[""] = CliRunner().invoke(app, ["--help"])
found["--version"] = CliRunner().invoke(app, ["--version"])
print(json.dumps({
    "codes": {name: result.exit_code for name, result in found.items()},
    "texts": {name: result.stdout for name, result in found.items()},
    "heavy": [name for name in ("torch", "numpy", "sentencepiece", "sacrebleu") if name in sys.modules],
}))
"""


def test_the_list_of_commands():
    assert list(typer.main.get_command(app).commands) == COMMANDS


def test_help_of_every_command_loads_nothing_heavy():
    command = [sys.executable, "-c", ASK_FOR_HELP, json.dumps(COMMANDS)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert set(found["codes"].values()) == {0}
    assert found["heavy"] == []
    assert found["texts"]["--version"] == f"ferryman {__version__}\n"
    for name in COMMANDS:
        assert name in found["texts"][""]
        assert "Traceback" not in found["texts"][name]
    assert "130" in found["texts"]["train"]
    assert "143" in found["texts"]["train"]
    for name in (
        "translate",
        "score",
        "evaluate",
        "back-translate",
        "distill",
        "quantize",
    ):  # of a trained model nothing else can be set
        assert "decoding.key=value" in found["texts"][name]
        assert "section.key=value" not in found["texts"][name]
    assert "\n    ferryman train --resume runs/en-de\n" in found["texts"]["train"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["config", "tiny"], ["config", "--names"]])
def test_a_full_disk_under_standard_output_is_told(arguments):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ferryman", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.decode() == "ferryman: standard output: No space left on device; make room and try again\n"


@pytest.mark.parametrize("module", ["typer", "torch"])
def test_ctrl_c_while_the_libraries_are_loaded_shows_no_traceback(tmp_path, module):
    """Here a module of that name interrupts its own import, in a place where the exception would be lost."""
    (tmp_path / f"{module}.py").write_text(
        "import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    pass\n"
    )
    command = [sys.executable, "-m", "ferryman", "translate", FROZEN]
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": paths}, preexec_fn=heed_ctrl_c
    )
    assert (done.returncode, done.stderr) == (130, b"ferryman: interrupted\n")


def heed_ctrl_c():
    """Undo what a shell may have done to a test run in the background, which children inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_the_data_doctor_does_not_wait_for_pytorch(tmp_path):
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("one\ntwo\n", encoding="utf-8")
    code = "import sys; from ferryman.cli.app import app; app(sys.argv[1:], standalone_mode=False); " + (
        "sys.exit('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "check", str(tmp_path / "a.en"), str(tmp_path / "a.de")]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"read 2 pairs" in done.stdout


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "ferryman", "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == f"ferryman {__version__}\n"
    unknown = subprocess.run([sys.executable, "-m", "ferryman", "trian"], capture_output=True, check=False)
    assert unknown.returncode == 2
    assert b"No such command" in unknown.stderr
    assert b"Traceback" not in unknown.stderr


def test_a_model_is_loaded_without_pytorchs_compiler():
    """It takes as long to load as the rest together, and nothing here needs it."""
    code = f"import sys, ferryman; ferryman.load({str(FROZEN)!r}); print('torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
