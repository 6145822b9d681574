"""Where things are, and whose they are."""

from ferryman.corpus.phrasebook.facts import (
    owned_bearer,
    posture,
    quality,
    spot,
)
from ferryman.corpus.phrasebook.people import teller
from ferryman.corpus.phrasebook.slots import name, place, time
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import of, owned_by, plural, several

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
            "object": several("vehicle", "device", "pet", "brother", "sister", "instrument", "umbrella"),
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
            "object": of("vehicle", "device", "pet", "brother", "sister", "umbrella", determiners=("a",), describe=0.2),
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

PATTERNS = PLACES + POSSESSION
