"""Let the tests import the table steppers beside this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
