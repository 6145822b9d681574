"""Chinese words for phrases: measure words, 的, 们, 两, places between 在 and 里."""

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
    word,
)

PRONOUNS = {"I": "我", "you": "你", "he": "他", "she": "她", "we": "我们", "they": "他们"}
OWNERS = {"my": "我", "your": "你", "his": "他", "her": "她", "our": "我们", "their": "他们"}
DETERMINERS = {"a": "一", "the": "那", "this": "这", "some": "一些", "many": "很多"}
TITLES = {"Mr.": "先生", "Mrs.": "女士"}
DIGITS = "零一二三四五六七八九十"
PEOPLE = frozenset({"role", "mine", "young", "adult"})


def render(phrase: Phrase, form: str, role: str, scene: Scene) -> list[Word]:
    """Put a phrase into Chinese words; ``role`` is the slot it fills."""
    match phrase:
        case Place():
            return place(phrase, form, role)
        case Numeral(value):
            return [word("两" if form == "count" and value == 2 else number(value), role)]
        case Adjective():
            return [word(phrase.chinese, role)]
        case Saying():
            return [word(text, *(f"{role}.{tag}" for tag in tags or ("all",))) for text, tags in phrase.chinese]
        case Verb():
            return verb(phrase, form, role)
        case _:
            return nominal(phrase, form, role)


def nominal(phrase: Nominal, form: str, role: str) -> list[Word]:
    """Put something noun-like into words; see ``noun_phrase`` for the forms."""
    match phrase:
        case Pronoun(english):
            return [word(PRONOUNS[english], role)]
        case NounPhrase():
            return noun_phrase(phrase, form, role)
        case Name():
            return [word(phrase.chinese, role)]
        case Titled(name, title):
            return [word(name.chinese, role), word(TITLES[title], f"{role}.title")]
        case Both(first, second):
            joint = word("和", f"{role}.and")
            return [*nominal(first, form, f"{role}.1"), joint, *nominal(second, form, f"{role}.2")]


def auxiliary(name: str, form: str, role: str, scene: Scene) -> list[Word]:
    """Refuse: Chinese has no auxiliary that agrees, so its sides write theirs as plain words."""
    raise KeyError(name)


def number(value: int) -> str:
    """Spell a number below a hundred."""
    tens, ones = divmod(value, 10)
    if tens == 0 or value == 10:
        return DIGITS[value]
    return (DIGITS[tens] if tens > 1 else "") + "十" + (DIGITS[ones] if ones else "")


def noun_phrase(phrase: NounPhrase, form: str, role: str) -> list[Word]:
    """Put determiner, number, measure word, adjective and noun in order; the form "bare" drops 一 and its measure."""
    words = determiner(phrase, form, role)
    if phrase.adjective and phrase.superlative:
        quality = f"{role}.adjective"
        words = [word("最", f"{quality}.degree"), word(phrase.adjective.chinese, quality), word("的")]
    elif phrase.adjective:
        words.append(word(phrase.adjective.chinese_attribute, f"{role}.adjective"))
    return [*words, word(phrase.noun.chinese + ("们" if has_suffix(phrase) else ""), role)]


def determiner(phrase: NounPhrase, form: str, role: str) -> list[Word]:
    """Say which or how many, with the measure word that the noun asks for."""
    part, count = f"{role}.determiner", f"{role}.count"
    measure = phrase.unit.chinese if phrase.unit else phrase.noun.measure
    unit = f"{role}.unit" if phrase.unit else ""
    if phrase.owner:
        return [*nominal(phrase.owner, "", f"{role}.owner"), word("的", part)]
    if phrase.count:
        numeral = "两" if phrase.count == 2 else number(phrase.count)
        return [word(numeral, count), word(measure, unit or count)]
    if form == "how":
        return [word("几", "how"), word(measure, "how")]
    if not phrase.determiner or (phrase.determiner == "a" and form == "bare"):
        return []
    match phrase.determiner:
        case "the" if is_plainly_definite(phrase, form):
            return []
        case "the" | "this" if phrase.plural:
            return [word(DETERMINERS[phrase.determiner], part), word("些", part)]
        case "a" | "the" | "this":
            return [word(DETERMINERS[phrase.determiner], part), word(measure, unit or part)]
        case "some" | "many":
            return [word(DETERMINERS[phrase.determiner], part)]
        case owner:
            return possessive(owner, phrase.noun, part)


def is_plainly_definite(phrase: NounPhrase, form: str) -> bool:
    """Tell whether the bare noun is understood as the one we know: 老师, 窗户, 孩子们."""
    if phrase.adjective:
        return False
    return (
        form in ("place", "thing") or "bare" in phrase.noun.marks or has_suffix(phrase) or "mass" in phrase.noun.classes
    )


def has_suffix(phrase: NounPhrase) -> bool:
    """Tell whether 们 marks the plural: people who are known and not counted."""
    known = phrase.determiner not in ("", "this", "some", "many") and not phrase.adjective
    return phrase.plural and known and not phrase.count and bool(phrase.noun.classes & PEOPLE)


def possessive(owner: str, noun: Noun, part: str) -> list[Word]:
    """Say whose it is: 我妈妈 without 的, but 我们的妈妈 and 我的书."""
    if "kin" in noun.classes and len(OWNERS[owner]) == 1:
        return [word(OWNERS[owner], part)]
    return [word(OWNERS[owner], part), word("的", part)]


def place(phrase: Place, form: str, role: str) -> list[Word]:
    """Put a thing between 在 and the word for the relation; "inner" leaves 在 to the pattern, "to" drops both."""
    ground = noun_phrase(phrase.ground, "place", f"{role}.ground")
    if form == "to":
        return ground
    suffix = RELATIONS["in" if phrase.relation == "at" else phrase.relation].chinese
    if phrase.relation == "at":
        suffix = phrase.ground.noun.marks.get("zh", suffix)
    before = [] if form == "inner" else [word("在", f"{role}.preposition")]
    after = [] if suffix == "-" else [word(suffix, f"{role}.preposition")]
    return before + ground + after


def verb(entry: Verb, form: str, role: str) -> list[Word]:
    """Return a verb and its complement; "le" puts 了 between them, "now" puts 在 before what goes on."""
    words = [word(entry.chinese, role)]
    if form == "now" and entry.kind == "action":
        words.insert(0, word("在", partner(role, "be")))
    if form == "le":
        words.append(word("了", partner(role, "finite")))
    if entry.chinese_complement:
        words.append(word(entry.chinese_complement, f"{role}.complement"))
    return words


def finish(words: list[Word]) -> list[Word]:
    """Return the words as they are: Chinese needs no adjustment between neighbours."""
    return words
