"""A virtual environment for each peer that is not part of PyTorch, made once and kept."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

REQUIREMENTS = {
    "marian": ["transformers==5.24.0"],
    "joeynmt": ["joeynmt==2.3.0", "importlib_metadata"],  # which joeynmt needs and does not name
    "ctranslate2": ["ctranslate2==4.8.5"],
    "ctranslate2-converter": ["ctranslate2==4.8.5", "transformers==5.24.0"],
}
WITHOUT_PYTORCH = {"ctranslate2"}  # which would load it with itself, for nothing


class NotInstalledError(Exception):
    """A peer cannot be installed; says why."""


def default_folder() -> Path:
    """Name the folder that the environments are kept in, unless another is given."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "ferryman-benchmarks"


def prepare(peer: str, folder: Path) -> Path:
    """Make the environment of a peer, unless it stands already, and return its Python.

    PyTorch, if it needs that, is of the very same build as here, from wherever pip is set up to look.

    Raises:
        NotInstalledError: no network, no such version, no room.

    """
    first = [] if peer in WITHOUT_PYTORCH else [f"torch=={version('torch')}"]
    needed = [*first, f"numpy=={version('numpy')}", *REQUIREMENTS[peer]]
    root = folder / peer
    python = root / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    finished = root / "requirements.json"
    if finished.exists() and json.loads(finished.read_text(encoding="utf-8")) == needed:
        return python
    print(f"installing {', '.join(needed)} in {root}; once, a minute or two", file=sys.stderr)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotInstalledError(f"{folder}: {error.strerror}; give another folder with --environments") from error
    _run(sys.executable, "-m", "venv", "--clear", str(root))
    pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    try:
        if first:
            _run(*pip, *first)  # alone, so that nothing brings another
    except NotInstalledError as error:
        build = version("torch").partition("+")[2]
        index = f"; try with PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/{build}" if build else ""
        raise NotInstalledError(f"{error}{index}") from error
    _run(*pip, *needed)
    finished.write_text(json.dumps(needed), encoding="utf-8")
    return python


def _run(*command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise NotInstalledError(errors[-1].removeprefix("ERROR: ") if errors else f"{command[0]} failed")
