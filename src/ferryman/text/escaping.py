"""A small reversible escape for the one character that SentencePiece keeps for itself.

SentencePiece writes a space as U+2581 (▁), so a ▁ in a text would come back as a space. Before a text is cut into
pieces each ▁ becomes a private-use mark and a ``0``; the mark itself, should a text hold it, becomes the mark and
a ``1``.
"""

import re

SPACE_SYMBOL = "\u2581"
_MARK = "\ue5c0"
_UNESCAPED = {_MARK + "0": SPACE_SYMBOL, _MARK + "1": _MARK}
_ESCAPED = str.maketrans({plain: escaped for escaped, plain in _UNESCAPED.items()})
_ESCAPES = re.compile(f"{_MARK}[01]")


def escape(text: str) -> str:
    """Return the text without any ▁; ``unescape(escape(text)) == text`` for every text."""
    if SPACE_SYMBOL in text or _MARK in text:
        return text.translate(_ESCAPED)
    return text


def unescape(text: str) -> str:
    """Undo ``escape``; a mark with neither ``0`` nor ``1`` behind it stays as it is."""
    if _MARK in text:
        return _ESCAPES.sub(lambda found: _UNESCAPED[found[0]], text)
    return text
