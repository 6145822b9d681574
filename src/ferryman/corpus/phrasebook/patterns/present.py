"""What people are doing, and what they do every day."""

from ferryman.corpus.phrasebook.patterns.shared import ACTIVE, ACTIVE_PLACED, DOING, FUN, HABIT, PLACED
from ferryman.corpus.phrasebook.people import teller, third
from ferryman.corpus.phrasebook.slots import (
    doer,
    hour,
    intransitive,
    time,
    transitive,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import (
    generic,
    generic_kind,
    outfit,
    patient,
)

NOW = (
    pattern(
        "progressive",
        DOING,
        "{subject} {be:present} {verb:ing} {object} .",
        "{subject} {verb:present} gerade~be {object:governed} {verb:rest} .",
        "{subject} 正在~be {verb} {object} 。",
        weight=3,
    ),
    pattern(
        "progressive with place",
        PLACED,
        "{subject} {be:present} {verb:ing} {object} {place} .",
        "{subject} {verb:present} gerade~be {place} {object:governed} {verb:rest} .",
        "{subject} 正~be {place} {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "progressive without object",
        ACTIVE,
        "{subject} {be:present} {verb:ing} .",
        "{subject} {verb:present} gerade~be {verb:rest} .",
        "{subject} 正在~be {verb} 。",
    ),
    pattern(
        "progressive without object, with place",
        ACTIVE_PLACED,
        "{subject} {be:present} {verb:ing} {place} .",
        "{subject} {verb:present} gerade~be {place} {verb:rest} .",
        "{subject} 正~be {place} {verb} 。",
        weight=2,
    ),
    pattern(
        "wearing",
        {"subject": third, "object": outfit},
        "{subject} {be:present} {wear:ing} {object} .",
        "{subject} {wear:present} {object:acc} .",
        "{subject} {wear} {object} 。",
    ),
)

HABITS = (
    pattern(
        "adverb of frequency",
        {**DOING, "verb": HABIT, "object": generic, "often": time("often")},
        "{subject} {often} {verb:present} {object} .",
        "{subject} {verb:present} {often} {object:governed} {verb:rest} .",
        "{subject} {often} {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "frequency with place",
        {**ACTIVE_PLACED, "often": time("often")},
        "{subject} {often} {verb:present} {place} .",
        "{subject} {verb:present} {often} {place} {verb:rest} .",
        "{subject} {often} {place} {verb} 。",
    ),
    pattern(
        "every day, time first",
        {**ACTIVE_PLACED, "time": time("habit")},
        "{time} {subject} {verb:present} {place} .",
        "{time} {verb:present} {subject} {place} {verb:rest} .",
        "{time} {subject} 都 {place} {verb} 。",
    ),
    pattern(
        "every day, time last",
        {**DOING, "verb": HABIT, "object": generic_kind, "time": time("habit")},
        "{subject} {verb:present} {object} {time} .",
        "{subject} {verb:present} {time} {object:governed} {verb:rest} .",
        "{subject} {time} 都 {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "habit negated",
        {**DOING, "verb": HABIT, "object": generic},
        "{subject} {do:present-not} {verb:base} {object} .",
        "{subject} {verb:present} {object:governed-not} {verb:rest} .",
        "{subject} 不~not {verb} {object} 。",
    ),
    pattern(
        "state",
        {"verb": transitive("state"), "subject": teller, "object": patient},
        "{subject} {verb:present} {object} .",
        "{subject} {verb:present} {object:governed} .",
        "{subject} {verb} {object} 。",
    ),
    pattern(
        "state negated",
        {"verb": transitive("state"), "subject": teller, "object": patient},
        "{subject} {do:present-not} {verb:base} {object} .",
        "{subject} {verb:present} {object:governed-not} .",
        "{subject} 不~not {verb} {object:bare} 。",
    ),
    pattern(
        "at its hour",
        {"verb": intransitive("routine"), "subject": doer(teller), "hour": hour, "time": time("daily")},
        "{subject} {verb:present} at~at {hour} o'clock~hours {time} .",
        "{subject} {verb:present} {time} um~at {hour} Uhr~hours {verb:rest} .",
        "{subject} {time} {hour} 点~hours {verb} 。",
    ),
    pattern(
        "likes doing",
        {"verb": FUN, "subject": teller},
        "{subject} {like:present} {verb:ing} .",
        "{subject} {verb:present} gern~like {verb:rest} .",
        "{subject} {like} {verb} 。",
    ),
)

PATTERNS = NOW + HABITS
