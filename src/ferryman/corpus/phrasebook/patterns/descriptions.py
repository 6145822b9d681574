"""How people and things are: qualities, comparison, place, possession, origin, age, price, weather."""

from ferryman.corpus.phrasebook.facts import (
    age,
    aged,
    bearer,
    dwelling,
    excess,
    first_name,
    known_person,
    owned_bearer,
    posture,
    profession,
    quality,
    rainy,
    rival,
    spot,
    superlative,
)
from ferryman.corpus.phrasebook.people import teller
from ferryman.corpus.phrasebook.slots import adjective, name, numeral, place, say, time
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import of, owned_by, plural, several

TODAY = say(("today", "heute", "今天"))

QUALITIES = (
    pattern(
        "is",
        {"quality": quality(), "subject": bearer},
        "{subject} {be:present} {quality} .",
        "{subject} {be:present} {quality} .",
        "{subject} 很 {quality} 。",
        weight=2,
    ),
    pattern(
        "is very",
        {"quality": quality(), "subject": bearer},
        "{subject} {be:present} very~very {quality} .",
        "{subject} {be:present} sehr~very {quality} .",
        "{subject} 非常~very {quality} 。",
    ),
    pattern(
        "is too",
        {"quality": excess, "subject": bearer},
        "{subject} {be:present} too~too {quality} .",
        "{subject} {be:present} zu~too {quality} .",
        "{subject} 太~too {quality} 了~too 。",
    ),
    pattern(
        "is not",
        {"quality": quality(), "subject": bearer},
        "{subject} {be:present-not} {quality} .",
        "{subject} {be:present} nicht~not {quality} .",
        "{subject} 不~not {quality} 。",
    ),
    pattern(
        "is of a color",
        {"quality": quality(colors=True), "subject": bearer},
        "{subject} {be:present} {quality} .",
        "{subject} {be:present} {quality} .",
        "{subject} 是~be {quality} 的 。",
    ),
    pattern(
        "mood",
        {"mood": adjective("mood"), "subject": teller, "time": TODAY},
        "{subject} {be:present} very~very {mood} {time} .",
        "{subject} {be:present} {time} sehr~very {mood} .",
        "{subject} {time} 非常~very {mood} 。",
    ),
    pattern(
        "mood in the past",
        {"mood": adjective("mood"), "subject": teller, "time": time("past")},
        "{time} {subject} {be:past} very~very {mood} .",
        "{time} {be:past} {subject} sehr~very {mood} .",
        "{time} {subject} 非常~very {mood} 。",
    ),
    pattern(
        "more than",
        {"quality": quality(), "subject": bearer, "rival": rival},
        "{subject} {be:present} {quality:comparative} than~than {rival} .",
        "{subject} {be:present} {quality:comparative} als~than {rival:nom} .",
        "{subject} 比~than {rival} {quality} 。",
        weight=2,
    ),
    pattern(
        "as much as",
        {"quality": quality(), "subject": bearer, "rival": rival},
        "{subject} {be:present} as~as {quality} as~than {rival} .",
        "{subject} {be:present} so~as {quality} wie~than {rival:nom} .",
        "{subject} 和~than {rival} 一样~as {quality} 。",
    ),
    pattern(
        "the most of all",
        {"thing": superlative, "city": name("city")},
        "This~this is~be {thing} in {city} .",
        "Das~this ist~be {thing} in {city} .",
        "这~this 是~be {city} {thing} 。",
    ),
)

