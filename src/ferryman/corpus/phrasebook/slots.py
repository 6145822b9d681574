"""Fillers: how the slots of a pattern draw phrases that go together.

A filler takes the dice and the slots filled before it, and returns a phrase, or None if nothing suits.
"""

from collections.abc import Callable
from typing import TypeAlias

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, TIMES, VERBS, Noun, Verb, nouns
from ferryman.corpus.phrasebook.lexicon.tables import read_saying
from ferryman.corpus.phrasebook.people import described, gender, members, names
from ferryman.corpus.phrasebook.phrases import Both, NounPhrase, Numeral, Phrase, Place, Pronoun, Scene

Filler: TypeAlias = Callable[[Dice, Scene], Phrase | None]


def one_of(*options: Phrase) -> Filler:
    """Draw one of some phrases."""
    return lambda dice, scene: dice.choose(options)


def time(*kinds: str) -> Filler:
    """Draw a time of some classes of times.txt."""
    return one_of(*(saying for kind in kinds for saying in TIMES[kind]))


def past(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a time in the past; a small action is not told of last year."""
    return dice.choose(TIMES["past"] if is_lasting(scene) else TIMES["recent"])


def future(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a time to come; a small action is not planned for next year."""
    return dice.choose(TIMES["future"] if is_lasting(scene) else TIMES["near"])


def is_lasting(scene: Scene) -> bool:
    """Tell whether what is done matters for longer than a few days."""
    action = scene.get("verb")
    return isinstance(action, Verb) and action.lasting


def say(*rows: tuple[str, str, str]) -> Filler:
    """Draw a small fixed phrase, each given in the three languages."""
    return one_of(*(read_saying(*row) for row in rows))


def name(*kinds: str) -> Filler:
    """Draw a name of some classes."""
    return one_of(*names(*kinds))


def numeral(*values: int) -> Filler:
    """Draw a number."""
    return one_of(*(Numeral(value) for value in values))


def transitive(*kinds: str, placed: bool = False, animals: bool = False) -> Filler:
    """Draw a verb with an object, of some kinds.

    ``placed`` if it must have places where it is done; ``animals`` if it need not be something that people do.
    """
    options = (v for v in VERBS if v.kind in kinds and v.objects and (v.places or not placed))
    return one_of(*(v for v in options if animals or not v.subjects or "people" in v.subjects))


def intransitive(*kinds: str, placed: bool = False) -> Filler:
    """Draw a verb without an object, of some kinds."""
    return one_of(*(v for v in VERBS if v.kind in kinds and not v.objects and (v.places or not placed)))


def verb(*english: str) -> Filler:
    """Draw one of the verbs named by their English words, in any sense in which people do it."""
    special = ("favor", "giving", "loss")  # these senses have patterns of their own
    return one_of(*(v for v in VERBS if v.lexemes[0] in english and "people" in v.subjects and v.kind not in special))


def first_sense(*english: str) -> Filler:
    """Draw one of the verbs named by their English words, each in the first sense that verbs.txt gives."""
    by_name = {verb.lexemes[0]: verb for verb in reversed(VERBS)}
    return one_of(*(by_name[key] for key in english))


def doer(people: Filler) -> Filler:
    """Draw a subject that suits the verb; ``people`` draws the person where any person will do."""

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        action = scene["verb"]
        assert isinstance(action, Verb)
        others = nouns(action.subjects)
        if "people" in action.subjects and not (others and dice.chance(0.2)):
            return people(dice, scene)
        if "names" in action.subjects and dice.chance(0.7):
            phrase = people(dice, scene)
            return None if isinstance(phrase, NounPhrase) and phrase.noun not in others else phrase
        return member(dice, dice.choose(others))

    return fill


def member(dice: Dice, noun: Noun) -> NounPhrase:
    """Refer to a known person or animal: my brother, the little cat, the students."""
    if "kin" in noun.classes:
        return NounPhrase(noun, "my")
    return NounPhrase(noun, "the", dice.chance(0.2), described(dice, noun))


HOURS = {"get up": (5, 8), "have breakfast": (6, 9), "go to work": (6, 9), "come home": (4, 8), "go to bed": (9, 11)}


def hour(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an hour of the clock that suits the routine in "verb"."""
    (routine,) = scene["verb"].lexemes
    return Numeral(dice.number(*HOURS[routine]))


def place_of_verb(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a place where the action in "verb" is done."""
    action = scene["verb"]
    assert isinstance(action, Verb)
    return Place("at", NounPhrase(dice.choose(nouns(action.places)), "the"))


def place(*kinds: str, relations: tuple[str, ...] = ("at",), describe: float = 0.0) -> Filler:
    """Draw a place in one of some relations to a thing of some classes."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        noun = dice.choose(options)
        taken = any(noun.key in phrase.lexemes for phrase in scene.values())
        ground = NounPhrase(noun, "the", adjective=described(dice, noun, describe))
        return None if taken else Place(dice.choose(relations), ground)

    return fill


def adjective(kind: str) -> Filler:
    """Draw an adjective that is said of a class: mood, weather."""
    return one_of(*(entry for entry in ADJECTIVES if kind in entry.said_of))


def pronoun_for(slot: str) -> Filler:
    """Take up the person in a slot again: he, she, they, or the pronoun itself."""

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        phrase = scene[slot]
        if isinstance(phrase, Pronoun):
            return phrase
        if isinstance(phrase, Both) or (isinstance(phrase, NounPhrase) and phrase.plural):
            return Pronoun("they")
        back = gender(phrase)
        return Pronoun(back) if back else None

    return fill
