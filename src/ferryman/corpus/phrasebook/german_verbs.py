"""German verbs: present with its vowel changes, separable particles, perfect, infinitives, imperative.

A German clause holds the finite verb apart from the rest. So each form names one piece of the verb, and a pattern
puts the pieces where they belong: ``present`` in second place and ``rest`` at the end, or ``aux`` and ``participle``,
or ``final`` (all in one) at the end of a subordinate clause.
"""

from ferryman.corpus.phrasebook.lexicon import Verb
from ferryman.corpus.phrasebook.phrases import Person, Word, partner

# auxiliary (by the English name that patterns use): form -> one word for each Person
AUXILIARIES = {
    "be": {"present": "bin bist ist sind sind", "past": "war warst war waren waren"},
    "have": {"present": "habe hast hat haben haben", "past": "hatte hattest hatte hatten hatten"},
    "will": {"present": "werde wirst wird werden werden"},
    "become": {"past": "wurde wurdest wurde wurden wurden"},
    "can": {"present": "kann kannst kann können können"},
    "must": {"present": "muss musst muss müssen müssen"},
    "should": {"present": "sollte solltest sollte sollten sollten"},
    "may": {"present": "darf darfst darf dürfen dürfen"},
    "want": {"present": "will willst will wollen wollen"},
    "would": {"present": "möchte möchtest möchte möchten möchten"},
}
PERFECT = {"haben": AUXILIARIES["have"]["present"], "sein": AUXILIARIES["be"]["present"]}
LIKE_MODALS = {"mögen": "mag magst mag mögen mögen", "wissen": "weiß weißt weiß wissen wissen"}


def auxiliary(name: str, form: str, role: str, who: Person) -> list[Word]:
    """Return an auxiliary or modal verb in a finite form."""
    text = AUXILIARIES[name][form].split()[who]
    return [Word(text, frozenset({role, partner(role, "finite")}))]


def render(entry: Verb, form: str, role: str, who: Person) -> list[Word]:
    """Return one piece of a verb; see the head of this module."""
    lexical, finite = frozenset({role}), frozenset({partner(role, "finite")})
    infinitive, _, participle = entry.german
    particle = entry.german_particle
    complement = complement_of(entry, role)
    match form:
        case "present":
            return [Word(present(entry, who), lexical | finite)]
        case "rest":
            return complement + ([Word(particle, lexical)] if particle else [])
        case "aux":
            return [Word(PERFECT[entry.german_auxiliary].split()[who], finite)]
        case "participle":
            return [*complement, Word(participle, lexical)]
        case "infinitive":
            return [*complement, Word(particle + infinitive, lexical)]
        case "final":
            return [*complement, Word(particle + present(entry, who), lexical | finite)]
        case "zu" if particle:
            return [Word(f"{particle}zu{infinitive}", lexical)]
        case "zu":
            return [*complement, Word("zu", lexical), Word(infinitive, lexical)]
        case "imperative":
            return [Word(imperative(entry), lexical)]
        case _:
            raise KeyError(form)


def complement_of(entry: Verb, role: str) -> list[Word]:
    """Return the complement; it is a part of the verb where English has no word of its own for it."""
    part = f"{role}.complement" if entry.english_complement else role
    return [Word(text, frozenset({part})) for text in entry.german_complement.split()]


def present(entry: Verb, who: Person) -> str:
    """Conjugate in the present tense; vowel changes are seen in the "er" form."""
    infinitive, er_form, _ = entry.german
    if infinitive in LIKE_MODALS:
        return LIKE_MODALS[infinitive].split()[who]
    if who is Person.I:
        return stem(infinitive) + "e"
    if who is Person.IT:
        return er_form
    if who is Person.YOU:
        base = er_form[:-1]
        return er_form if base[-1] in "sßzx" else base + "st"
    return infinitive


def stem(infinitive: str) -> str:
    """Take off the ending of an infinitive."""
    return infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]


def imperative(entry: Verb) -> str:
    """Command one person informally.

    An e becomes i (gib, lies), an a stays (fahr), a dental and -ern take -e (warte, füttere).
    """
    infinitive, er_form, _ = entry.german
    base = stem(infinitive)
    if "e" in base and "i" in er_form and "i" not in base:
        return er_form[:-1]
    return base + ("e" if er_form.endswith("et") or not infinitive.endswith("en") else "")
