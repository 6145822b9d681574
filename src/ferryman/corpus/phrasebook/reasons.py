"""Draw clauses that go together: why somebody does something, who is who, which thing was bought."""

from collections.abc import Mapping

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.facts import number
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, VERBS, Adjective, Verb, nouns
from ferryman.corpus.phrasebook.people import described, gender, members, teller
from ferryman.corpus.phrasebook.phrases import NounPhrase, Phrase, Scene
from ferryman.corpus.phrasebook.receivers import overlap
from ferryman.corpus.phrasebook.slots import Filler
from ferryman.corpus.phrasebook.things import mass, new_thing, possessed

REACTIONS = {
    "tired": ("go to bed", "stay at home", "sleep"),
    "sick": ("go to the doctor", "stay at home"),
    "happy": ("sing", "dance", "laugh"),
    "sad": ("cry",),
}
APPETITES = {"hungry": ("eat", "fruit snack bread cheese"), "thirsty": ("drink", "water juice tea")}
MOODS = {mood.english[0]: mood for mood in ADJECTIVES if "mood" in mood.said_of}
# a verb by its English words, its first sense; a reaction ("go to bed") before a routine of the same name
BY_NAME = {verb.lexemes[0]: verb for verb in reversed(VERBS) if not verb.objects}
EATING = {verb.lexemes[0]: verb for verb in reversed(VERBS) if verb.objects}
MADE = ("buy", "read", "write", "translate", "paint", "find", "bake", "cook", "order")


def mood_with(table: Mapping[str, tuple[str, ...]]) -> Filler:
    """Draw a mood that has consequences."""
    moods = tuple(MOODS[mood] for mood in table)
    return lambda dice, scene: dice.choose(moods)


emotional, craving = mood_with(REACTIONS), mood_with(APPETITES)


def reaction(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what people do in the mood in "mood"."""
    (mood,) = scene["mood"].lexemes
    return BY_NAME[dice.choose(REACTIONS[mood])]


def consuming(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw eating for the hungry and drinking for the thirsty."""
    (mood,) = scene["mood"].lexemes
    return EATING[APPETITES[mood][0]]


def consumed(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what the hungry eat and the thirsty drink."""
    (mood,) = scene["mood"].lexemes
    noun = dice.choose(members(*APPETITES[mood][1].split()))
    return mass(dice, noun) if "mass" in noun.classes else new_thing(dice, noun)


def other(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a second subject who is not the first."""
    phrase = teller(dice, scene)
    return None if overlap(scene["subject"], phrase) else phrase


def stranger(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a man, woman, boy or girl who is pointed at."""
    noun = dice.choose(members("man", "woman", "boy", "girl"))
    return NounPhrase(noun, "the", adjective=described(dice, noun, 0.2))


def identity(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw who the stranger in "subject" is: my uncle; of the same sex and about the same age."""
    subject = scene["subject"]
    young = subject.lexemes[0] in ("boy", "girl")
    options = members("brother", "sister", "son", "daughter") if young else members("kin", "mine")
    known = NounPhrase(dice.choose(options), dice.choose(("my", "his", "her", "our")))
    return known if gender(known) == gender(subject) else None


def made_or_bought(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw what was done to the thing in "subject": bought, written, baked."""
    subject = scene["subject"]
    if not isinstance(subject, NounPhrase) or subject.determiner != "the":
        return None
    options = tuple(verb for verb in VERBS if verb.lexemes[0] in MADE and verb.objects & subject.noun.classes)
    options = tuple(verb for verb in options if verb.kind in ("action", "event"))
    return dice.choose(options) if options else None


def said_thing(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a thing that has the quality in "quality": the cake, the books."""
    shared = scene["quality"]
    assert isinstance(shared, Adjective)
    noun = dice.choose(nouns(shared.said_of))
    return NounPhrase(noun, "the", number(dice, noun))


def maker_object(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a known thing that the verb in "verb" brings about."""
    action = scene["verb"]
    assert isinstance(action, Verb)
    noun = dice.choose(nouns(action.objects))
    if noun.classes & {"mass", "animal", "planted"}:
        return None
    return NounPhrase(noun, dice.choose(("the", "this")), dice.chance(0.15), described(dice, noun))


def lost_thing(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a thing of somebody's that the verb in "verb" takes away: my bicycle, the old house."""
    action = scene["verb"]
    assert isinstance(action, Verb)
    noun = dice.choose(nouns(action.objects))
    if "building" in noun.classes or dice.chance(0.4):
        return NounPhrase(noun, dice.choose(("the", "this")), adjective=described(dice, noun))
    return possessed(dice, noun, dice.choose(("my", "his", "her", "our")))
