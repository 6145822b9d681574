"""Who people are, where they live, how old they are, what things cost."""

from ferryman.corpus.phrasebook.facts import (
    age,
    aged,
    dwelling,
    first_name,
    known_person,
    profession,
)
from ferryman.corpus.phrasebook.people import teller
from ferryman.corpus.phrasebook.slots import name, numeral, place
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import of

FACTS = (
    pattern(
        "profession",
        {"subject": known_person, "profession": profession},
        "{subject} {be:present} {profession} .",
        "{subject} {be:present} {profession} .",
        "{subject} 是~be {profession} 。",
        weight=1.5,
    ),
    pattern(
        "name",
        {
            "subject": of("kin", "dog", "cat", determiners=("my", "his", "her", "our"), describe=0),
            "name": first_name,
        },
        "{subject:possessive} name~called is~finite {name} .",
        "{subject} heißt~called~finite {name} .",
        "{subject} 叫~called~finite {name} 。",
    ),
    pattern(
        "comes from",
        {"subject": teller, "country": name("country", "city")},
        "{subject} {come:present} from~from {country} .",
        "{subject} {come:present} aus~from {country} .",
        "{subject} 来自~come~from~finite {country} 。",
    ),
    pattern(
        "lives in",
        {"subject": teller, "home": dwelling, "city": name("city")},
        "{subject} {live:present} {home} in~in {city} .",
        "{subject} {live:present} {home} in~in {city} .",
        "{subject} {live} 在~home.preposition {city} 的~in {home:inner} 。",
    ),
    pattern(
        "lives in a city",
        {"subject": teller, "city": name("city")},
        "{subject} {live:present} in~in {city} .",
        "{subject} {live:present} in~in {city} .",
        "{subject} {live} 在~in {city} 。",
    ),
    pattern(
        "speaks",
        {"subject": teller, "language": name("language")},
        "{subject} {speak:present} {language} .",
        "{subject} {speak:present} {language} .",
        "{subject} 会 {speak} {language} 。",
    ),
    pattern(
        "is learning",
        {"subject": teller, "language": name("language"), "place": place("school", "university")},
        "{subject} {be:present} {learn:ing} {language} {place} .",
        "{subject} {learn:present} {place} {language} .",
        "{subject} {place} {learn} {language} 。",
    ),
    pattern(
        "age",
        {"subject": aged, "age": age},
        "{subject} {be:present} {age} years~years old~years .",
        "{subject} {be:present} {age} Jahre~years alt~years .",
        "{subject} {age:count} 岁~years 。",
    ),
    pattern(
        "price",
        {
            "subject": of(
                "clothes", "gown", "worn", "lamp", "bag", "chair", "ring", determiners=("the", "this"), describe=0.6
            ),
            "price": numeral(*range(20, 100, 10)),
        },
        "{subject} {cost:present} {price} euros~euro .",
        "{subject} {cost:present} {price} Euro~euro .",
        "{subject} {cost} {price} 欧元~euro 。",
    ),
)

PATTERNS = FACTS
