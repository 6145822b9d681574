"""Draw what is said of people and things: qualities and their bearers, rivals, professions, ages, homes, positions."""

from functools import cache

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, FIXED_VERBS, Adjective, Noun, Saying, Token, nouns
from ferryman.corpus.phrasebook.lexicon.tables import classes
from ferryman.corpus.phrasebook.people import FIRST_NAMES, KIN, OWN, described, gender, members, named
from ferryman.corpus.phrasebook.phrases import NounPhrase, Numeral, Phrase, Place, Pronoun, Scene
from ferryman.corpus.phrasebook.slots import Filler, one_of
from ferryman.corpus.phrasebook.things import NOT_OWNED, with_owner

NOT_NOUNS = frozenset({"names", "mood", "weather"})
SINGULAR = classes("mass place room town building transport cab home crossing waters hole")
WHOSE = ("my", "his", "her", "our")


def is_color(adjective: Adjective) -> bool:
    """Tell whether an adjective is a color: Chinese says 是…的 with it."""
    return adjective.chinese.endswith("色")


def quality(*, colors: bool = False) -> Filler:
    """Draw an adjective that can be said of something."""
    return one_of(*(a for a in ADJECTIVES if a.said_of - NOT_NOUNS - {"-"} and is_color(a) == colors))


TOO = (
    "big small old young expensive long short difficult heavy dark loud slow sad boring dirty lazy soft easy warm light"
)
excess = one_of(*(a for a in ADJECTIVES if a.english[0] in TOO.split() and a.said_of - NOT_NOUNS))


@cache
def bearers(adjective: Adjective) -> tuple[Noun, ...]:
    """Return the nouns that an adjective may be said of."""
    return nouns(adjective.said_of)


def bearer(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw somebody or something that has the quality in "quality": the car, these cars, my sister, Anna."""
    shared = scene["quality"]
    assert isinstance(shared, Adjective)
    if "names" in shared.said_of and dice.chance(0.3):
        return dice.choose(FIRST_NAMES)
    noun = dice.choose(bearers(shared))
    if noun.classes & {"kin", "mine"} and "role" not in noun.classes:
        return NounPhrase(noun, dice.choose(WHOSE))
    if not noun.classes & (NOT_OWNED | {"gown", "mass"}) and dice.chance(0.3):
        return NounPhrase(noun, dice.choose(WHOSE))
    return NounPhrase(noun, dice.choose(("the", "the", "this")), number(dice, noun))


def number(dice: Dice, noun: Noun) -> bool:
    """Tell whether to speak of several: always of potatoes, never of rice, seldom of places."""
    if "handful" in noun.classes:
        return True
    return not noun.classes & SINGULAR and dice.chance(0.2)


def owned_bearer(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw something with its owner that has the quality in "quality": my brother's car."""
    shared = scene["quality"]
    assert isinstance(shared, Adjective)
    noun = dice.choose(bearers(shared))
    if noun.classes & (NOT_OWNED | {"kin", "mine", "mass"}):
        return None
    return with_owner(dice, noun)


def rival(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what the subject is compared with: another that shares the quality for the same reason."""
    subject, shared = scene["subject"], scene["quality"]
    assert isinstance(shared, Adjective)
    if not isinstance(subject, NounPhrase):
        return dice.choose(tuple(name for name in FIRST_NAMES if name != subject))
    options = tuple(n for n in nouns(subject.noun.classes & shared.said_of) if n.key != subject.noun.key)
    if not options or (subject.plural and "handful" not in subject.noun.classes):
        return None
    noun = dice.choose(options)
    if noun.classes & {"kin", "mine"} and "role" not in noun.classes:
        return NounPhrase(noun, subject.determiner if subject.determiner in OWN.values() else "my")
    return NounPhrase(noun, "the", "handful" in noun.classes)


def superlative(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what a city has the best of: the oldest bridge, the most expensive hotel."""
    noun = dice.choose(members("sight", "lodging", "eatery", "university", "theater", "library", "station"))
    options = tuple(a for a in ADJECTIVES if a.said_of & noun.classes and not is_color(a))
    return NounPhrase(noun, "the", adjective=dice.choose(options), superlative=True) if options else None


def known_person(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw one person known otherwise than by profession: my aunt, Peter, she."""
    draw = dice.number(1, 3)
    if draw == 1:
        return Pronoun(dice.choose(("he", "she")))
    return named(dice) if draw == 2 else NounPhrase(dice.choose(KIN), dice.choose((*WHOSE, "their")))


def profession(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw the profession of the subject; German has a word for the woman and takes no article."""
    noun = dice.choose(members("profession"))
    german = noun.marks["f"] if gender(scene["subject"]) == "she" else noun.german
    tag = ("1",)
    english = (Token("a", ()), Token(noun.english, tag))
    return Saying(english, (Token(german, tag),), (Token(noun.chinese, tag),), (noun.key,))


def first_name(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a name for the person or animal in "subject"."""
    name = dice.choose(FIRST_NAMES)
    return name if gender(scene["subject"]) in (None, name.kind) else None


def aged(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw somebody or something whose age is told."""
    if dice.chance(0.3):
        return dice.choose(FIRST_NAMES)
    return NounPhrase(dice.choose((*KIN, *members("friend", "colleague", "pet"))), dice.choose((*WHOSE, "their")))


AGES = {"grand": range(60, 91, 10), "adult": range(40, 61, 10), "child": (*range(2, 13), 20)}
ELDERS = frozenset({"mother", "father", "uncle", "aunt", "colleague"})


def age(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an age that suits the subject."""
    (key,) = scene["subject"].lexemes
    group = "grand" if key.startswith("grand") else "adult" if key in ELDERS else "child"
    return Numeral(dice.choose(AGES[group]))


def dwelling(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a home: in a small apartment."""
    noun = dice.choose(members("home"))
    return Place("in", NounPhrase(noun, "a", adjective=described(dice, noun, 0.8)))


def posture(dice: Dice, scene: Scene) -> Phrase | None:
    """Tell what the subject does where it is, in German: it lies or stands."""
    subject = scene["subject"]
    assert isinstance(subject, NounPhrase)
    return next((FIXED_VERBS[mark] for mark in ("lie", "stand") if mark in subject.noun.marks), None)


def spot(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw where a small thing may be: on the table, in the bag, under the bed."""
    noun = dice.choose(members("surface", "wardrobe", "bag", "box", "suitcase", "shelf"))
    if noun.key in scene["subject"].lexemes:
        return None
    if noun.classes & {"bag", "box", "suitcase"}:
        relation = "in"
    elif noun.key in ("wardrobe", "shelf"):
        relation = dice.choose(("on", "next to", "in front of"))
    else:
        relation = dice.choose(("on", "on", "under", "next to"))
    return Place(relation, NounPhrase(noun, "the", adjective=described(dice, noun, 0.2)))


rainy = one_of(FIXED_VERBS["rain"], FIXED_VERBS["snow"])
