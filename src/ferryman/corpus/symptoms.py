"""Signs of a sick pair: each a small test, none a proof."""

import re
from collections.abc import Callable

from ferryman.corpus.characters import odd_characters
from ferryman.corpus.languages import canonical
from ferryman.corpus.pair import Pair
from ferryman.text.scripts import LETTER_OF, script_of

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}\d?);")
_SUBWORD = re.compile(r"@@(?: |$)")
_LETTER = re.compile(r"[^\W\d_]")
_TWO_SCRIPTS = re.compile("[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")

# Continuation bytes 0x80–0xBF as windows-1252 and Latin-1 show them, after the lead bytes of Latin and Cyrillic letters
# (two bytes), of punctuation (0xE2), or of two CJK characters in a row (0xE3–0xE9). Fewer would match real French.
_TAIL = "[\u0080-\u00bf" + "".join(bytes([b]).decode("cp1252", "ignore") for b in range(0x80, 0xA0)) + "]"
_TWICE_ENCODED = re.compile(f"[ÂÃÐÑ]{_TAIL}|â{_TAIL}{{2}}|(?:[\u00e3-\u00e9]{_TAIL}{{2}}){{2}}")

Sign = Callable[[str], bool]


def signs_for(language: str) -> list[tuple[str, Sign]]:
    """List the signs to look for on a side in this language: name and test."""
    signs: list[tuple[str, Sign]] = [
        ("tab inside the text", lambda text: "\t" in text),
        ("HTML entity", lambda text: _ENTITY.search(text) is not None),
        ("'@@' left by subword splitting", lambda text: _SUBWORD.search(text) is not None),
        ("UTF-8 encoded twice", lambda text: _TWICE_ENCODED.search(text) is not None),
        ("letters of two scripts in one word", lambda text: _TWO_SCRIPTS.search(text) is not None),
    ]
    if script := script_of(canonical(language)):
        expected = LETTER_OF[script]
        signs.append(
            (
                f"words but no {script} letter",
                lambda text: _LETTER.search(text) is not None and expected.search(text) is None,
            )
        )
    return signs


def symptoms(pair: Pair, signs: tuple[list[tuple[str, Sign]], list[tuple[str, Sign]]]) -> list[str]:
    """Name what looks wrong with a pair, with the side: ``target: HTML entity``, ``source: U+2028 LINE SEPARATOR``."""
    return [
        f"{side}: {name}"
        for side, text, tests in (("source", pair.source, signs[0]), ("target", pair.target, signs[1]))
        for name in (*dict.fromkeys(odd_characters(text)), *(name for name, shows in tests if shows(text)))
    ]
