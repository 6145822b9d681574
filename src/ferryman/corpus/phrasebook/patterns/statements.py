"""What people do, did and will do: tenses, negation, modals, giving, putting."""

from ferryman.corpus.phrasebook.people import asked, teller, third
from ferryman.corpus.phrasebook.slots import (
    doer,
    future,
    hour,
    intransitive,
    past,
    place,
    place_of_verb,
    say,
    time,
    transitive,
    verb,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import (
    generic,
    generic_kind,
    known_patient,
    of,
    outfit,
    patient,
    person_object,
    recipient,
    resting_place,
    single_patient,
)

DONE = {"verb": transitive("action", "event", animals=True), "subject": doer(teller), "object": patient}
DOING = {"verb": transitive("action", animals=True), "subject": doer(teller), "object": patient}
PLACED = {
    "verb": transitive("action", placed=True, animals=True),
    "subject": doer(teller),
    "object": patient,
    "place": place_of_verb,
}
ACTIVE = {"verb": intransitive("action"), "subject": doer(teller)}
ACTIVE_PLACED = {
    "verb": intransitive("action", placed=True),
    "subject": doer(teller),
    "place": place_of_verb,
}
KNOWS_PEOPLE = verb("help", "thank", "invite", "see", "visit", "meet", "wait for")
FINISHED = verb("read", "buy", "repair", "write", "translate", "wash", "find", "eat", "sell", "cook", "answer", "watch")
TRIED = verb("eat", "drink", "bake", "paint", "write", "translate", "plant", "draw")
TASK = verb(
    "buy", "repair", "write", "translate", "wash", "clean", "tidy", "cook", "feed", "bake", "find", "help", "sell"
)
WISH = verb("buy", "read", "write", "eat", "drink", "watch", "visit", "sell", "paint", "bake", "help", "try on")
SKILL = verb(
    "swim",
    "dance",
    "play football",
    "play tennis",
    "play chess",
    "play cards",
    "play the piano",
    "play the guitar",
    "ride a bicycle",
)
PLAN = verb(
    "buy", "repair", "write", "paint", "wash", "clean", "cook", "feed", "bake", "help", "visit", "plant", "read"
)
HABIT = verb("eat", "drink", "read", "buy", "cook", "bake", "write", "listen to", "watch")
SOON = say(("today", "heute", "今天"), ("this~1 week~2", "diese~1 Woche~2", "这个~1 星期~2"))
FUN = verb(
    "swim", "dance", "play football", "play tennis", "play cards", "run", "watch TV", "take a walk", "ride a bicycle"
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
        {"verb": intransitive("routine"), "subject": teller, "hour": hour, "time": time("daily")},
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
        {"verb": WISH, "subject": teller, "object": patient},
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
        {"verb": transitive("favor"), "subject": teller, "recipient": recipient, "object": patient, "time": past},
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

PATTERNS = PAST + NOW + HABITS + FUTURE + MODALS + GIVING
