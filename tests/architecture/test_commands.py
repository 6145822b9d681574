"""The commands are a promise: their names, and that asking for help is quick."""

import json
import subprocess
import sys

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
    "average",
    "back-translate",
    "distill",
    "info",
    "config",
]

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
    ):  # of a trained model nothing else can be set
        assert "decoding.key=value" in found["texts"][name]
        assert "section.key=value" not in found["texts"][name]
    assert "\n    ferryman train --resume runs/en-de\n" in found["texts"]["train"]


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "ferryman", "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == f"ferryman {__version__}\n"
    unknown = subprocess.run([sys.executable, "-m", "ferryman", "trian"], capture_output=True, check=False)
    assert unknown.returncode == 2
    assert b"No such command" in unknown.stderr
    assert b"Traceback" not in unknown.stderr
