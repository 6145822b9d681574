"""How people, things and the weather are, and how they compare."""

from ferryman.corpus.phrasebook.facts import (
    bearer,
    excess,
    quality,
    rainy,
    rival,
    superlative,
)
from ferryman.corpus.phrasebook.people import teller
from ferryman.corpus.phrasebook.slots import adjective, name, say, time
from ferryman.corpus.phrasebook.template import pattern

TODAY = say(("today", "heute", "今天"))

SEASONED = say(("often", "oft", "经常"), ("sometimes", "manchmal", "有时"), ("rarely", "selten", "很少"))

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
        weight=3,
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
        weight=2,
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
        {"weather": rainy, "city": name("city"), "often": SEASONED},
        "It~it {often} {weather:present} in~in {city} .",
        "In~in {city} {weather:present} es~it {often} .",
        "{city} {often} {weather} 。",
    ),
)

PATTERNS = QUALITIES + WEATHER
