"""What happened inside one translation, as a value; then JSON, a page, pictures and word alignments.

>>> from ferryman.explain import trace, write_page
>>> trace(translator, "The river is wide.").save("river.json")
>>> write_page(trace(translator, "The river is wide.").to_json(), "river.html")
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ferryman.explain.aligning import alignment_error, layer_head_aer
    from ferryman.explain.files import load_trace
    from ferryman.explain.page import write_page
    from ferryman.explain.tracing import trace
    from ferryman.explain.values import Trace

__all__ = ["Trace", "alignment_error", "layer_head_aer", "load_trace", "trace", "write_page"]

_HOMES = {
    "ferryman.explain.aligning": ("alignment_error", "layer_head_aer"),
    "ferryman.explain.files": ("load_trace",),
    "ferryman.explain.page": ("write_page",),
    "ferryman.explain.tracing": ("trace",),
    "ferryman.explain.values": ("Trace",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: drawing needs no translator, and reading no model."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'ferryman.explain' has no attribute '{name}'")
