"""Draw things: what is bought, read, eaten or given, and to whom."""

from dataclasses import replace

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import Noun, Verb, nouns
from ferryman.corpus.phrasebook.lexicon.tables import classes
from ferryman.corpus.phrasebook.people import (
    FIRST_NAMES,
    OWN,
    described,
    gender,
    members,
    own,
    relative,
)
from ferryman.corpus.phrasebook.phrases import UNITS, NounPhrase, Phrase, Place, Scene, partner
from ferryman.corpus.phrasebook.slots import Filler, one_of

GROUPS = ("some", "many")
NOT_OWNED = classes(
    "role adult young animal place room building fruit vegetable snack matter movie song tale verse transport cab hole"
)
LARGE = classes("vehicle furniture device instrument house sibling")  # few people have three
ONLY_ONE = classes("transport cab hole room")  # "the bus", "the window": which one is clear


def patient_of(verb: str, *, known: bool = False) -> Filler:
    """Draw an object that suits the verb in a slot and is not its subject again."""

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        action, subject = scene[verb], scene.get(partner(verb, "subject"))
        assert isinstance(action, Verb)
        noun = dice.choose(nouns(action.objects))
        if subject is not None and not suits(subject, action, noun):
            return None
        if action.lexemes == ("like",) and "animal" in noun.classes:
            return NounPhrase(noun, plural=True)
        if action.kind == "state" and not action.known:
            return NounPhrase(noun, "a", adjective=described(dice, noun))
        return thing(dice, noun, own(subject) if subject is not None else "my", known=known or action.known)

    return fill


def suits(subject: Phrase, action: Verb, noun: Noun) -> bool:
    """Tell whether an object suits a subject: not the same again, no beer for children, dresses are for women."""
    if noun.key in subject.lexemes:
        return False
    if "alcohol" in noun.classes:
        return not (isinstance(subject, NounPhrase) and "young" in subject.noun.classes)
    return action.lexemes != ("try on",) or "gown" not in noun.classes or gender(subject) == "she"


patient, patient2, known_patient = patient_of("verb"), patient_of("verb2"), patient_of("verb", known=True)


