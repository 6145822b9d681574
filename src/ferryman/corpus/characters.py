"""Single characters that need care: odd ones, invisible ones, line breaks inside a text."""

import re
import unicodedata

# Control characters other than the tab, zero-width space, line and paragraph separator, BOM, replacement character.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff\ufffd]")
# White space, soft hyphen, zero-width and directional marks, invisible operators, BOM: nothing a reader would see.
_VISIBLE = re.compile("[^\\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_BROKEN_SPACE = re.compile(r"\s*[\r\n]\s*")

# Unicode gives control characters no names; these are the ISO 6429 names of those that split lines elsewhere.
_CONTROLS = {
    "\x00": "NULL",
    "\x0b": "LINE TABULATION",
    "\x0c": "FORM FEED",
    "\r": "CARRIAGE RETURN",
    "\x1c": "INFORMATION SEPARATOR FOUR",
    "\x1d": "INFORMATION SEPARATOR THREE",
    "\x1e": "INFORMATION SEPARATOR TWO",
    "\x85": "NEXT LINE",
}


def odd_characters(text: str) -> list[str]:
    """Name each character of a text that is allowed but rarely meant, such as ``U+2028 LINE SEPARATOR``."""
    return [name_of(character) for character in _ODD.findall(text)]


def name_of(character: str) -> str:
    """Give a character's code point and name."""
    name = _CONTROLS.get(character) or unicodedata.name(character, "CONTROL CHARACTER")
    return f"U+{ord(character):04X} {name}"


def is_blank(text: str) -> bool:
    """Tell whether a text holds nothing that can be seen: only white space (U+00A0 too) and zero-width characters."""
    return _VISIBLE.search(text) is None


def one_line(text: str) -> str:
    """Join a text of several lines: white space around a line break becomes one space, at the edges none.

    Formats that can hold line breaks wrap their text for layout; a pair is one line on either side.
    """
    return _BROKEN_SPACE.sub(" ", text).strip()
