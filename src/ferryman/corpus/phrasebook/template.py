"""Patterns: the rules of the grammar, each with a side for every language.

A side is written as words and slots in the order of that language:

    {subject} {verb:aux} {time} {object:governed} {verb:participle} .

``{verb:aux}`` asks the language for the phrase in the slot ``verb``, in the form ``aux``. A literal word may say which
parts of the meaning it expresses: in 因为~why the word shares the part ``why`` with the English side's ``because~why``.
Auxiliaries and the verbs of fixed.txt need no slot: ``{be:present}`` and ``{live:present}`` agree with ``subject``.

Parts of the meaning are named by slot: a noun phrase in ``object`` has ``object`` (its noun), ``object.determiner``,
``object.count``, ``object.adjective`` …; a verb in ``verb`` has ``verb``, ``verb.complement`` and, for whichever word
carries tense and agreement, ``finite``; negation is ``not``. Words that share a part are aligned.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ferryman.corpus.phrasebook import chinese, english, german
from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import FIXED_VERBS, Token
from ferryman.corpus.phrasebook.lexicon.tables import read_tokens
from ferryman.corpus.phrasebook.phrases import Phrase, Scene, Word

Filler: TypeAlias = Callable[[Dice, Scene], Phrase | None]
PUNCTUATION = {"end": ".?!。？！", "comma": ",，、"}


class Language(NamedTuple):
    """What a pattern needs of a language."""

    render: Callable[[Phrase, str, str, Scene], list[Word]]
    auxiliary: Callable[[str, str, str, Scene], list[Word]]
    finish: Callable[[list[Word]], list[Word]]
    separator: str


LANGUAGES = {
    "en": Language(english.render, english.auxiliary, english.finish, " "),
    "de": Language(german.render, german.auxiliary, german.finish, " "),
    "zh": Language(chinese.render, chinese.auxiliary, chinese.finish, ""),
}


class Slot(NamedTuple):
    """A place for a phrase in one side of a pattern."""

    name: str
    form: str


Side: TypeAlias = tuple[Slot | Word, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence pattern: how to fill its slots, in order, and its side in each language."""

    name: str
    slots: Mapping[str, Filler]
    sides: Mapping[str, Side]
    weight: float

    def fill(self, dice: Dice) -> Scene | None:
        """Draw a phrase for every slot; None if the phrases drawn do not go together."""
        scene: Scene = {}
        for name, filler in self.slots.items():
            phrase = filler(dice, scene)
            if phrase is None:
                return None
            scene[name] = phrase
        return scene


def pattern(name: str, slots: Mapping[str, Filler], *sides: str, weight: float = 1.0) -> Pattern:
    """Make a pattern of its English, German and Chinese sides."""
    languages = zip(LANGUAGES, sides, strict=True)
    return Pattern(name, slots, {language: read_side(side) for language, side in languages}, weight)


def read_side(side: str) -> Side:
    """Read words, tagged words and slots."""
    return tuple(read_slot(token.text) if token.text[0] == "{" else literal(token) for token in read_tokens(side))


def read_slot(text: str) -> Slot:
    """Read ``{name}`` or ``{name:form}``."""
    name, _, form = text.strip("{}").partition(":")
    return Slot(name, form)


def literal(token: Token) -> Word:
    """Make a word that every sentence of the pattern has; punctuation is aligned with its like."""
    own = (part for part, marks in PUNCTUATION.items() if token.text in marks)
    return Word(token.text, frozenset(token.tags or own))


def realise(side: Side, scene: Scene, language: Language) -> list[Word]:
    """Put one side of a pattern into words."""
    words: list[Word] = []
    for piece in side:
        if isinstance(piece, Word):
            words.append(piece)
            continue
        name, form = piece
        phrase = scene.get(name) or FIXED_VERBS.get(name.rstrip("0123456789"))
        if phrase is None:
            words += language.auxiliary(name.rstrip("0123456789"), form, name, scene)
        else:
            words += language.render(phrase, form, name, scene)
    return language.finish(words)