PLACES = (
    pattern(
        "thing in its place",
        {
            "subject": of("laid", "dish", "toy", determiners=("the", "this", "my", "your", "his", "her")),
            "posture": posture,
            "place": spot,
        },
        "{subject} {be:present} {place} .",
        "{subject} {posture:present} {place} .",
        "{subject} 在~be~finite~place.preposition {place:inner} 。",
        weight=2,
    ),
    pattern(
        "there are things",
        {"subject": several("laid", "dish", "toy", "fruit"), "posture": posture, "place": spot},
        "There {be:present} {subject} {place} .",
        "{place} {posture:present} {subject:nom} .",
        "{place:inner} 有~be~finite {subject} 。",
        weight=2,
    ),
    pattern(
        "there are no things",
        {
            "object": plural("laid", "dish", "toy", "fruit", "vegetable"),
            "place": place("kitchen", "bedroom", "living_room", "bathroom", "office"),
        },
        "There are~be no~not {object} {place} .",
        "{place} gibt~be es {object:acc-not} .",
        "{place:inner} 没有~not~be {object} 。",
    ),
    pattern(
        "someone in a place",
        {"subject": teller, "place": place("room", "outdoors", "indoors", "shop", "stop", "eatery", "lodging")},
        "{subject} {be:present} {place} .",
        "{subject} {be:present} {place} .",
        "{subject} 在~be~finite~place.preposition {place:inner} 。",
    ),
    pattern(
        "someone was in a place",
        {"subject": teller, "place": place("place"), "time": time("recent")},
        "{subject} {be:past} {place} {time} .",
        "{subject} {be:past} {time} {place} .",
        "{subject} {time} 在~be~finite~place.preposition {place:inner} 。",
    ),
    pattern(
        "animal in a place",
        {
            "subject": of("pet", determiners=("the", "my", "his")),
            "place": place(
                "furniture", "tree", "house", "car", relations=("under", "behind", "next to", "in front of")
            ),
        },
        "{subject} {be:present} {place} .",
        "{subject} {be:present} {place} .",
        "{subject} 在~be~finite~place.preposition {place:inner} 。",
    ),
    pattern(
        "sight of a city",
        {"subject": several("sight", "university", "theater", "airport", "hotel"), "city": name("city")},
        "There {be:present} {subject} in~in {city} .",
        "In~in {city} gibt~be es {subject:acc} .",
        "{city} 有~be {subject} 。",
    ),
)

POSSESSION = (
    pattern(
        "has",
        {
            "subject": teller,
            "object": several("vehicle", "device", "pet", "sibling", "instrument", "umbrella", "clothes", "gown"),
        },
        "{subject} {have:present} {object} .",
        "{subject} {have:present} {object:acc} .",
        "{subject} 有~have~finite {object} 。",
        weight=2,
    ),
    pattern(
        "has not",
        {
            "subject": teller,
            "object": of("vehicle", "device", "pet", "sibling", "umbrella", determiners=("a",), describe=0.2),
        },
        "{subject} {do:present-not} have~have {object} .",
        "{subject} {have:present} {object:acc-not} .",
        "{subject} 没有~not~have~finite {object:bare} 。",
    ),
    pattern(
        "this belongs to someone",
        {"object": owned_by("vehicle", "laid", "device", "house", "pet", "carried")},
        "This~this is~be {object} .",
        "Das~this ist~be {object} .",
        "这~this 是~be {object} 。",
    ),
    pattern(
        "somebody's thing is",
        {"quality": quality(), "subject": owned_bearer},
        "{subject} {be:present} very~very {quality} .",
        "{subject} {be:present} sehr~very {quality} .",
        "{subject} 非常~very {quality} 。",
    ),
)

FACTS = (
    pattern(
        "profession",
        {"subject": known_person, "profession": profession},
        "{subject} {be:present} {profession} .",
        "{subject} {be:present} {profession} .",
        "{subject} 是~be {profession} 。",
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

WEATHER = (
    pattern(
        "weather now",
        {"weather": adjective("weather"), "city": name("city"), "time": TODAY},
        "It~it is~be very~very {weather} in~in {city} {time} .",
        "{time} ist~be es~it in~in {city} sehr~very {weather} .",
        "{time} {city} 非常~very {weather} 。",
    ),
    pattern(
        "weather before",
        {"weather": adjective("weather"), "city": name("city"), "time": time("past")},
        "{time} it~it was~be {weather} in~in {city} .",
        "{time} war~be es~it in~in {city} {weather} .",
        "{time} {city} 很 {weather} 。",
    ),
    pattern(
        "rain to come",
        {"weather": rainy, "city": name("city"), "time": time("near")},
        "It~it {will:present} {weather:base} in~in {city} {time} .",
        "{time} {will:present} es~it in~in {city} {weather:infinitive} .",
        "{time} {city} 会~will~finite {weather} 。",
    ),
    pattern(
        "rain often",
        {"weather": rainy, "city": name("city"), "often": time("often")},
        "It~it {often} {weather:present} in~in {city} .",
        "In~in {city} {weather:present} es~it {often} .",
        "{city} {often} {weather} 。",
    ),
)

PATTERNS = QUALITIES + PLACES + POSSESSION + FACTS + WEATHER
