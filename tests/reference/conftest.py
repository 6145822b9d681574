"""Let the tests import the table steppers of the decoding tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "decoding"))
