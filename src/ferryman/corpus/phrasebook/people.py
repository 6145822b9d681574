"""Draw people: who does something, whom it is done to, and whose things they are."""

from functools import cache
from typing import TypeVar

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, NAMES, Adjective, Name, Noun, nouns
from ferryman.corpus.phrasebook.phrases import Both, NounPhrase, Phrase, Pronoun, Scene, Titled

T = TypeVar("T")
OWN = {"I": "my", "you": "your", "he": "his", "she": "her", "we": "our", "they": "their"}


def members(*kinds: str) -> tuple[Noun, ...]:
    """Return the nouns of some classes."""
    return nouns(frozenset(kinds))


def names(*kinds: str) -> tuple[Name, ...]:
    """Return the names of some classes."""
    return tuple(name for name in NAMES if name.kind in kinds)


FIRST_NAMES, SURNAMES = names("he", "she"), names("surname")
KIN, ROLES, ADULTS, YOUNG, MINE = (members(kind) for kind in ("kin", "role", "adult", "young", "mine"))


@cache
def descriptions(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that may stand before a noun."""
    return tuple(adjective for adjective in ADJECTIVES if adjective.describes & noun.classes)


def described(dice: Dice, noun: Noun, probability: float = 0.3) -> Adjective | None:
    """Perhaps draw an adjective that suits a noun."""
    options = descriptions(noun)
    return dice.choose(options) if options and dice.chance(probability) else None


def relative(dice: Dice, owners: tuple[str, ...]) -> NounPhrase:
    """Draw a relative, friend or colleague of somebody: my brother, her boss."""
    noun = dice.choose(KIN) if dice.chance(0.75) else dice.choose(MINE)
    return NounPhrase(noun, dice.choose(owners))


def somebody(dice: Dice) -> NounPhrase:
    """Draw a person by what they do or are: the young doctor, the children."""
    noun = dice.choose(ROLES) if dice.chance(0.6) else dice.choose(ADULTS + YOUNG)
    plural = dice.chance(0.2)
    return NounPhrase(noun, "the", plural, described(dice, noun, 0.25))


def titled(dice: Dice) -> Titled:
    """Draw somebody addressed by surname."""
    return Titled(dice.choose(SURNAMES), dice.choose(("Mr.", "Mrs.")))


def named(dice: Dice) -> Name | Titled:
    """Draw somebody by name."""
    return dice.choose(FIRST_NAMES) if dice.chance(0.7) else titled(dice)


def known_by_name(dice: Dice, scene: Scene) -> Phrase:
    """Draw somebody by name, for the slots of a pattern."""
    return named(dice)


def teller(dice: Dice, scene: Scene) -> Phrase:
    """Draw the subject of a statement; nobody tells "you" what you are doing."""
    draw = dice.number(1, 100)
    if draw <= 30:
        return relative(dice, ("my", "my", "his", "her", "our", "their"))
    if draw <= 48:
        return named(dice)
    if draw <= 70:
        return Pronoun(dice.choose(("I", "he", "she", "we", "they")))
    if draw <= 75:
        return both(dice, scene)
    return somebody(dice)


def asked(dice: Dice, scene: Scene) -> Phrase:
    """Draw the subject of a question; nobody asks what they are doing themselves."""
    draw = dice.number(1, 100)
    if draw <= 30:
        return relative(dice, ("your", "your", "his", "her", "their"))
    if draw <= 45:
        return named(dice)
    if draw <= 75:
        return Pronoun(dice.choose(("you", "you", "he", "she", "they")))
    return somebody(dice)


def third(dice: Dice, scene: Scene) -> Phrase:
    """Draw one person who is spoken of and whom "he" or "she" can take up again."""
    draw = dice.number(1, 3)
    if draw == 1:
        return relative(dice, ("my", "my", "his", "her", "our"))
    if draw == 2:
        return named(dice)
    noun = dice.choose(ROLES + ADULTS)
    return NounPhrase(noun, "the", adjective=described(dice, noun, 0.25))


def both(dice: Dice, scene: Scene) -> Both:
    """Draw two people: my father and my mother, Anna and Paul."""
    if dice.chance(0.5):
        first, second = distinct(dice, KIN)
        owner = dice.choose(("my", "my", "his", "her"))
        return Both(NounPhrase(first, owner), NounPhrase(second, owner))
    one, other = distinct(dice, FIRST_NAMES)
    return Both(one, other)


def distinct(dice: Dice, options: tuple[T, ...]) -> tuple[T, T]:
    """Draw two different options."""
    first = dice.number(0, len(options) - 1)
    second = (first + dice.number(1, len(options) - 1)) % len(options)
    return options[first], options[second]


def gender(phrase: Phrase) -> str | None:
    """Tell which pronoun takes a phrase up again: he or she; None where there is no single answer."""
    match phrase:
        case Name(kind="he" | "she"):
            return phrase.kind
        case Titled(_, title):
            return "he" if title == "Mr." else "she"
        case Pronoun("he" | "she" as english):
            return english
        case NounPhrase(plural=False):
            return next((mark for mark in ("he", "she") if mark in phrase.noun.marks), None)
        case _:
            return None


def own(phrase: Phrase) -> str | None:
    """Tell which possessive refers back to a phrase: his for "my father"."""
    match phrase:
        case Pronoun(english):
            return OWN[english]
        case Both() | NounPhrase(plural=True):
            return "their"
        case _:
            back = gender(phrase)
            return OWN[back] if back else None
