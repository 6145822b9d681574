"""Sentences of more than one clause, and what is done to things: because, when, if, while, that, to, who, by."""

from ferryman.corpus.phrasebook.facts import excess, quality, rainy
from ferryman.corpus.phrasebook.people import teller, third
from ferryman.corpus.phrasebook.reasons import (
    consumed,
    consuming,
    craving,
    emotional,
    identity,
    lost_thing,
    made_or_bought,
    maker_object,
    other,
    reaction,
    said_thing,
    stranger,
)
from ferryman.corpus.phrasebook.slots import (
    doer,
    intransitive,
    name,
    past,
    place_of_verb,
    pronoun_for,
    time,
    transitive,
    verb,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import another, patient, patient2, plural

MOODY = {"mood": emotional, "verb": reaction, "subject": teller, "subject2": pronoun_for("subject")}
ERRAND = verb("buy", "eat", "drink", "read", "pick up")
INDOORS = verb("stay at home", "watch TV", "play chess", "play cards", "sleep")
HOMELY = verb(
    "read", "write", "cook", "bake", "clean", "tidy", "wash", "repair", "listen to", "watch", "paint", "translate"
)
NEWS = verb("buy", "sell", "visit", "repair", "write", "translate", "meet", "find", "lose", "invite", "help", "bake")
LIKED = ("fruit", "cupful", "pet", "cattle", "sliced", "vegetable")

REASONS = (
    pattern(
        "because, second",
        MOODY,
        "{subject} {be:present} {verb:ing} because~because {subject2} {be2:present} {mood} .",
        "{subject} {verb:present} {verb:rest} , weil~because {subject2} {mood} {be2:present} .",
        "{subject} {verb:now} ， 因为~because {subject2} 很 {mood} 。",
        weight=2,
    ),
    pattern(
        "because, first",
        MOODY,
        "Because~because {subject} {be:present} {mood} , {subject2} {be2:present} {verb:ing} .",
        "Weil~because {subject} {mood} {be:present} , {verb:present} {subject2} {verb:rest} .",
        "因为~because {subject} 很 {mood} ， 所以~because {subject2} {verb:now} 。",
    ),
    pattern(
        "because of an appetite",
        {
            "mood": craving,
            "verb": consuming,
            "subject": teller,
            "object": consumed,
            "subject2": pronoun_for("subject"),
        },
        "{subject} {be:present} {verb:ing} {object} because~because {subject2} {be2:present} {mood} .",
        "{subject} {verb:present} {object:acc} , weil~because {subject2} {mood} {be2:present} .",
        "{subject} 在~be {verb} {object} ， 因为~because {subject2} 很 {mood} 。",
        weight=2,
    ),
    pattern(
        "when in a mood",
        MOODY,
        "When~when {subject} {be:present} {mood} , {subject2} {verb:present} .",
        "Wenn~when {subject} {mood} {be:present} , {verb:present} {subject2} {verb:rest} .",
        "{subject} {mood} 的~when 时候~when 就 {verb} 。",
    ),
    pattern(
        "if it rains",
        {"weather3": rainy, "time": time("near"), "verb": INDOORS, "subject": teller},
        "If~if it~it {weather3:present} {time} , {subject} {will:present} {verb:base} .",
        "Wenn~if es~it {time} {weather3:present} , {will:present} {subject} {verb:infinitive} .",
        "如果~if {time} {weather3} ， {subject} 就~if 会~will~finite {verb} 。",
    ),
    pattern(
        "while",
        {
            "verb": intransitive("action"),
            "subject": doer(teller),
            "verb2": HOMELY,
            "subject2": other,
            "object2": patient2,
        },
        "While~while {subject} {be:present} {verb:ing} , {subject2} {be2:present} {verb2:ing} {object2} .",
        "Während~while {subject} {verb:final} , {verb2:present} {subject2} {object2:governed} {verb2:rest} .",
        "{subject} {verb} 的~while 时候~while ， {subject2} 在~be2 {verb2} {object2} 。",
        weight=2,
    ),
    pattern(
        "as a child",
        {"subject": third, "subject2": pronoun_for("subject"), "city": name("city")},
        "When~when {subject} {be:past} a~child child~child , {subject2} {live2:past} in~in {city} .",
        "Als~when {subject} ein~child Kind~child {be:past} , {live2:aux} {subject2} in~in {city} {live2:participle} .",
        "{subject} 小时候~when~child {live2} 在~in {city} 。",
    ),
    pattern(
        "but the other likes",
        {
            "subject": teller,
            "object": plural(*LIKED),
            "subject2": other,
            "object2": another("object", *LIKED),
        },
        "{subject} {like:present} {object} , but~but {subject2} {like2:present} {object2} .",
        "{subject} {like:present} {object:acc} , aber~but {subject2} {like2:present} {object2:acc} .",
        "{subject} {like} {object} ， 但是~but {subject2} {like2} {object2} 。",
    ),
)

OPINIONS = (
    pattern(
        "thinks that",
        {"subject": teller, "quality": excess, "subject2": said_thing},
        "{subject} {think:present} that~that {subject2} {be2:present} too~too {quality} .",
        "{subject} {think:present} , dass~that {subject2} zu~too {quality} {be2:present} .",
        "{subject} {think} {subject2} 太~too {quality} 了~too 。",
    ),
    pattern(
        "knows that",
        {"subject": teller, "verb2": NEWS, "subject2": other, "object2": patient2},
        "{subject} {know:present} that~that {subject2} {verb2:past} {object2} .",
        "{subject} {know:present} , dass~that {subject2} {object2:governed} {verb2:participle} {verb2:aux} .",
        "{subject} {know} {subject2} {verb2} 了~finite2 {object2} 。",
    ),
    pattern(
        "hopes that",
        {
            "subject": teller,
            "verb2": verb("buy", "sell", "write", "repair", "clean", "bake", "help", "visit", "find"),
            "subject2": other,
            "object2": patient2,
            "time": time("near"),
        },
        "{subject} {hope:present} that~that {subject2} {will2:present} {verb2:base} {object2} {time} .",
        "{subject} {hope:present} , dass~that {subject2} {time} {object2:governed} {verb2:infinitive}"
        " {will2:present} .",
        "{subject} {hope} {subject2} {time} 会~will2~finite2 {verb2} {object2} 。",
    ),
    pattern(
        "in order to",
        {"verb": ERRAND, "subject": teller, "object": patient, "place": place_of_verb, "time": past},
        "{time} {subject} {go:past} {place:to} to~to {verb:base} {object} .",
        "{time} {go:aux} {subject} {place:to} {go:participle} , um~to {object:governed} {verb:zu} .",
        "{time} {subject} {go} {place:to} {verb} 了~finite {object} 。",
        weight=2,
    ),
)

RELATIVES = (
    pattern(
        "who is doing",
        {"verb": transitive("action"), "subject": stranger, "object": patient, "identity": identity},
        "{subject} who~subject.relative {be:present} {verb:ing} {object} is~is {identity} .",
        "{subject} , {subject:relative-nom} {object:governed} {verb:final} , ist~is {identity} .",
        "正在~be {verb} {object} 的~subject.relative {subject} 是~is {identity} 。",
        weight=2,
    ),
    pattern(
        "that somebody bought",
        {"quality": quality(), "subject": said_thing, "verb2": made_or_bought, "subject2": teller},
        "{subject} that~subject.relative {subject2} {verb2:past} {be:present} very~very {quality} .",
        "{subject} , {subject:relative-acc} {subject2} {verb2:participle} {verb2:aux} ,"
        " {be:present} sehr~very {quality} .",
        "{subject2} {verb2} 的~subject.relative {subject} 非常~very {quality} 。",
        weight=3,
    ),
    pattern(
        "was stolen",
        {"verb": transitive("loss"), "subject": lost_thing, "time": past},
        "{subject} {be:past} {verb:participle} {time} .",
        "{subject} {become:past} {time} {verb:participle} .",
        "{subject} {time} 被~finite {verb} 了~finite 。",
    ),
    pattern(
        "was written by",
        {"verb": verb("write", "paint", "bake", "translate"), "subject": maker_object, "author": third},
        "{subject} {be:past} {verb:participle} by~by {author:object} .",
        "{subject} {become:past} von~by {author:dat} {verb:participle} .",
        "{subject} 是~finite {author} {verb} 的~finite 。",
    ),
)

PATTERNS = REASONS + OPINIONS + RELATIVES
