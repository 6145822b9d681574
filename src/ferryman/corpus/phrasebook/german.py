"""German words for phrases: nouns and their articles, adjectives, prepositions, contractions."""

from ferryman.corpus.phrasebook import german_verbs
from ferryman.corpus.phrasebook.lexicon import Adjective, Name, Noun, Saying, Verb
from ferryman.corpus.phrasebook.phrases import (
    RELATIONS,
    Both,
    Nominal,
    NounPhrase,
    Numeral,
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

CASES = ("nom", "acc", "dat", "gen")
PRONOUNS = {
    "I": ("ich", "mich", "mir"),
    "you": ("du", "dich", "dir"),
    "he": ("er", "ihn", "ihm"),
    "she": ("sie", "sie", "ihr"),
    "we": ("wir", "uns", "uns"),
    "they": ("sie", "sie", "ihnen"),
}
OWNERS = {"my": "mein", "your": "dein", "his": "sein", "her": "ihr", "our": "unser", "their": "ihr"}
NUMBERS = dict(
    enumerate(["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"], start=2)
)
TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
NUMBERS |= {10 * i: tens for i, tens in enumerate(TENS.split(), start=2)}

# case -> ending for m, f, n, plural ("-" is no ending)
THE = {"nom": "der die das die", "acc": "den die das die", "dat": "dem der dem den", "gen": "des der des der"}
EIN = {"nom": "- e - e", "acc": "en e - e", "dat": "em er em en", "gen": "es er es er"}
STRONG = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en", "gen": "en er en er"}
WEAK = {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en", "gen": "en en en en"}
MIXED = {"nom": "er e es en", "acc": "en e es en", "dat": "en en en en", "gen": "en en en en"}
DIES = STRONG | {"gen": "es er es er"}

CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("an", "das"): "ans",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
    ("bei", "dem"): "beim",
}


def render(phrase: Phrase, form: str, role: str, scene: Scene) -> list[Word]:
    """Put a phrase into German words; ``role`` is the slot it fills, ``form`` a case with or without "-not"."""
    match phrase:
        case Pronoun() | NounPhrase() | Name() | Titled() | Both():
            return nominal(phrase, form or "nom", role, scene)
        case Place():
            return place(phrase, form, role, scene)
        case Numeral(value):
            return [word(NUMBERS[value], role)]
        case Adjective():
            return adjective(phrase, form, role)
        case Saying():
            return [word(text, *(f"{role}.{tag}" for tag in tags or ("all",))) for text, tags in phrase.german]
        case Verb():
            return german_verbs.render(phrase, form, role, person(scene.get(partner(role, "subject"))))


def auxiliary(name: str, form: str, role: str, scene: Scene) -> list[Word]:
    """Put an auxiliary or modal verb into the form that agrees with its subject."""
    return german_verbs.auxiliary(name, form, role, person(scene.get(partner(role, "subject"))))


def ending(table: dict[str, str], case: str, gender: str) -> str:
    """Look up the ending for a case and a gender ("p" for the plural)."""
    return table[case].split()["mfnp".index(gender)].replace("-", "")


def nominal(phrase: Nominal, form: str, role: str, scene: Scene) -> list[Word]:
    """Put something noun-like into a case; "governed" takes the case or preposition that the verb asks for."""
    case, _, negative = form.partition("-")
    if case == "relative" and isinstance(phrase, NounPhrase):
        gender = "p" if phrase.plural else phrase.noun.gender
        return [word(ending(THE, negative, gender), f"{role}.relative")]
    before: list[Word] = []
    if case == "governed":
        verb = scene[partner(role, "verb")]
        preposition, _, case = verb.government.rpartition("+") if isinstance(verb, Verb) else ("", "", "acc")
        before = [word(preposition, partner(role, "verb"))] if preposition else []
    if not negative:
        return before + in_case(phrase, case, role)
    if before:
        return [word("nicht", "not"), *before, *in_case(phrase, case, role)]
    if isinstance(phrase, NounPhrase) and phrase.determiner in ("", "a") and not phrase.count and not phrase.owner:
        return noun_phrase(phrase, case, role, negative=True)
    return [*in_case(phrase, case, role), word("nicht", "not")]


def in_case(phrase: Nominal, case: str, role: str) -> list[Word]:
    """Put something noun-like into a case."""
    match phrase:
        case Pronoun(english):
            return [word(PRONOUNS[english][CASES.index(case)], role)]
        case Name():
            return [word(phrase.german, role)]
        case Titled(name, title):
            address = "Frau" if title == "Mrs." else "Herr" if case == "nom" else "Herrn"
            return [word(address, f"{role}.title"), word(name.german, role)]
        case Both(first, second):
            joint = word("und", f"{role}.and")
            return [*in_case(first, case, f"{role}.1"), joint, *in_case(second, case, f"{role}.2")]
        case NounPhrase():
            return noun_phrase(phrase, case, role, negative=False)


def noun_phrase(phrase: NounPhrase, case: str, role: str, *, negative: bool) -> list[Word]:
    """Decline article, number, adjective and noun; a genitive owner follows, a name comes before."""
    noun, part = phrase.noun, f"{role}.determiner"
    plural = phrase.plural and not (phrase.unit and noun.german_plural == "-")
    gender = "p" if plural else noun.gender
    declension, words = STRONG, []
    if isinstance(phrase.owner, Name):
        words.append(word(phrase.owner.german + "s", f"{role}.owner", part))
    elif negative:
        declension = MIXED
        words.append(word("kein" + ending(EIN, case, gender), part, "not"))
    else:
        which = "the" if phrase.owner else phrase.determiner
        head = phrase.unit.gender if phrase.unit and not phrase.count else gender
        text, declension = determiner(which, case, head)
        words += [word(text, part)] if text else []
    if phrase.count:
        words.append(word(NUMBERS[phrase.count], f"{role}.count"))
    if phrase.adjective:
        words.append(attribute(phrase, f"{role}.adjective", ending(declension, case, gender)))
    if phrase.unit:
        unit = phrase.unit.german_plural if phrase.count else phrase.unit.german
        if phrase.count and case == "dat" and unit[-1] not in "nso" and unit != "Stück":
            unit += "n"
        words.append(word(unit, f"{role}.unit"))
    # after a measure the noun keeps its plain form: zwei Kilo Äpfel, mit einem Glas Wasser
    words.append(word(decline(noun, "nom" if phrase.unit else case, plural=plural), role))
    if isinstance(phrase.owner, NounPhrase):
        words += noun_phrase(phrase.owner, "gen", f"{role}.owner", negative=False)
    return words


def determiner(which: str, case: str, gender: str) -> tuple[str, dict[str, str]]:
    """Inflect a determiner and tell how adjectives after it are declined."""
    match which:
        case "":
            return "", STRONG
        case "the":
            return ending(THE, case, gender), WEAK
        case "this":
            return "dies" + ending(DIES, case, gender), WEAK
        case "some":
            return "einige" + ("n" if case == "dat" else "r" if case == "gen" else ""), STRONG
        case "many":
            return "viele" + ("n" if case == "dat" else "r" if case == "gen" else ""), STRONG
        case "a":
            return "ein" + ending(EIN, case, gender), MIXED
        case owner:
            return OWNERS[owner] + ending(EIN, case, gender), MIXED


def decline(noun: Noun, case: str, *, plural: bool) -> str:
    """Put a noun into a case."""
    if plural:
        text = noun.german_plural
        return text + "n" if case == "dat" and text[-1] not in "ns" else text
    if "weak" in noun.marks and case != "nom":
        return noun.german + ("n" if noun.german[-1] in "er" else "en")
    if case == "gen" and noun.gender != "f":
        return noun.german + ("es" if "es" in noun.marks else "s")
    return noun.german


def place(phrase: Place, form: str, role: str, scene: Scene) -> list[Word]:
    """Put a preposition before a noun phrase: dative for the place, "to" the goal, the "way" there, "onto" a table."""
    marks = phrase.ground.noun.marks
    case = "dat"
    if form == "way":
        preposition = "zu"
    elif form == "to":
        preposition = marks.get("to", "in")
        case = "dat" if preposition == "zu" else "acc"
    elif phrase.relation == "at":
        preposition = marks.get("at", "in/in").split("/")[1]
    else:
        preposition = RELATIONS[phrase.relation].german
        case = "acc" if form == "onto" else "dat"
    ground = render(phrase.ground, case, f"{role}.ground", scene)
    return [word(preposition, f"{role}.preposition"), *ground]


def attribute(phrase: NounPhrase, role: str, suffix: str) -> Word:
    """Inflect the adjective before a noun."""
    assert phrase.adjective is not None
    if phrase.superlative:
        return word(phrase.adjective.german[2] + suffix, role, f"{role}.degree")
    return word(phrase.adjective.german_stem + suffix, role)


def adjective(entry: Adjective, form: str, role: str) -> list[Word]:
    """Return a predicate adjective, plain or comparative."""
    if form == "comparative":
        return [word(entry.german[1], role, f"{role}.degree")]
    return [word(entry.german[0], role)]


def finish(words: list[Word]) -> list[Word]:
    """Contract prepositions with articles, and begin with a capital."""
    finished: list[Word] = []
    for now in words:
        contraction = CONTRACTIONS.get((finished[-1].text, now.text)) if finished else None
        if contraction:
            finished[-1] = Word(contraction, finished[-1].parts | now.parts)
        else:
            finished.append(now)
    first = finished[0]
    return [Word(first.text[0].upper() + first.text[1:], first.parts), *finished[1:]]
