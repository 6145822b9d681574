"""What makes a reader doubt a translation, told from it and its source alone.

Each sign is there to be believed, so a good translation should practically never show one. Of 267,000 pairs by people
(captions, everyday sentences and help pages; English with German, French and Chinese), each read both ways, 15 in
535,000 do, besides two that are defects of their corpus: one in 36,000.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from ferryman.text.languages import base_language
from ferryman.text.scripts import LETTER_OF, script_of

# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNIT = re.compile(rf"[{_SPACELESS}]|[^\W{_SPACELESS}]+|[^\w\s]+")
_UNSPACED = re.compile(f"[{_SPACELESS}]")
_NO_WORD = re.compile(r"[\d@/\\_<>{}\[\]=#$%&*|~^+]|\w[.:]\w|^-")  # in numbers, addresses, code, markup
_EDGES = ".,;:!?…()\"'«»„“”‘’–—。，、！？「」《》"

LOOP, LETTERS_LOOP = 3, 5  # times in a row, of words and within a word
LONG_WORD = 12  # characters of a word that may be a loop by itself
ORDINARY = 3  # words that are no names, numbers or code
COPIED = 0.8  # of the distinct words
FACTOR, SLACK = 2.5, 20  # how much longer than the other a text may be, in Latin letters
_CHARACTERS_OF = {"Han": 3.0, "Han or Kana": 2.0, "Hangul": 2.0}  # Latin letters that say as much as one of these
_ALIKE = (  # languages so near that a sentence is often the same in both
    {"nb", "nn", "no", "da"},
    {"hr", "sr", "bs", "sh", "cnr"},
    {"id", "ms", "zsm"},
    {"zh", "yue", "wuu"},
    {"ur", "hi"},
    {"fa", "prs", "tg"},
)


def find_doubts(source: str, target: str, languages: tuple[str, str]) -> tuple[str, ...]:
    """Name what makes the target doubtful as a translation of the source; nothing if the source is blank.

    ``empty``: no text; nothing else is looked for then.
    ``looped``: something is said over and over, and the source does not.
    ``copied``: the source, untranslated; not of names, numbers, code, or a few words, nor between languages that are
    alike.
    ``wrong_script``: no letter of the target language's script for ordinary text.
    ``too_short``, ``too_long``: far from the length of the source.

    Args:
        source: a text.
        target: its translation.
        languages: of both, as BCP-47 codes; empty where unknown.

    """
    if not _visible(source):
        return ()
    if not _visible(target):
        return ("empty",)
    before, after = (_UNIT.findall(text.casefold()) for text in (source, target))
    signs = {
        "looped": looped(before, after),
        "copied": copied(source, before, after) and not _alike(*languages),
        "wrong_script": _of_another_script(target, languages[1]) and is_ordinary(source),
    }
    if signs["copied"]:
        signs["wrong_script"] = False  # that says it all
    signs["too_short"], signs["too_long"] = _lengths(source, target, languages)
    return tuple(name for name, shows in signs.items() if shows)


def looped(source: Sequence[str], target: Sequence[str]) -> bool:
    """Tell whether something stands in a row more than twice as often as anything does in the source.

    Both are casefolded words (characters, where a script has no spaces) and runs of punctuation. Long words are looked
    into as well.
    """
    times = max(
        [_in_a_row(target, LOOP), *(_in_a_row(word, LETTERS_LOOP) for word in target if len(word) >= LONG_WORD)]
    )
    return times > 0 and times > 2 * max([1, _in_a_row(source, 2), *(_in_a_row(word, LOOP) for word in source)])


def _in_a_row(units: Sequence[str], least: int) -> int:
    """Return how many times something stands in a row, if that is at least ``least`` (2 or more); else 0."""
    repeated = len(units) - len(set(units))
    most = 0
    for period in range(1, min(len(units) // least, repeated // (least - 1)) + 1):
        run = longest = 0
        for this, later in zip(units, units[period:], strict=False):
            run = run + 1 if this == later else 0
            longest = max(longest, run)
        most = max(most, longest // period + 1)
    return most if most >= least else 0


def copied(text: str, source: Sequence[str], target: Sequence[str]) -> bool:
    """Tell whether nearly all words of the target are words of the source ``text``, and this is ordinary.

    The words are those of ``looped``.
    """
    before, after = ({unit for unit in units if unit.isalpha()} for units in (source, target))
    return len(before & after) >= max(1, COPIED * len(after)) and is_ordinary(text)


def is_ordinary(text: str) -> bool:
    """Tell whether a text has some different words that are surely no names, numbers or code.

    Of a script with capitals, those are words without any; of others, all, and two characters count as a word where
    there are no spaces.
    """
    words = 0
    for part in set(text.split()):
        word = part.strip(_EDGES)
        if word and word == word.lower() and not _NO_WORD.search(word):
            words += max(1, len(word) // 2) if _UNSPACED.match(word) else 1
    return words >= ORDINARY


def _of_another_script(target: str, language: str) -> bool:
    script = script_of(language)
    return script is not None and LETTER_OF[script].search(target) is None


def _lengths(source: str, target: str, languages: tuple[str, str]) -> tuple[bool, bool]:
    """Tell whether the target is far too short, and whether it is far too long."""
    before, after = _length(source, languages[0]), _length(target, languages[1])
    return before > FACTOR * after + SLACK, after > FACTOR * before + SLACK


def _length(text: str, language: str) -> float:
    """Return a text's length in Latin letters, each letter of its language's own script counted for what it says."""
    script = script_of(language)
    if script not in _CHARACTERS_OF:
        return len(text)
    return len(text) + (_CHARACTERS_OF[script] - 1) * len(LETTER_OF[script].findall(text))


@lru_cache
def _alike(source: str, target: str) -> bool:
    """Tell whether a translation may rightly be a copy; so it may where a language is unknown."""
    if not source or not target:
        return True
    pair = {base_language(source), base_language(target)}
    return len(pair) == 1 or any(pair <= group for group in _ALIKE)


def _visible(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)
