"""What people will do, can do and want to do."""

from ferryman.corpus.phrasebook.patterns.shared import DOING, FUN, PLAN, SKILL, TASK, WANT, WISH
from ferryman.corpus.phrasebook.people import asked, teller
from ferryman.corpus.phrasebook.slots import (
    future,
    past,
    place,
    place_of_verb,
    say,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import (
    patient,
    single_patient,
)

SOON = say(("today", "heute", "今天"), ("this~1 week~2", "diese~1 Woche~2", "这个~1 星期~2"))

FUTURE = (
    pattern(
        "future, time first",
        {**DOING, "verb": PLAN, "time": future},
        "{time} {subject} {will:present} {verb:base} {object} .",
        "{time} {will:present} {subject} {object:governed} {verb:infinitive} .",
        "{time} {subject} 会~will~finite {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "future, time last",
        {**DOING, "verb": PLAN, "time": future},
        "{subject} {will:present} {verb:base} {object} {time} .",
        "{subject} {will:present} {time} {object:governed} {verb:infinitive} .",
        "{subject} {time} 会~will~finite {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "future negated",
        {**DOING, "verb": PLAN, "object": single_patient, "time": future},
        "{subject} {will:present-not} {verb:base} {object} {time} .",
        "{subject} {will:present} {time} {object:governed-not} {verb:infinitive} .",
        "{subject} {time} 不~not 会~will~finite {verb} {object:bare} 。",
    ),
    pattern(
        "going somewhere",
        {"subject": teller, "place": place("place"), "time": future},
        "{subject} {will:present} {go:base} {place:to} {time} .",
        "{subject} {will:present} {time} {place:to} {go:infinitive} .",
        "{subject} {time} 会~will~finite {go} {place:to} 。",
    ),
    pattern(
        "went somewhere",
        {"subject": teller, "place": place("place"), "time": past},
        "{time} {subject} {go:past} {place:to} .",
        "{time} {go:aux} {subject} {place:to} {go:participle} .",
        "{time} {subject} {go} 了~finite {place:to} 。",
    ),
)

MODALS = (
    pattern(
        "can",
        {"verb": SKILL, "subject": teller},
        "{subject} {can:present} {verb:base} .",
        "{subject} {can:present} {verb:infinitive} .",
        "{subject} 会~can~finite {verb} 。",
    ),
    pattern(
        "cannot",
        {"verb": SKILL, "subject": teller},
        "{subject} {can:present-not} {verb:base} .",
        "{subject} {can:present} nicht~not {verb:infinitive} .",
        "{subject} 不~not 会~can~finite {verb} 。",
    ),
    pattern(
        "must",
        {"verb": TASK, "subject": teller, "object": patient, "time": SOON},
        "{subject} {must:present} {verb:base} {object} {time} .",
        "{subject} {must:present} {time} {object:governed} {verb:infinitive} .",
        "{subject} {time} 必须~must~finite {verb} {object} 。",
    ),
    pattern(
        "should",
        {"verb": TASK, "subject": teller, "object": patient},
        "{subject} {should:present} {verb:base} {object} .",
        "{subject} {should:present} {object:governed} {verb:infinitive} .",
        "{subject} 应该~should~finite {verb} {object} 。",
    ),
    pattern(
        "want to",
        {"verb": WANT, "subject": teller, "object": patient},
        "{subject} {want:present} to {verb:base} {object} .",
        "{subject} {want:present} {object:governed} {verb:infinitive} .",
        "{subject} 想~want~finite {verb} {object} 。",
    ),
    pattern(
        "would like to, tomorrow",
        {"verb": WISH, "subject": teller, "object": patient, "time": future},
        "{time} {subject} {would:present} like~would to {verb:base} {object} .",
        "{time} {would:present} {subject} {object:governed} {verb:infinitive} .",
        "{time} {subject} 想~would~finite {verb} {object} 。",
    ),
    pattern(
        "may",
        {"verb": FUN, "subject": asked, "place": place_of_verb},
        "{subject} {may:present} {verb:base} {place} .",
        "{subject} {may:present} {place} {verb:infinitive} .",
        "{subject} 可以~may~finite {place} {verb} 。",
    ),
)

PATTERNS = FUTURE + MODALS
