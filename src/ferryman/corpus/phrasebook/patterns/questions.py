"""What people ask: yes or no, who, what, where, when, why, how."""

from ferryman.corpus.phrasebook.facts import posture, rainy, spot
from ferryman.corpus.phrasebook.patterns.shared import SKILL, TASK, WISH
from ferryman.corpus.phrasebook.people import asked
from ferryman.corpus.phrasebook.slots import (
    adjective,
    doer,
    first_sense,
    future,
    intransitive,
    name,
    past,
    place,
    place_of_verb,
    transitive,
    verb,
)
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import known_patient, of, patient, plural

DOING = {"verb": transitive("action"), "subject": doer(asked), "object": patient}
DONE = {"verb": transitive("action", "event"), "subject": doer(asked), "object": patient, "time": past}
ASKED_WHAT = first_sense("eat", "drink", "read", "buy", "cook", "write", "paint", "draw", "bake", "look for", "watch")
HELP = verb("open", "close", "turn on", "turn off", "repair", "clean", "tidy", "wash", "translate", "answer")
STRANGE = verb("sell", "buy", "open", "close", "turn on", "turn off", "invite", "translate", "eat", "drink")

YES_NO = (
    pattern(
        "is somebody doing?",
        DOING,
        "{be:present} {subject} {verb:ing} {object} ?",
        "{verb:present} {subject} gerade~be {object:governed} {verb:rest} ?",
        "{subject} 在~be {verb} {object} 吗~end ？",
        weight=2,
    ),
    pattern(
        "is somebody active?",
        {"verb": intransitive("action", placed=True), "subject": doer(asked), "place": place_of_verb},
        "{be:present} {subject} {verb:ing} {place} ?",
        "{verb:present} {subject} gerade~be {place} {verb:rest} ?",
        "{subject} {place} {verb} 吗~end ？",
    ),
    pattern(
        "did somebody do?",
        DONE,
        "{do:past} {subject} {verb:base} {object} {time} ?",
        "{verb:aux} {subject} {time} {object:governed} {verb:participle} ?",
        "{subject} {time} {verb} 了~finite {object} 吗~end ？",
        weight=2,
    ),
    pattern(
        "does somebody like?",
        {"subject": asked, "object": plural("animal", "fruit", "cupful", "milk", "juice", "bloom", "food", "tale")},
        "{do:present} {subject} {like:base} {object} ?",
        "{like:present} {subject} {object:acc} ?",
        "{subject} {like} {object} 吗~end ？",
    ),
    pattern(
        "can somebody?",
        {"verb": SKILL, "subject": asked},
        "{can:present} {subject} {verb:base} ?",
        "{can:present} {subject} {verb:infinitive} ?",
        "{subject} 会~can~finite {verb} 吗~end ？",
    ),
    pattern(
        "can you do it, please?",
        {"verb": HELP, "object": known_patient},
        "Can~can you~you please~please {verb:base} {object} ?",
        "Kannst~can du~you bitte~please {object:governed} {verb:infinitive} ?",
        "你~you 能~can {verb} {object} 吗~end ？",
    ),
    pattern(
        "does somebody know?",
        {"verb": verb("know"), "subject": asked, "object": patient},
        "{do:present} {subject} {verb:base} {object} ?",
        "{verb:present} {subject} {object:governed} ?",
        "{subject} {verb} {object} 吗~end ？",
    ),
    pattern(
        "will somebody do?",
        {"verb": WISH, "subject": asked, "object": patient, "time": future},
        "{will:present} {subject} {verb:base} {object} {time} ?",
        "{will:present} {subject} {time} {object:governed} {verb:infinitive} ?",
        "{subject} {time} 会~will~finite {verb} {object} 吗~end ？",
    ),
    pattern(
        "is it raining?",
        {"weather": rainy, "city": name("city")},
        "Is~be~finite it~it {weather:ing} in~in {city} ?",
        "{weather:present} es~it gerade~be in~in {city} ?",
        "{city} 在~be {weather} 吗~end ？",
    ),
    pattern(
        "in a mood?",
        {"mood": adjective("mood"), "subject": asked},
        "{be:present} {subject} {mood} ?",
        "{be:present} {subject} {mood} ?",
        "{subject} {mood} 吗~end ？",
    ),
    pattern(
        "is it there?",
        {
            "subject": of("laid", "dish", "toy", determiners=("the", "my", "your", "his", "her")),
            "posture": posture,
            "place": spot,
        },
        "{be:present} {subject} {place} ?",
        "{posture:present} {subject} {place} ?",
        "{subject} 在~be~finite~place.preposition {place:inner} 吗~end ？",
    ),
)

