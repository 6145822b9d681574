"""Draw things: what is bought, read, eaten or given, and to whom."""

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import Adjective, Noun, Verb, nouns
from ferryman.corpus.phrasebook.people import OWN, described, members, named, own, relative, somebody
from ferryman.corpus.phrasebook.phrases import UNITS, NounPhrase, Phrase, Place, Pronoun, Scene, person
from ferryman.corpus.phrasebook.slots import Filler, one_of

GROUPS = ("some", "many")
PERSONAL = frozenset("role adult young animal place room fruit vegetable snack matter building".split())


def patient(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object that suits the verb in "verb"."""
    return object_for(dice, scene, "")


def patient2(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object that suits the verb in "verb2"."""
    return object_for(dice, scene, "2")


def object_for(dice: Dice, scene: Scene, digit: str) -> Phrase | None:
    """Draw an object that suits a verb and is not its subject again."""
    action, subject = scene["verb" + digit], scene.get("subject" + digit)
    assert isinstance(action, Verb)
    noun = dice.choose(nouns(action.objects))
    if subject is not None and noun.key in subject.lexemes:
        return None
    if action.kind == "state" and "known" not in () and action.english[0] == "like" and "animal" in noun.classes:
        return NounPhrase(noun, "", plural=True)
    phrase = thing(dice, noun, known=action.known)
    if phrase.determiner == "own":
        owner = own(subject) if subject is not None else None
        return possessed(dice, noun, owner) if owner else NounPhrase(noun, "the")
    return phrase


def thing(dice: Dice, noun: Noun, *, known: bool) -> NounPhrase:
    """Refer to a noun: mass, measured, counted, known or new. The determiner "own" is for the caller to replace."""
    kinds = noun.classes
    if "kin" in kinds or ("mine" in kinds and "role" not in kinds):
        return NounPhrase(noun, "own")
    if "mass" in kinds:
        return mass(dice, noun)
    if "transport" in kinds or "cab" in kinds or "hole" in kinds:
        return NounPhrase(noun, "the", adjective=None)
    adjective = described(dice, noun)
    if known:
        draw = dice.choose(("the", "the", "this", "own"))
        personal = kinds & {
            "role",
            "adult",
            "young",
            "animal",
            "place",
            "fruit",
            "vegetable",
            "snack",
            "room",
            "matter",
        }
        if draw == "own" and personal:
            draw = "the"
        return NounPhrase(noun, draw, draw != "own" and dice.chance(0.15), adjective)
    return new_thing(dice, noun, adjective)


def new_thing(dice: Dice, noun: Noun, adjective: Adjective | None) -> NounPhrase:
    """Bring up something countable: a book, the book, three books, many books, a kilo of apples."""
    draw = dice.number(1, 100)
    if "kilo" in noun.classes and draw <= 15:
        return NounPhrase(noun, plural=True, count=dice.number(2, 5), unit=UNITS["kilo"])
    if draw <= 45:
        return NounPhrase(noun, "a", adjective=adjective)
    if draw <= 65:
        return NounPhrase(noun, "the", dice.chance(0.15), adjective)
    if draw <= 72:
        return NounPhrase(noun, "this", dice.chance(0.3), adjective)
    if draw <= 92:
        return NounPhrase(noun, plural=True, count=dice.number(2, 5), adjective=adjective)
    return NounPhrase(noun, dice.choose(GROUPS), plural=True, adjective=adjective)


def mass(dice: Dice, noun: Noun) -> NounPhrase:
    """Bring up something uncountable: coffee, hot coffee, a cup of coffee, two cups of coffee."""
    units = [unit for kind, unit in UNITS.items() if kind in noun.classes and kind != "kilo"]
    if units and dice.chance(0.5):
        count = dice.choose((0, 0, 2, 3))
        return NounPhrase(noun, "" if count else "a", count=count, unit=dice.choose(units))
    return NounPhrase(noun, adjective=described(dice, noun))


def possessed(dice: Dice, noun: Noun, owner: str) -> NounPhrase:
    """Refer to something by its owner; Chinese has no second 的 after 我的, so few adjectives may follow."""
    adjective = described(dice, noun)
    if adjective and adjective.chinese_attribute.endswith("的"):
        adjective = None
    return NounPhrase(noun, owner, adjective=adjective)


def generic(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw an object as such: coffee, apples, books."""
    action = scene["verb"]
    assert isinstance(action, Verb)
    noun = dice.choose(nouns(action.objects))
    return NounPhrase(noun, adjective=described(dice, noun, 0.2), plural="mass" not in noun.classes)


def of(*kinds: str, determiners: tuple[str, ...] = ("the",), describe: float = 0.3) -> Filler:
    """Draw one thing of some classes: the big table. Possessives and 的 are kept apart as in ``possessed``."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        noun, which = dice.choose(options), dice.choose(determiners)
        if which in OWN.values():
            return possessed(dice, noun, which)
        return NounPhrase(noun, which, adjective=described(dice, noun, describe))

    return fill


def several(*kinds: str, most: int = 5) -> Filler:
    """Draw a number of things: a book, three old books, many books."""
    options = members(*kinds)

    def fill(dice: Dice, scene: Scene) -> Phrase | None:
        noun = dice.choose(options)
        adjective, draw = described(dice, noun), dice.number(1, 10)
        if draw <= 4:
            return NounPhrase(noun, "a", adjective=adjective)
        if draw <= 8:
            return NounPhrase(noun, plural=True, count=dice.number(2, most), adjective=adjective)
        return NounPhrase(noun, dice.choose(GROUPS), plural=True, adjective=adjective)

    return fill


def plural(*kinds: str) -> Filler:
    """Draw things in the bare plural: books."""
    return one_of(*(NounPhrase(noun, plural=True) for noun in members(*kinds)))


def recipient(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw who is given something: me, his mother, the children, Anna; not the giver."""
    giver = scene.get("subject")
    draw = dice.number(1, 4)
    phrase: Phrase
    if draw == 1:
        phrase = Pronoun(dice.choose(("I", "he", "she", "we", "they")))
    elif draw == 2:
        owner = own(giver) if giver is not None else "your"
        phrase = relative(dice, (owner or "my",))
    elif draw == 3:
        phrase = somebody(dice)
    else:
        phrase = named(dice)
    if giver is None:
        return None if phrase == Pronoun("they") or phrase == Pronoun("you") else phrase
    return None if phrase == giver or set(phrase.lexemes) & set(giver.lexemes) or clash(giver, phrase) else phrase


def clash(giver: Phrase, taker: Phrase) -> bool:
    """Tell whether two pronouns overlap: I and us, we and me, he and him."""
    ours = {Pronoun("I"), Pronoun("we")}
    return giver in ours and taker in ours
