"""English words for phrases: agreement, plurals, irregular verbs, a and an."""

from ferryman.corpus.phrasebook.lexicon import Adjective, Name, Noun, Saying, Token, Verb
from ferryman.corpus.phrasebook.phrases import (
    RELATIONS,
    Both,
    Nominal,
    NounPhrase,
    Numeral,
    Person,
    Phrase,
    Place,
    Pronoun,
    Scene,
    Titled,
    Word,
    partner,
    person,
    word,
)

OBJECTS = {"I": "me", "you": "you", "he": "him", "she": "her", "we": "us", "they": "them"}
DEGREES = {"": 0, "comparative": 1, "superlative": 2}
NUMBERS = dict(
    enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2)
)
NUMBERS |= {
    10 * i: tens
    for i, tens in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}

# auxiliary: form -> one word for each Person
AUXILIARIES = {
    "be": {
        "present": "am are is are are",
        "past": "was were was were were",
        "present-not": "am_not aren't isn't aren't aren't",
        "past-not": "wasn't weren't wasn't weren't weren't",
    },
    "have": {"present": "have have has have have", "past": "had had had had had"},
    "do": {
        "present": "do do does do do",
        "past": "did did did did did",
        "present-not": "don't don't doesn't don't don't",
        "past-not": "didn't didn't didn't didn't didn't",
    },
    "will": {"present": "will will will will will", "present-not": "won't won't won't won't won't"},
    "can": {"present": "can can can can can", "present-not": "can't can't can't can't can't"},
    "must": {"present": "must must must must must"},
    "should": {"present": "should should should should should"},
    "may": {"present": "may may may may may"},
    "want": {"present": "want want wants want want"},
    "would": {"present": "would would would would would"},
}


def render(phrase: Phrase, form: str, role: str, scene: Scene) -> list[Word]:
    """Put a phrase into English words; ``role`` is the slot it fills."""
    match phrase:
        case Place():
            return place(phrase, form, role)
        case Numeral(value):
            return [word(NUMBERS[value], role)]
        case Adjective():
            return adjective(phrase, form, role)
        case Saying():
            return [saying(token, role) for token in phrase.english]
        case Verb():
            return verb(phrase, form, role, person(scene.get(partner(role, "subject"))))
        case _:
            words = nominal(phrase, form, role)
            return genitive(words) if form == "possessive" else words


def nominal(phrase: Nominal, form: str, role: str) -> list[Word]:
    """Put something noun-like into words; the form "object" is for pronouns."""
    match phrase:
        case Pronoun(english):
            return [word(OBJECTS[english] if form == "object" else english, role)]
        case NounPhrase():
            return noun_phrase(phrase, role)
        case Name():
            return [word(phrase.english, role)]
        case Titled(name, title):
            return [word(title, f"{role}.title"), word(name.english, role)]
        case Both(first, second):
            joint = word("and", f"{role}.and")
            return [*nominal(first, form, f"{role}.1"), joint, *nominal(second, form, f"{role}.2")]


def auxiliary(name: str, form: str, role: str, scene: Scene) -> list[Word]:
    """Put an auxiliary or modal verb into the form that agrees with its subject."""
    who = person(scene.get(partner(role, "subject")))
    parts = [role, partner(role, "finite")]
    *words, last = AUXILIARIES[name][form].split()[who].split("_")
    if not form.endswith("-not"):
        return [word(last, *parts)]
    if words:
        return [word(words[0], *parts), word(last, "not")]
    return [word(last, *parts, "not")]


def saying(token: Token, role: str) -> Word:
    """Make a word of a fixed phrase."""
    return word(token.text, *(f"{role}.{tag}" for tag in token.tags or ("all",)))


def noun_phrase(phrase: NounPhrase, role: str) -> list[Word]:
    """Put determiner, number, adjective and noun in order."""
    words = []
    match phrase.owner:
        case NounPhrase() as owner:
            words += genitive(noun_phrase(owner, f"{role}.owner"), f"{role}.determiner")
        case Name() as owner:
            words.append(word(owner.english + "'s", f"{role}.owner", f"{role}.determiner"))
        case _ if phrase.determiner:
            determiner = "these" if phrase.determiner == "this" and phrase.plural else phrase.determiner
            words.append(word(determiner, f"{role}.determiner"))
    if phrase.count:
        words.append(word(NUMBERS[phrase.count], f"{role}.count"))
    if phrase.adjective:
        words += adjective(phrase.adjective, "superlative" if phrase.superlative else "", f"{role}.adjective")
    if phrase.unit:
        unit = phrase.unit.english_plural if phrase.count else phrase.unit.english
        words += [word(unit, f"{role}.unit"), word("of")]
    return words + [word(text, role) for text in noun(phrase.noun, plural=phrase.plural).split()]


def genitive(words: list[Word], *parts: str) -> list[Word]:
    """Put the last word into the possessive."""
    *before, last = words
    return [*before, Word(last.text + "'s", last.parts | set(parts))]


def noun(entry: Noun, *, plural: bool) -> str:
    """Return the singular or the plural."""
    return entry.english_plural if plural else entry.english


def place(phrase: Place, form: str, role: str) -> list[Word]:
    """Put a preposition before a noun phrase; the form "to" makes it a goal."""
    if form == "to":
        preposition = "to"
    elif phrase.relation == "at":
        preposition = phrase.ground.noun.marks.get("at", "in/in").split("/")[0]
    else:
        preposition = RELATIONS[phrase.relation].english
    before = [word(text, f"{role}.preposition") for text in preposition.split()]
    return before + noun_phrase(phrase.ground, f"{role}.ground")


def adjective(entry: Adjective, form: str, role: str) -> list[Word]:
    """Return an adjective in a degree: easier, more difficult."""
    *more, last = entry.english[DEGREES[form]].split()
    if more:
        return [word(more[0], f"{role}.degree"), word(last, role)]
    return [word(last, role, f"{role}.degree") if form else word(last, role)]


def verb(entry: Verb, form: str, role: str, who: Person) -> list[Word]:
    """Inflect a verb; its complement follows."""
    base, past, participle, ing = entry.english
    present = third_person(base) if who is Person.IT else base
    head = {"base": base, "present": present, "past": past, "participle": participle, "ing": ing}[form]
    finite = (partner(role, "finite"),) if form in ("present", "past") else ()
    words = [word(head, role, *finite)]
    words += [word(text) if text == "a" else word(text, role) for text in entry.english_rest]
    articles = ("a", "the")
    return words + [word(t) if t in articles else word(t, f"{role}.complement") for t in entry.english_complement]


def third_person(base: str) -> str:
    """Add the -s of the third person singular."""
    if base == "have":
        return "has"
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def finish(words: list[Word]) -> list[Word]:
    """Choose between a and an, and begin with a capital."""
    for i, (text, parts) in enumerate(words[:-1]):
        if (text == "a" and words[i + 1].text[0] in "aeio") or (text == "a" and words[i + 1].text == "umbrella"):
            words[i] = Word("an", parts)
    return [Word(words[0].text[0].upper() + words[0].text[1:], words[0].parts), *words[1:]]
