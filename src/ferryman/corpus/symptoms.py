"""Signs of a sick pair: each a small test, none a proof."""

import re
from collections.abc import Callable

from ferryman.corpus.languages import canonical
from ferryman.corpus.pair import Pair

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}\d?);")
_SUBWORD = re.compile(r"@@(?: |$)")
_LETTER = re.compile(r"[^\W\d_]")
_TWO_SCRIPTS = re.compile("[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")

# Continuation bytes 0x80–0xBF as windows-1252 and Latin-1 show them, after the lead bytes of Latin and Cyrillic letters
# (two bytes), of punctuation (0xE2), or of two CJK characters in a row (0xE3–0xE9). Fewer would match real French.
_TAIL = "[\u0080-\u00bf" + "".join(bytes([b]).decode("cp1252", "ignore") for b in range(0x80, 0xA0)) + "]"
_TWICE_ENCODED = re.compile(f"[ÂÃÐÑ]{_TAIL}|â{_TAIL}{{2}}|(?:[\u00e3-\u00e9]{_TAIL}{{2}}){{2}}")

_SCRIPTS = {
    "Han": "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Han or Kana": "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Hangul": "\u1100-\u11ff\uac00-\ud7af",
    "Cyrillic": "\u0400-\u052f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff",
    "Hebrew": "\u0590-\u05ff",
    "Devanagari": "\u0900-\u097f",
    "Thai": "\u0e00-\u0e7f",
    "Latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}
_SCRIPT_OF = {
    "Han": "zh yue",
    "Han or Kana": "ja",
    "Hangul": "ko",
    "Cyrillic": "ru uk be bg mk",
    "Greek": "el",
    "Arabic": "ar fa ur",
    "Hebrew": "he yi",
    "Devanagari": "hi mr ne",
    "Thai": "th",
    "Latin": "en de fr es it pt nl sv da nb nn no fi is et lv lt pl cs sk sl hr ro hu tr vi id ms ca eu gl sq",
}

Sign = Callable[[str], bool]


def signs_for(language: str) -> list[tuple[str, Sign]]:
    """List the signs to look for on a side in this language: name and test."""
    signs: list[tuple[str, Sign]] = [
        ("control character", lambda text: _CONTROL.search(text) is not None),
        ("tab inside the text", lambda text: "\t" in text),
        ("HTML entity", lambda text: _ENTITY.search(text) is not None),
        ("'@@' left by subword splitting", lambda text: _SUBWORD.search(text) is not None),
        ("UTF-8 encoded twice", lambda text: _TWICE_ENCODED.search(text) is not None),
        ("letters of two scripts in one word", lambda text: _TWO_SCRIPTS.search(text) is not None),
    ]
    primary = canonical(language).partition("-")[0]
    script = next((script for script, languages in _SCRIPT_OF.items() if primary in languages.split()), None)
    if script:
        expected = re.compile(f"[{_SCRIPTS[script]}]")
        signs.append(
            (
                f"words but no {script} letter",
                lambda text: _LETTER.search(text) is not None and expected.search(text) is None,
            )
        )
    return signs


def symptoms(pair: Pair, signs: tuple[list[tuple[str, Sign]], list[tuple[str, Sign]]]) -> list[str]:
    """Name what looks wrong with a pair, with the side: ``target: HTML entity``."""
    found = [f"source: {name}" for name, shows in signs[0] if shows(pair.source)]
    return found + [f"target: {name}" for name, shows in signs[1] if shows(pair.target)]
