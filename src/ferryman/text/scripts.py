"""The scripts that languages are written in, and how to tell their letters."""

import re

_RANGES = {
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
LETTER_OF = {name: re.compile(f"[{letters}]") for name, letters in _RANGES.items()}
"""For each script, a pattern that matches one letter of it."""

_LANGUAGES = {
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
_SCRIPT_OF = {language: script for script, languages in _LANGUAGES.items() for language in languages.split()}
_SUBTAGS = {  # ISO 15924, as BCP-47 writes it
    "hans": "Han",
    "hant": "Han",
    "hani": "Han",
    "jpan": "Han or Kana",
    "hang": "Hangul",
    "kore": "Hangul",
    "cyrl": "Cyrillic",
    "grek": "Greek",
    "arab": "Arabic",
    "hebr": "Hebrew",
    "deva": "Devanagari",
    "thai": "Thai",
    "latn": "Latin",
}


def script_of(language: str) -> str | None:
    """Name the script of a language, given as a BCP-47 code: that of the code (``sr-Latn``), or else the usual one.

    None where it is not known, or where the language is usually written in more than one.
    """
    primary, *others = language.lower().split("-")
    named = [other for other in others if len(other) == 4 and other.isalpha()]
    return _SUBTAGS.get(named[0]) if named else _SCRIPT_OF.get(primary)