WH = (
    pattern(
        "what is somebody doing?",
        {"verb": ASKED_WHAT, "subject": asked},
        "What~what {be:present} {subject} {verb:ing} ?",
        "Was~what {verb:present} {subject} gerade~be {verb:rest} ?",
        "{subject} 在~be {verb} 什么~what ？",
    ),
    pattern(
        "what did somebody do somewhere?",
        {
            "verb": first_sense("eat", "drink", "read", "buy", "write", "find", "order"),
            "subject": asked,
            "place": place_of_verb,
            "time": past,
        },
        "What~what {do:past} {subject} {verb:base} {place} {time} ?",
        "Was~what {verb:aux} {subject} {time} {place} {verb:participle} ?",
        "{subject} {time} {place} {verb} 了~finite 什么~what ？",
    ),
    pattern(
        "who did it?",
        {"verb": transitive("action", "event"), "object": known_patient, "time": past},
        "Who~who {verb:past} {object} {time} ?",
        "Wer~who {verb:aux} {time} {object:governed} {verb:participle} ?",
        "谁~who {time} {verb} 了~finite {object} ？",
    ),
    pattern(
        "where is it?",
        {"subject": of("laid", "lost", "dish", "pet", "kin", determiners=("the", "my", "your", "his", "her"))},
        "Where~where {be:present} {subject} ?",
        "Wo~where {be:present} {subject} ?",
        "{subject} 在~be~finite 哪里~where ？",
    ),
    pattern(
        "where does somebody live?",
        {"subject": asked},
        "Where~where {do:present} {subject} {live:base} ?",
        "Wo~where {live:present} {subject} ?",
        "{subject} {live} 在~where 哪里~where ？",
    ),
    pattern(
        "where did somebody do it?",
        {"verb": transitive("action", "event", placed=True), "subject": doer(asked), "object": known_patient},
        "Where~where {do:past} {subject} {verb:base} {object} ?",
        "Wo~where {verb:aux} {subject} {object:governed} {verb:participle} ?",
        "{subject} 是 在~where 哪里~where {verb} {object} 的~finite ？",
    ),
    pattern(
        "when will somebody do it?",
        {"verb": TASK, "subject": asked, "object": known_patient},
        "When~when {will:present} {subject} {verb:base} {object} ?",
        "Wann~when {will:present} {subject} {object:governed} {verb:infinitive} ?",
        "{subject} 什么~when 时候~when 要~will~finite {verb} {object} ？",
    ),
    pattern(
        "why did somebody do it?",
        {"verb": STRANGE, "subject": asked, "object": known_patient},
        "Why~why {do:past} {subject} {verb:base} {object} ?",
        "Warum~why {verb:aux} {subject} {object:governed} {verb:participle} ?",
        "{subject} 为什么~why {verb} 了~finite {object} ？",
    ),
    pattern(
        "why didn't somebody do it?",
        {"verb": TASK, "subject": asked, "object": known_patient},
        "Why~why {do:past-not} {subject} {verb:base} {object} ?",
        "Warum~why {verb:aux} {subject} {object:governed-not} {verb:participle} ?",
        "{subject} 为什么~why 没~not~finite {verb} {object} ？",
    ),
    pattern(
        "why in a mood?",
        {"mood": adjective("mood"), "subject": asked},
        "Why~why {be:present} {subject} so~so {mood} ?",
        "Warum~why {be:present} {subject} so~so {mood} ?",
        "{subject} 为什么~why 这么~so {mood} ？",
    ),
    pattern(
        "how many?",
        {
            "subject": asked,
            "object": plural("vehicle", "pet", "cattle", "brother", "sister", "clothes", "text", "furniture"),
        },
        "How~how many~how {object} {do:present} {subject} have~have ?",
        "Wie~how viele~how {object:acc} {have:present} {subject} ?",
        "{subject} 有~have~finite {object:how} ？",
    ),
    pattern(
        "how much?",
        {
            "subject": of(
                "clothes", "gown", "worn", "vehicle", "device", "furniture", "text", determiners=("the", "this")
            )
        },
        "How~how much~how {do:present} {subject} {cost:base} ?",
        "Wie~how viel~how {cost:present} {subject} ?",
        "{subject} 多少~how 钱~cost ？",
    ),
    pattern(
        "what color?",
        {
            "subject": of(
                "clothes",
                "gown",
                "worn",
                "vehicle",
                "carried",
                "sofa",
                determiners=("the", "this", "your", "his"),
                describe=0,
            )
        },
        "What~what color~color {be:present} {subject} ?",
        "Welche~what Farbe~color {have:present} {subject} ?",
        "{subject} 是~finite 什么~what 颜色~color 的 ？",
    ),
    pattern(
        "how old?",
        {"subject": of("kin", "friend", "pet", determiners=("your", "his", "her"), describe=0)},
        "How~how old~old {be:present} {subject} ?",
        "Wie~how alt~old {be:present} {subject} ?",
        "{subject} 多~how 大~old 了 ？",
    ),
    pattern(
        "whose?",
        {"subject": of("laid", "carried", "device", "vehicle", "pet", determiners=("",), describe=0)},
        "Whose~whose {subject} {be:present} this~this ?",
        "Wessen~whose {subject} {be:present} das~this ?",
        "这~this 是~finite 谁~whose 的~whose {subject} ？",
    ),
    pattern(
        "how is somebody?",
        {"subject": of("kin", "friend", "colleague", determiners=("your", "his", "her"), describe=0)},
        "How~how {be:present} {subject} ?",
        "Wie~how geht~be~finite es {subject:dat} ?",
        "{subject} 好~how 吗~end ？",
    ),
)

ON_THE_WAY = (
    pattern(
        "excuse me, where?",
        {"subject": of("stop", "shop", "building", describe=0)},
        "Excuse~excuse me~excuse ,~comma where~where {be:present} {subject} ?",
        "Entschuldigung~excuse ,~comma wo~where {be:present} {subject} ?",
        "请问~excuse ，~comma {subject:place} 在~be~finite 哪里~where ？",
    ),
    pattern(
        "how do I get there?",
        {"place": place("place")},
        "How~how do I~i get~get {place:to} ?",
        "Wie~how komme~get ich~i {place:way} ?",
        "去~get {place:to} 怎么~how 走~get ？",
    ),
    pattern(
        "when does it leave?",
        {"transport": of("transport"), "city": name("city")},
        "When~when does~finite {transport} to~to {city} leave~leave ?",
        "Wann~when fährt~leave~finite {transport} nach~to {city} ab~leave ?",
        "去~to {city} 的~to {transport} 几点~when 开~leave ？",
    ),
)

PATTERNS = YES_NO + WH + ON_THE_WAY
