"""Normal forms: what happens to a text before it is cut into pieces.

A model folder names its normal form, so that a text is always seen as it was in training.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable

from ferryman.errors import ConfigError

_SEPARATORS = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_CONTROLS = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _SEPARATORS]
_REPLACEMENTS: dict[int, str | None] = dict.fromkeys([*_CONTROLS, 0xFEFF], None) | dict.fromkeys(
    map(ord, _SEPARATORS), " "
)
_SPACES = re.compile("  +")
_PLAIN_QUOTES = {0x2019: "'", 0x201C: '"', 0x201D: '"'}
_ZERO_WIDTH_SPACE = "\N{ZERO WIDTH SPACE}"
_WIDE_SPACES, _SPACE_BEFORE = re.compile("[ \N{IDEOGRAPHIC SPACE}]+"), re.compile(" (?=[?!,.:])")


def identity(text: str) -> str:
    """Return the text as it is."""
    return text


def nfc(text: str) -> str:
    """Bring a text into Unicode NFC on one line, and change nothing else that can be seen.

    In this order:

    1. each separator becomes one space: TAB, LF, VT, FF, CR, U+001C to U+001F, U+0085 (next line), U+2028 (line
       separator), U+2029 (paragraph separator);
    2. every other C0 and C1 control (U+0000 to U+001F, U+007F to U+009F) and U+FEFF (byte order mark, also known as
       zero-width no-break space) is removed;
    3. a run of ASCII spaces becomes one;
    4. canonical composition (NFC, Unicode Standard Annex 15; the Unicode version is Python's);
    5. white space of any kind (``str.strip``) is removed at both ends.

    Everything else is kept: inside a text no-break spaces, ideographic spaces and the like; everywhere zero-width
    joiners and non-joiners, variation selectors, soft hyphens, full-width forms, private-use characters.
    The form is idempotent: ``nfc(nfc(text)) == nfc(text)``.
    """
    one_line = _SPACES.sub(" ", text.translate(_REPLACEMENTS))
    return unicodedata.normalize("NFC", one_line).strip()


def joeynmt(text: str) -> str:
    """Bring a text into the form that models of Joey NMT with ``normalize: true`` were trained on.

    That is Unicode's NFKC with plain quotation marks, without zero-width spaces, and without a space before ? ! , . and
    colons or more than one anywhere.
    """
    plain = unicodedata.normalize("NFKC", text.replace(_ZERO_WIDTH_SPACE, "")).translate(_PLAIN_QUOTES)
    return _SPACE_BEFORE.sub("", _WIDE_SPACES.sub(" ", plain)).strip()


NORMAL_FORMS: dict[str, Callable[[str], str]] = {"identity": identity, "nfc": nfc, "joeynmt": joeynmt}


def find_normal_form(name: str) -> Callable[[str], str]:
    """Return the normal form of this name; raise ``ConfigError`` with a suggestion where there is none."""
    if name in NORMAL_FORMS:
        return NORMAL_FORMS[name]
    near = difflib.get_close_matches(name.lower(), NORMAL_FORMS, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"choose one of: {', '.join(NORMAL_FORMS)}."
    raise ConfigError(f"unknown normal form '{name}': {hint}")


def normalise(text: str, name: str) -> str:
    """Bring a text into the normal form of this name; raise ``ConfigError`` where there is none."""
    return find_normal_form(name)(text)