def single_patient(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object for a negated verb: not counted, not measured."""
    phrase = patient(dice, scene)
    if isinstance(phrase, NounPhrase) and (phrase.count or phrase.unit or phrase.determiner in GROUPS):
        return None
    return phrase


def new_patient(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object that is made or brought for somebody: new, not known."""
    phrase = patient(dice, scene)
    return None if isinstance(phrase, NounPhrase) and phrase.determiner in ("the", "this") else phrase


def thing(dice: Dice, noun: Noun, owner: str | None, *, known: bool) -> NounPhrase | None:
    """Refer to a noun: as a mass, by its owner, as known, or as new."""
    kinds = noun.classes
    if "kin" in kinds or ("mine" in kinds and "role" not in kinds):
        return NounPhrase(noun, owner) if owner else None
    if kinds & ONLY_ONE:
        return NounPhrase(noun, "the")
    if "mass" in kinds:
        return NounPhrase(noun, "the") if known else mass(dice, noun)
    if owner and not kinds & NOT_OWNED and dice.chance(0.3 if known else 0.1):
        return possessed(dice, noun, owner)
    return known_thing(dice, noun) if known else new_thing(dice, noun)


def known_thing(dice: Dice, noun: Noun) -> NounPhrase:
    """Refer to something that the hearer knows: the key, these big suitcases."""
    many = "handful" in noun.classes or dice.chance(0.15)
    return NounPhrase(noun, dice.choose(("the", "the", "this")), many, described(dice, noun))


def new_thing(dice: Dice, noun: Noun) -> NounPhrase:
    """Bring up something countable: a book, the book, three books, some books, a kilo of apples."""
    adjective, draw = described(dice, noun), dice.number(1, 100)
    if "kilo" in noun.classes and draw <= 15:
        return NounPhrase(noun, plural=True, count=dice.number(2, 5), unit=UNITS["kilo"])
    if draw <= 50 and "handful" not in noun.classes:
        return NounPhrase(noun, "a", adjective=adjective)
    if 50 < draw <= 72:
        return known_thing(dice, noun)
    if draw <= 92:
        most = 2 if noun.classes & LARGE else 5
        return NounPhrase(noun, plural=True, count=dice.number(2, most), adjective=adjective)
    return NounPhrase(noun, "some", plural=True, adjective=adjective)


def mass(dice: Dice, noun: Noun) -> NounPhrase:
    """Bring up something uncountable: coffee, hot coffee, a cup of coffee, two cups of coffee."""
    units = [unit for kind, unit in UNITS.items() if kind in noun.classes and kind != "kilo"]
    if units and dice.chance(0.5):
        count = dice.choose((0, 0, 2, 3))
        return NounPhrase(noun, "" if count else "a", count=count, unit=dice.choose(units))
    return NounPhrase(noun, adjective=described(dice, noun))


def possessed(dice: Dice, noun: Noun, owner: str) -> NounPhrase:
    """Refer to something by its owner; Chinese has no second 的 after 我的, so few adjectives may follow.

    Only women own dresses and skirts.
    """
    adjective = described(dice, noun)
    if adjective and adjective.chinese_attribute.endswith("的"):
        adjective = None
    return NounPhrase(noun, "her" if owner == "his" and "gown" in noun.classes else owner, adjective=adjective)


def generic(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object as such for the verb in "verb": coffee, apples, funny stories."""
    action = scene["verb"]
    assert isinstance(action, Verb)
    noun = dice.choose(nouns(action.objects))
    return NounPhrase(noun, plural="mass" not in noun.classes) if suits(scene["subject"], action, noun) else None


def generic_kind(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object as such, of a certain kind: fresh bread, funny stories."""
    phrase = generic(dice, scene)
    return replace(phrase, adjective=described(dice, phrase.noun)) if isinstance(phrase, NounPhrase) else None


def served(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what is ordered: a cup of tea, two pieces of cake, a sandwich."""
    noun = dice.choose(members("drink", "bowlful", "sliced", "snack"))
    units = [unit for kind, unit in UNITS.items() if kind in noun.classes and kind != "kilo"]
    count = dice.choose((0, 0, 0, 2, 3, 4))
    if units:
        return NounPhrase(noun, "" if count else "a", count=count, unit=dice.choose(units))
    return NounPhrase(noun, "" if count else "a", plural=bool(count), count=count)


def of(*kinds: str, determiners: tuple[str, ...] = ("the",), describe: float = 0.3, many: float = 0.0) -> Filler:
    """Draw one thing of some classes: the big table, my car; ``many`` is how often it is in the plural."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        noun, which = dice.choose(options), dice.choose(determiners)
        if which in OWN.values():
            return possessed(dice, noun, which)
        return NounPhrase(noun, which, dice.chance(many), described(dice, noun, describe))

    return fill


def several(*kinds: str, most: int = 5) -> Filler:
    """Bring up a number of things: a book, three old books, many books."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        noun = dice.choose(options)
        if noun.key in {key for phrase in scene.values() for key in phrase.lexemes}:
            return None
        adjective, draw = described(dice, noun), dice.number(1, 10)
        if draw <= 4:
            return NounPhrase(noun, "a", adjective=adjective)
        if draw <= 8 or noun.classes & LARGE:
            count = 2 if noun.classes & LARGE else dice.number(2, most)
            return NounPhrase(noun, plural=True, count=count, adjective=adjective)
        return NounPhrase(noun, dice.choose(GROUPS), plural=True, adjective=adjective)

    return fill


def plural(*kinds: str) -> Filler:
    """Draw things in the bare plural: books; masses stay as they are."""
    return one_of(*(NounPhrase(noun, plural="mass" not in noun.classes) for noun in members(*kinds)))


def another(slot: str, *kinds: str) -> Filler:
    """Draw things of the same kind as those in a slot, but others: tea after coffee, dogs after cats."""

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        first = scene[slot]
        assert isinstance(first, NounPhrase)
        shared = first.noun.classes & set(kinds)
        options = tuple(noun for noun in nouns(shared) if noun.key != first.noun.key)
        noun = dice.choose(options)
        return NounPhrase(noun, plural="mass" not in noun.classes)

    return fill


def owned_by(*kinds: str) -> Filler:
    """Draw a thing with its owner in the genitive: my brother's car, Anna's book."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        return with_owner(dice, dice.choose(options))

    return fill


def with_owner(dice: Dice, noun: Noun) -> NounPhrase | None:
    """Put an owner in the genitive before a thing."""
    owner = dice.choose(FIRST_NAMES) if dice.chance(0.4) else relative(dice, ("my", "his", "her", "our"))
    return None if "gown" in noun.classes and gender(owner) == "he" else NounPhrase(noun, owner=owner)


def outfit(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what the subject wears: a blue shirt; dresses and skirts are for women."""
    noun = dice.choose(members("clothes", "gown"))
    if "gown" in noun.classes and gender(scene["subject"]) != "she":
        return None
    return NounPhrase(noun, dice.choose(("a", "a", "this")), adjective=described(dice, noun, 0.9))


def resting_place(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw where a thing is put: on the table, in the bag."""
    noun = dice.choose(members("surface", "shelf", "bag", "box", "suitcase"))
    if noun.key in scene["object"].lexemes:
        return None
    relation = "in" if "container" in noun.classes else "on"
    return Place(relation, NounPhrase(noun, "the", adjective=described(dice, noun)))
