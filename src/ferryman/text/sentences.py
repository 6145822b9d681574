"""Where one sentence ends and the next begins, in running text of many languages.

Rules and short lists, no model: what is doubtful is not split, as half a sentence is translated worse than two at once.
"""

import re
import unicodedata
from collections.abc import Sequence

from ferryman.text.abbreviations import ABBREVIATIONS, BEFORE_NUMBER, ORDINAL_STOP, TITLES
from ferryman.text.languages import base_language, is_unspaced

# Stops of scripts in which they mean nothing else: Chinese and Japanese, Devanagari, Arabic and Urdu, Ethiopic,
# Armenian, Khmer, Burmese, Mongolian, Lisu.
_SURE = "。！？｡।॥؟۔።፧፨։។៕။᠃᠉꓿"
_STOPS = ".!?…‼⁇⁈⁉"
_CLOSERS = "\"＂'”’»«“‹›」』）)】》〉］\\]}"
_SURE_CLOSERS = "\"＂'”’›」』)）】》〉］\\]"  # “ and « end a quotation in German only
_OPENERS = "\"'“‘«»„‚‹›([{¿¡—–-「『（【《〈"
_CONTINUED = "，、；：,;:)]}）」』】》〉”’%/…"  # nothing begins with these
_BOUNDARY = re.compile(
    rf"(?P<stop>[{_SURE}{_STOPS}]+)"
    rf"(?P<closers>(?:(?<=[{_SURE}])[{_SURE_CLOSERS}]*|[{_CLOSERS}]*)(?:[ \u00a0\u202f][»])?)(?P<space>\s*)"
    r"|(?P<blank>(?:\n[^\S\n]*\n|\u2029)\s*)"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\u2029")
_OTHER_STOPS = {"el": ";\u037e", "hy": ":"}
_WORD = re.compile(r"[^\W_]")
_LETTERS_WITH_STOPS = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}")
_ENGLISH_I = re.compile(r"I\b")  # after an ellipsis its capital letter tells nothing
_ADDRESS = re.compile(r"https?://|www\.")
_ROMAN = re.compile(r"[IVXLC]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_UNPUNCTUATED = frozenset({"th", "lo"})  # a space is all there is between sentences, and between clauses too
# After a quotation: the words that say who said it belong to the same sentence.
_JAPANESE_QUOTING = re.compile(r"と(?![てもきりこんっ])|って|など|なんて|[のをがはに]")
_CHINESE_QUOTING = re.compile(r"[^，。！？\s]{1,6}[说說问問道喊叫答][着著了]?(?:[，。！？：,.!?:]|$)")


def split_sentences(text: str, language: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[str, str]]:
    """Cut a text into sentences, each with the white space after it; joined they are the text.

    A blank line ends a sentence too. White space at the very beginning belongs to the first sentence. Thai and Lao,
    which have no mark for the end of a sentence, are cut at blank lines only.

    Args:
        text: running text; may have several lines.
        language: of the text, a BCP-47 code; empty if unknown.
        whole: parts of the text that no cut may go through, in order.

    """
    code = base_language(language) if language else ""
    last_word = len(text) - 1 - found.start() if (found := _WORD.search(text[::-1])) else 0
    sentences: list[tuple[str, str]] = []
    start = checked = 0
    worded = False
    for stop in _boundaries(code).finditer(text):
        end, after = _place(text, start, stop)
        if after > last_word:
            break
        worded = worded or _WORD.search(text, checked, end) is not None
        checked = end
        if not worded or any(left < end < right for left, right in whole):
            continue
        if _BLANK_LINE.search(text, end, after) or (
            stop["stop"] and code not in _UNPUNCTUATED and _ends(text, start, stop, after, code)
        ):
            sentences.append(_with_space(text[start:after]))
            start, worded = after, False
    return [*sentences, _with_space(text[start:])]


def _place(text: str, start: int, found: re.Match[str]) -> tuple[int, int]:
    """Return where a sentence would end and where the next would begin."""
    if found["stop"] is None:
        return found.span("blank")
    mark = found["closers"][:1]
    if mark and not found["space"]:  # as in Chinese, where the next quotation may follow at once
        even = text.count(mark, start, found.end("stop")) % 2 == 0
        if mark in "“‘«" or (mark in "\"'＂" and even):
            return (found.end("stop"),) * 2
    return found.span("space")


def _with_space(text: str) -> tuple[str, str]:
    end = len(text.rstrip()) or len(text)
    return text[:end], text[end:]


def space_between(space: str, source_spaced: bool, target_spaced: bool) -> str:
    """Return what stands between the translations of two sentences that had this white space between them.

    It is kept, but for plain spaces where one of the languages has none between sentences: into Chinese they are left
    out, from Chinese one is put in.
    """
    if space.strip(" \u3000"):
        return space
    if not target_spaced:
        return space if space and not source_spaced else ""
    return space if space and source_spaced else " "


def _boundaries(language: str) -> re.Pattern[str]:
    more = _OTHER_STOPS.get(language)
    return re.compile(_BOUNDARY.pattern.replace("(?P<stop>[", f"(?P<stop>[{more}")) if more else _BOUNDARY


def _ends(text: str, start: int, found: re.Match[str], after: int, language: str) -> bool:
    """Tell whether a sentence that began at ``start`` ends with a stop, if the next would begin at ``after``."""
    stop = found["stop"]
    if text[after] in _CONTINUED:
        return False
    if any(mark in _SURE for mark in stop):
        return not (found["closers"] and _quoting(text, after, language))
    if not found["space"]:
        return _between_unspaced(text, found, after)
    following = _first_of_next(text, after)
    if not _may_begin(text, following):
        return False
    if stop.strip(".…"):
        return True
    if stop != ".":
        return language != "en" or not _ENGLISH_I.match(text, following)
    return not _is_abbreviated(text, start, found.start(), text[following], language)


def _quoting(text: str, after: int, language: str) -> bool:
    if language == "ja":
        return _JAPANESE_QUOTING.match(text, after) is not None
    return language in ("zh", "yue", "wuu") and _CHINESE_QUOTING.match(text, after) is not None


def _between_unspaced(text: str, found: re.Match[str], after: int) -> bool:
    """Tell whether a Latin stop without a space after it ends a sentence, as it may in Chinese text."""
    before, following = text[found.start() - 1 : found.start()], _first_of_next(text, after)
    clear = "…" not in found["stop"] and len(found["stop"]) < 3
    return clear and is_unspaced(before) and is_unspaced(text[following : following + 1])


def _first_of_next(text: str, place: int) -> int:
    while place < len(text) and (text[place] in _OPENERS or text[place].isspace()):
        place += 1
    return place


def _may_begin(text: str, place: int) -> bool:
    character = text[place : place + 1]
    if character.isalnum():
        return not character.islower() or _ADDRESS.match(text, place) is not None
    return character != "" and (character in "<#@%_*&" or unicodedata.category(character) in ("So", "Sc"))


def _is_abbreviated(text: str, start: int, stop: int, following: str, language: str) -> bool:
    """Tell whether the full stop at ``stop`` belongs to the word before it."""
    word = re.split(r"[\s\u2014\u2013/]", text[max(start, stop - 40) : stop])[-1].lstrip(_OPENERS)
    first = not _WORD.search(text, start, stop - len(word))
    if not word:
        return False
    if _NUMBER.fullmatch(word):
        return first or (language in ORDINAL_STOP and len(word) < 3)
    if language in ORDINAL_STOP and _ROMAN.fullmatch(word):
        return True
    if len(word) == 1:
        return word.isalpha() and not (word == "I" and language == "en" and not first)
    if _LETTERS_WITH_STOPS.fullmatch(word):
        return word.lower() not in ("a.m", "p.m")
    if following.isdigit() and word.lower() in BEFORE_NUMBER:
        return True
    return word.lower() in TITLES or word.lower() in ABBREVIATIONS.get(language, ())
