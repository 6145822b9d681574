"""What the lexicon knows of a word, in the three languages at once."""

from dataclasses import dataclass
from typing import NamedTuple


class Token(NamedTuple):
    """A fixed word and the tags of what it expresses: ``week~2`` is ``Token("week", ("2",))``."""

    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; ``key`` is its English singular, with underscores for spaces."""

    key: str
    english: str
    english_plural: str
    german: str
    german_plural: str  # "-" where it has none
    gender: str  # of the German noun: m, f or n
    chinese: str
    measure: str
    classes: frozenset[str]
    marks: dict[str, str]  # as listed at the head of nouns.txt; a mark without a value maps to ""


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective in one sense, with its degrees and the nouns it goes with."""

    english: tuple[str, str, str]
    german: tuple[str, str, str]
    german_stem: str  # what endings are added to
    chinese_attribute: str  # with 的 where the language wants it
    chinese: str
    describes: frozenset[str]  # classes of nouns before which it may stand
    said_of: frozenset[str]  # classes of nouns it may be the predicate of

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return (self.english[0],)


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb in one sense; complements ("football" in "play football") are kept apart."""

    english: tuple[str, str, str, str]  # base, past, participle, -ing; of the first word only
    english_rest: tuple[str, ...]
    english_complement: tuple[str, ...]
    german: tuple[str, str, str]  # infinitive and "er" form, both without particle; whole participle
    german_particle: str
    german_complement: str
    german_auxiliary: str  # haben or sein
    government: str  # "acc", "dat", "auf+acc" or "-"
    chinese: str
    chinese_complement: str
    kind: str  # action, event, state, reaction, routine or fixed
    known: bool  # its object is one that the hearer knows
    lasting: bool  # it is worth telling or planning a month or a year away
    subjects: frozenset[str]
    objects: frozenset[str]
    places: frozenset[str]

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return (" ".join((self.english[0], *self.english_rest, *self.english_complement)),)


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A proper name of a class: he, she, surname, city, country or language."""

    kind: str
    english: str
    german: str
    chinese: str

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Name the content words, for the splits."""
        return (self.english,)


@dataclass(frozen=True, slots=True, eq=False)
class Saying:
    """A fixed phrase, such as "last week", translated as a whole and aligned by tags."""

    english: tuple[Token, ...]
    german: tuple[Token, ...]
    chinese: tuple[Token, ...]
    lexemes: tuple[str, ...] = ()  # none for times and other small phrases: they belong to no held-out combination
