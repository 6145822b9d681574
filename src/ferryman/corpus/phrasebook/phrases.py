"""Phrases before they have a language: what a slot of a pattern is filled with.

Besides the phrases here, entries of the lexicon (verbs, adjectives, names, sayings) fill slots as they are.
A *scene* is the filled slots of one sentence, by name. A verb agrees with the subject that bears its number:
``verb`` and ``be`` with ``subject``, ``verb2`` and ``be2`` with ``subject2``.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple, TypeAlias

from ferryman.corpus.phrasebook.lexicon import Adjective, Name, Noun, Saying, Verb


class Word(NamedTuple):
    """A word of a sentence and the parts of the meaning it expresses; words that share a part are aligned."""

    text: str
    parts: frozenset[str] = frozenset()


@cache
def word(text: str, *parts: str) -> Word:
    """Make a word that expresses some parts of the meaning."""
    return Word(text, frozenset(parts))


class Person(IntEnum):
    """Who a finite verb agrees with; also the index into paradigms. "You" is one person, spoken to informally."""

    I = 0  # noqa: E741 (the pronoun)
    YOU = 1
    IT = 2
    WE = 3
    THEY = 4


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal pronoun, named by its English nominative."""

    english: str

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Return nothing: pronouns are function words."""
        return ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A measure of something: a cup of coffee, eine Tasse Kaffee, 一杯咖啡."""

    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str
    chinese: str


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with what stands before it.

    ``determiner`` is English: the, a, this, some, many, a possessive, or "" (bare, or counted by ``count``).
    ``owner`` replaces it by a genitive: my brother's. ``superlative`` is of the adjective: the oldest bridge.
    """

    noun: Noun
    determiner: str = ""
    plural: bool = False
    adjective: Adjective | None = None
    superlative: bool = False
    count: int = 0
    unit: Unit | None = None
    owner: "NounPhrase | Name | None" = None

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        adjective = self.adjective.lexemes if self.adjective else ()
        owner = self.owner.lexemes if self.owner else ()
        return (self.noun.key, *adjective, *owner)


@dataclass(frozen=True, slots=True)
class Titled:
    """A surname with its title, "Mr." or "Mrs."."""

    name: Name
    title: str

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return (f"{self.title} {self.name.english}",)


@dataclass(frozen=True, slots=True)
class Both:
    """Two phrases joined by "and"."""

    first: "NounPhrase | Name | Titled"
    second: "NounPhrase | Name | Titled"

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return self.first.lexemes + self.second.lexemes


@dataclass(frozen=True, slots=True)
class Place:
    """A place or a goal: a relation (a key of ``RELATIONS``, or "at" for the noun's own) to a thing."""

    relation: str
    ground: NounPhrase

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return self.ground.lexemes


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that stands alone, from 2 to 12 or a whole ten up to 90."""

    value: int

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Return nothing: numbers are function words here."""
        return ()


class Relation(NamedTuple):
    """A preposition in the three languages; Chinese says 在 before the thing and a word after it."""

    english: str
    german: str
    chinese: str


RELATIONS = {
    "in": Relation("in", "in", "里"),
    "on": Relation("on", "auf", "上"),
    "under": Relation("under", "unter", "下面"),
    "behind": Relation("behind", "hinter", "后面"),
    "in front of": Relation("in front of", "vor", "前面"),
    "next to": Relation("next to", "neben", "旁边"),
}

UNITS = {
    "cupful": Unit("cup", "cups", "Tasse", "Tassen", "f", "杯"),
    "glassful": Unit("glass", "glasses", "Glas", "Gläser", "n", "杯"),
    "bottled": Unit("bottle", "bottles", "Flasche", "Flaschen", "f", "瓶"),
    "bowlful": Unit("bowl", "bowls", "Schüssel", "Schüsseln", "f", "碗"),
    "sliced": Unit("piece", "pieces", "Stück", "Stück", "n", "块"),
    "kilo": Unit("kilo", "kilos", "Kilo", "Kilo", "n", "公斤"),
}

Nominal: TypeAlias = Pronoun | NounPhrase | Name | Titled | Both
Phrase: TypeAlias = Nominal | Place | Numeral | Adjective | Saying | Verb
Scene: TypeAlias = dict[str, Phrase]


def person(phrase: Phrase | None) -> Person:
    """Tell how a finite verb agrees with a phrase; without a subject it is the "it" of the weather."""
    match phrase:
        case Pronoun("I"):
            return Person.I
        case Pronoun("you"):
            return Person.YOU
        case Pronoun("we"):
            return Person.WE
        case Pronoun("they") | Both():
            return Person.THEY
        case NounPhrase(plural=True):
            return Person.THEY
        case _:
            return Person.IT


@cache
def partner(role: str, name: str) -> str:
    """Name the slot that belongs to the same clause: the subject of "verb2" is "subject2"."""
    return name + role[len(role.rstrip("0123456789")) :]
