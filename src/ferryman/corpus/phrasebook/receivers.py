"""Draw the other person: whom something is done to or given to."""

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.people import named, own, relative, somebody, titled
from ferryman.corpus.phrasebook.phrases import NounPhrase, Phrase, Pronoun, Scene


def person_object(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw a pronoun as the object of the verb: me, him, them; not the subject again."""
    pronoun = Pronoun(dice.choose(("I", "he", "she", "we", "they")))
    return None if overlap(scene["subject"], pronoun) else pronoun


def recipient(dice: Dice, scene: Scene) -> Phrase | None:
    """Draw who is given something: me, his mother, the children, Anna; not the giver."""
    giver, draw = scene["subject"], dice.number(1, 4)
    taker: Phrase
    if draw == 1:
        taker = Pronoun(dice.choose(("I", "he", "she", "we", "they")))
    elif draw == 2:
        taker = relative(dice, (own(giver) or "my",))
    else:
        # two bare nouns in a row could be read as one: "hat der Student Peter …"
        taker = somebody(dice) if draw == 3 else titled(dice) if isinstance(giver, NounPhrase) else named(dice)
    return None if overlap(giver, taker) else taker


def overlap(one: Phrase, other: Phrase) -> bool:
    """Tell whether two people may be the same: I and us, the teacher and the teachers, he and him."""
    ours = {Pronoun("I"), Pronoun("we")}
    return one == other or (one in ours and other in ours) or bool(set(one.lexemes) & set(other.lexemes))
