"""Let the tests import the toy task beside this file, and share its pairs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # processes.py
sys.path.insert(0, str(Path(__file__).parent))

from toy_task import write_task


@pytest.fixture(scope="session")
def reversals(tmp_path_factory):
    """A token store of 80 short sequences and their reverse."""
    return write_task(tmp_path_factory.mktemp("reversals") / "store", 80)
