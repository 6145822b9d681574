"""Read the tables of the lexicon into entries."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from ferryman.corpus.phrasebook.lexicon.entries import Adjective, Name, Noun, Saying, Token, Verb

GENDERS = {"der": "m", "die": "f", "das": "n"}


def rows(table: str) -> Iterator[list[str]]:
    """Yield the cells of every row of a table, without comments and blank lines."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def classes(cell: str) -> frozenset[str]:
    """Read a list of classes; "-" is none."""
    return frozenset(cell.split()) - {"-"}


def forms(cell: str) -> list[str]:
    """Split a cell into the forms between its slashes."""
    return [form.strip() for form in cell.split("/")]


def read_noun(english: str, german: str, chinese: str, measure: str, kinds: str, marks: str) -> Noun:
    """Make a noun of its row."""
    singular, *irregular = forms(english)
    german_singular, german_plural = forms(german)
    article, german_noun = german_singular.split()
    key = singular.replace(" ", "_")
    return Noun(
        key=key,
        english=singular,
        english_plural=irregular[0] if irregular else singular + "s",
        german=german_noun,
        german_plural=german_plural,
        gender=GENDERS[article],
        chinese=chinese,
        measure=measure,
        classes=classes(kinds) | {key},
        marks={name: value for name, _, value in (mark.partition("=") for mark in marks.split())},
    )


def read_adjective(*row: str) -> Adjective:
    """Make an adjective of its row: English, German, two Chinese forms, two lists of classes."""
    english, german, attribute, chinese, describes, said_of = row
    plain, *degrees = forms(english)
    german_plain, *german_degrees = forms(german)
    german_plain, _, stem = german_plain.partition(":")
    comparative, superlative = degrees or (f"more {plain}", f"most {plain}")
    german_comparative, german_superlative = german_degrees or (german_plain + "er", german_plain + "st")
    return Adjective(
        english=(plain, comparative, superlative),
        german=(german_plain, german_comparative, german_superlative),
        german_stem=stem or german_plain,
        chinese_attribute=attribute,
        chinese=chinese,
        describes=classes(describes),
        said_of=classes(said_of),
    )


def ing_form(base: str) -> str:
    """Add -ing to an English verb: drop a silent e."""
    return base[:-1] + "ing" if base.endswith("e") and not base.endswith("ee") else base + "ing"


def read_verb(row: list[str]) -> Verb:
    """Make a verb of its row; the rows of fixed.txt end after the Chinese."""
    english, german, government, chinese, *usage = row
    kind, subjects, objects, places = usage or ("fixed", "-", "-", "-")
    kind, *flags = kind.split()
    base, past, participle, *ing = forms(english)
    base, _, complement = (part.strip() for part in base.partition("+"))
    head, *rest = base.split()
    infinitive, er_form, german_participle = forms(german)
    infinitive, _, german_complement = (part.strip() for part in infinitive.partition("+"))
    particle, _, stem = infinitive.rpartition("_")
    german_participle, _, auxiliary = german_participle.partition(" ")
    chinese_verb, _, chinese_complement = (part.strip() for part in chinese.partition("+"))
    return Verb(
        english=(head, past, participle, ing[0] if ing else ing_form(head)),
        english_rest=tuple(rest),
        english_complement=tuple(complement.split()),
        german=(stem, er_form, german_participle),
        german_particle=particle,
        german_complement=german_complement,
        german_auxiliary=auxiliary or "haben",
        government=government,
        chinese=chinese_verb,
        chinese_complement=chinese_complement,
        kind=kind,
        known="known" in flags,
        lasting="lasting" in flags,
        subjects=classes(subjects),
        objects=classes(objects),
        places=classes(places),
    )


def read_tokens(text: str) -> tuple[Token, ...]:
    """Read words with their tags: ``last~1 week~2``."""
    pieces = (word.split("~") for word in text.split())
    return tuple(Token(word, tuple(tags)) for word, *tags in pieces)


def read_saying(english: str, german: str, chinese: str) -> Saying:
    """Make a fixed phrase of its three sides."""
    return Saying(read_tokens(english), read_tokens(german), read_tokens(chinese))


def read_times() -> dict[str, tuple[Saying, ...]]:
    """Group the times by class, weekdays added."""
    table: dict[str, list[Saying]] = {}
    for kinds, *sides in (*rows("times.txt"), *weekdays()):
        for kind in kinds.split():
            table.setdefault(kind, []).append(read_saying(*sides))
    return {kind: tuple(times) for kind, times in table.items()}


def weekdays() -> Iterator[list[str]]:
    """Yield rows like those of times.txt for every day of the week."""
    for english, german, chinese in WEEKDAYS:
        yield ["past recent", f"last~1 {english}~2", f"letzten~1 {german}~2", f"上~1 星期{chinese}~2"]
        yield ["future near", f"next~1 {english}~2", f"nächsten~1 {german}~2", f"下~1 星期{chinese}~2"]
        yield ["habit daily", f"every~1 {english}~2", f"jeden~1 {german}~2", f"每个~1 星期{chinese}~2"]
        yield ["day", english, german, f"星期{chinese}"]


WEEKDAYS = (
    ("Monday", "Montag", "一"),
    ("Tuesday", "Dienstag", "二"),
    ("Wednesday", "Mittwoch", "三"),
    ("Thursday", "Donnerstag", "四"),
    ("Friday", "Freitag", "五"),
    ("Saturday", "Samstag", "六"),
    ("Sunday", "Sonntag", "天"),
)

NOUNS = {entry.key: entry for entry in (read_noun(*row) for row in rows("nouns.txt"))}
ADJECTIVES = tuple(read_adjective(*row) for row in rows("adjectives.txt"))
VERBS = tuple(read_verb(row) for row in rows("verbs.txt"))
FIXED_VERBS = {entry.english[0]: entry for entry in (read_verb(row) for row in rows("fixed.txt"))}
NAMES = tuple(Name(*row) for row in rows("names.txt"))
TIMES = read_times()


def noun(key: str) -> Noun:
    """Return one noun by its key."""
    return NOUNS[key]


@cache
def nouns(kinds: frozenset[str]) -> tuple[Noun, ...]:
    """Return the nouns that belong to any of some classes, in the order of the table."""
    return tuple(entry for entry in NOUNS.values() if entry.classes & kinds)
