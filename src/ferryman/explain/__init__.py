"""What happened inside one translation, as a value; then JSON, pictures and word alignments.

>>> from ferryman.explain import trace
>>> trace(translator, "The river is wide.").save("river.json")
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ferryman.explain.aligning import alignment_error, layer_head_aer
    from ferryman.explain.files import load_trace
    from ferryman.explain.tracing import trace
    from ferryman.explain.values import Trace

__all__ = ["Trace", "alignment_error", "layer_head_aer", "load_trace", "trace"]

_HOMES = {
    "ferryman.explain.aligning": ("alignment_error", "layer_head_aer"),
    "ferryman.explain.files": ("load_trace",),
    "ferryman.explain.tracing": ("trace",),
    "ferryman.explain.values": ("Trace",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: drawing needs no translator, and reading no model."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'ferryman.explain' has no attribute '{name}'")
