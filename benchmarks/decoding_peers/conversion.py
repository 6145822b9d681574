"""The model in the forms that the sides read, made once and kept.

Needs nothing but Python, so that it can be read in any environment.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from peers.environments import NotInstalledError

BENCHMARKS = Path(__file__).resolve().parents[1]
OURS, SHAPE = "ours.safetensors", "shape.json"
MARIAN, CTRANSLATE2 = "marian", "ctranslate2-{}"
FORMAT = 3  # to be raised when a model is built or converted in another way


def model_folder(folder: Path, shape: dict[str, int]) -> Path:
    """Name the folder of the model of a shape."""
    digest = hashlib.blake2b(json.dumps([FORMAT, shape], sort_keys=True).encode(), digest_size=6).hexdigest()
    return folder / "models" / digest


def convert(form: str, model: Path, python: Path) -> None:
    """Make a form of a model, unless it is there, with the Python of an environment that can.

    Raises:
        NotInstalledError: it cannot be made.

    """
    target = model / form
    if target.exists():
        return
    print(f"making {target}; once", file=sys.stderr)
    unfinished = target.with_suffix(".unfinished")
    module = "to_marian" if form == MARIAN else "to_ctranslate2"
    environment = {**os.environ, "PYTHONPATH": str(BENCHMARKS), "HF_HUB_OFFLINE": "1"}
    command = [python, "-P", "-m", f"decoding_peers.{module}", model, unfinished, form.rpartition("-")[2]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalledError(f"{form}: {done.stderr.strip().splitlines()[-1]}")
    unfinished.rename(target)
