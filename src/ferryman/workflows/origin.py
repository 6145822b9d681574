"""Where a model comes from, for the card of one that is made of it."""

import re
from pathlib import Path

from ferryman.checkpoint import CARD
from ferryman.interop.formats import about_format

_CONVERTED = re.compile(r"converted with Ferryman \S+ from (.+?): \d+ \+ \d+ layers")  # as ``model_card`` writes it


def origin_of(model: Path) -> str:
    """Tell in which format a model is, or from which it was converted once; empty: it was trained here."""
    if told := about_format(model).get("format"):
        return told
    card = model / CARD
    found = _CONVERTED.search(card.read_text(encoding="utf-8", errors="replace")) if card.is_file() else None
    return found[1] if found else ""
