"""What people did, and what they gave and did for each other."""

from ferryman.corpus.phrasebook.patterns.shared import DONE, FINISHED, FUN, KNOWS_PEOPLE, PLACED, TRIED
from ferryman.corpus.phrasebook.people import teller, third
from ferryman.corpus.phrasebook.receivers import person_object, recipient
from ferryman.corpus.phrasebook.slots import (
    doer,
    future,
    past,
    transitive,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import (
    generic,
    known_patient,
    new_patient,
    of,
    patient,
    resting_place,
    single_patient,
)

PAST = (
    pattern(
        "past, time first",
        {**DONE, "time": past},
        "{time} {subject} {verb:past} {object:object} .",
        "{time} {verb:aux} {subject} {object:governed} {verb:participle} .",
        "{time} {subject} {verb} 了~finite {object} 。",
        weight=3,
    ),
    pattern(
        "past, time last",
        {**DONE, "time": past},
        "{subject} {verb:past} {object:object} {time} .",
        "{subject} {verb:aux} {time} {object:governed} {verb:participle} .",
        "{subject} {time} {verb} 了~finite {object} 。",
        weight=3,
    ),
    pattern(
        "past with place",
        {**PLACED, "time": past},
        "{time} {subject} {verb:past} {object} {place} .",
        "{time} {verb:aux} {subject} {place} {object:governed} {verb:participle} .",
        "{time} {subject} {place} {verb} 了~finite {object} 。",
        weight=2,
    ),
    pattern(
        "past event with place",
        {**PLACED, "verb": transitive("event", placed=True), "time": past},
        "{subject} {verb:past} {object} {place} {time} .",
        "{subject} {verb:aux} {time} {place} {object:governed} {verb:participle} .",
        "{subject} {time} {place} {verb} 了~finite {object} 。",
    ),
    pattern(
        "past without object",
        {"verb": FUN, "subject": teller, "time": past},
        "{time} {subject} {verb:past} .",
        "{time} {verb:aux} {subject} {verb:participle} .",
        "{time} {subject} {verb:le} 。",
    ),
    pattern(
        "past with pronoun object",
        {"verb": KNOWS_PEOPLE, "subject": teller, "object": person_object, "time": past},
        "{subject} {verb:past} {object:object} {time} .",
        "{subject} {verb:aux} {object:governed} {time} {verb:participle} .",
        "{subject} {time} {verb} 了~finite {object} 。",
    ),
    pattern(
        "past negated",
        {**DONE, "object": single_patient, "time": past},
        "{subject} {do:past-not} {verb:base} {object} {time} .",
        "{subject} {verb:aux} {time} {object:governed-not} {verb:participle} .",
        "{subject} {time} 没~not~finite {verb} {object:bare} 。",
        weight=2,
    ),
    pattern(
        "perfect with already",
        {"verb": FINISHED, "subject": doer(teller), "object": known_patient},
        "{subject} {have:present} already~already {verb:participle} {object} .",
        "{subject} {verb:aux} {object:governed} schon~already {verb:participle} .",
        "{subject} 已经~already {verb} 了~finite {object} 。",
    ),
    pattern(
        "perfect with never",
        {"verb": TRIED, "subject": teller, "object": generic},
        "{subject} {have:present} never~never {verb:participle} {object} .",
        "{subject} {verb:aux} noch~never nie~never {object:governed} {verb:participle} .",
        "{subject} 从来~never 没~never {verb} 过~finite {object} 。",
    ),
)

GIVING = (
    pattern(
        "gave",
        {"verb": transitive("giving"), "subject": teller, "recipient": recipient, "object": patient},
        "{subject} {verb:past} {recipient:object} {object} .",
        "{subject} {verb:aux} {recipient:dat} {object:acc} {verb:participle} .",
        "{subject} {verb} 了~finite {recipient} {object} 。",
        weight=2,
    ),
    pattern(
        "gave, with time",
        {"verb": transitive("giving"), "subject": teller, "recipient": recipient, "object": patient, "time": past},
        "{time} {subject} {verb:past} {recipient:object} {object} .",
        "{time} {verb:aux} {subject} {recipient:dat} {object:acc} {verb:participle} .",
        "{time} {subject} {verb} 了~finite {recipient} {object} 。",
        weight=2,
    ),
    pattern(
        "will give",
        {"verb": transitive("giving"), "subject": teller, "recipient": recipient, "object": patient, "time": future},
        "{subject} {will:present} {verb:base} {recipient:object} {object} {time} .",
        "{subject} {will:present} {recipient:dat} {time} {object:acc} {verb:infinitive} .",
        "{subject} {time} 会~will~finite {verb} {recipient} {object} 。",
    ),
    pattern(
        "did for somebody",
        {"verb": transitive("favor"), "subject": teller, "recipient": recipient, "object": new_patient, "time": past},
        "{time} {subject} {verb:past} {recipient:object} {object} .",
        "{time} {verb:aux} {subject} {recipient:dat} {object:acc} {verb:participle} .",
        "{time} {subject} 给 {recipient} {verb} 了~finite {object} 。",
        weight=2,
    ),
    pattern(
        "called",
        {"subject": teller, "recipient": recipient, "time": past},
        "{subject} {call:past} {recipient:object} {time} .",
        "{subject} {call:aux} {recipient:acc} {time} {call:participle} .",
        "{subject} {time} 给~call {recipient} 打~call 了~finite 电话~call 。",
    ),
    pattern(
        "put",
        {"subject": teller, "object": of("laid"), "place": resting_place},
        "{subject} {put:past} {object} {place} .",
        "{subject} {put:aux} {object:acc} {place:onto} {put:participle} .",
        "{subject} 把 {object} {put} {place} 。",
    ),
    pattern(
        "belongs to",
        {"object": of("owned", "thing", "device", "pet", determiners=("the", "this")), "subject": third},
        "{object} belongs~belong~finite to {subject} .",
        "{object:nom} gehört~belong~finite {subject:dat} .",
        "{object} 是~belong~finite {subject} 的 。",
    ),
)

PATTERNS = PAST + GIVING
