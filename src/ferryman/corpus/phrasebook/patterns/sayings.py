"""What people say to each other: greetings, requests, thanks, the hour and the day."""

from ferryman.corpus.phrasebook.people import known_by_name, teller
from ferryman.corpus.phrasebook.slots import first_sense, name, numeral, place, say, time, verb
from ferryman.corpus.phrasebook.template import pattern
from ferryman.corpus.phrasebook.things import known_patient, of, plural, served

GREETING = say(
    ("Good~1 morning~2", "Guten~1 Morgen~2", "早上~2 好~1"),
    ("Good~1 evening~2", "Guten~1 Abend~2", "晚上~2 好~1"),
    ("Good~1 afternoon~2", "Guten~1 Tag~2", "下午~2 好~1"),
    ("Good~1 night~2", "Gute~1 Nacht~2", "晚安~1~2"),
    ("Hello", "Hallo", "你好"),
    ("Goodbye", "Auf Wiedersehen", "再见"),
    ("Happy~1 birthday~2", "Alles~1 Gute~1 zum Geburtstag~2", "生日~2 快乐~1"),
    ("Merry~1 Christmas~2", "Frohe~1 Weihnachten~2", "圣诞~2 快乐~1"),
    ("Congratulations", "Herzlichen Glückwunsch", "恭喜"),
    ("Get~1 well~1 soon", "Gute~1 Besserung~1", "早日 康复~1"),
)
CHORE = verb(
    "open",
    "close",
    "turn on",
    "turn off",
    "clean",
    "tidy",
    "wash",
    "repair",
    "feed",
    "answer",
    "translate",
    "help",
)
FORBIDDEN = verb("open", "close", "turn on", "turn off", "sell", "buy", "eat", "drink", "lose", "invite", "read")
TOGETHER = verb(
    "dance",
    "swim",
    "play football",
    "play tennis",
    "play cards",
    "take a walk",
)

MEETING = (
    pattern(
        "greeting",
        {"greeting": GREETING, "who": known_by_name},
        "{greeting} , {who} !",
        "{greeting} , {who} !",
        "{who} ， {greeting} ！",
    ),
    pattern(
        "see you",
        {"time": time("future"), "who": known_by_name},
        "See~see you~see {time} , {who} !",
        "Bis~see {time} , {who} !",
        "{who} ， {time} 见~see ！",
    ),
    pattern(
        "welcome",
        {"city": name("city", "country"), "who": known_by_name},
        "Welcome~welcome to~to {city} , {who} !",
        "Willkommen~welcome in~to {city} , {who} !",
        "{who} ， 欢迎~welcome 来到~to {city} ！",
    ),
    pattern(
        "thank you for",
        {"object": of("gift", "letter", "book", "cake", "picture", "scarf", describe=0), "who": known_by_name},
        "Thank~thank you~thank for~for {object} , {who} .",
        "Danke~thank für~for {object:acc} , {who} .",
        "{who} ， 谢谢~thank 你~thank 的~for {object:thing} 。",
    ),
    pattern(
        "introducing oneself",
        {"who": name("he", "she"), "city": name("city", "country")},
        "My~i name~called is~called {who} and~and I~i come~come from~from {city} .",
        "Ich~i heiße~called {who} und~and komme~come aus~from {city} .",
        "我~i 叫~called {who} ， 来自~come~from {city} 。",
    ),
)

REQUESTS = (
    pattern(
        "please do",
        {"verb": CHORE, "object": known_patient},
        "Please~please {verb:base} {object} .",
        "{verb:imperative} bitte~please {object:governed} {verb:rest} .",
        "请~please {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "somebody, please do",
        {"who": name("he", "she"), "verb": CHORE, "object": known_patient},
        "{who} , please~please {verb:base} {object} .",
        "{who} , {verb:imperative} bitte~please {object:governed} {verb:rest} .",
        "{who} ， 请~please {verb} {object} 。",
        weight=2,
    ),
    pattern(
        "do not",
        {"verb": FORBIDDEN, "object": known_patient},
        "Don't~not {verb:base} {object} !",
        "{verb:imperative} {object:governed-not} {verb:rest} !",
        "别~not {verb} {object} ！",
    ),
    pattern(
        "please give me",
        {"object": of("dish", "laid", "fruit", "toy", determiners=("the", "this", "a"))},
        "Please~please give~give me~me {object} .",
        "Gib~give mir~me bitte~please {object:acc} .",
        "请~please 给~give 我~me {object} 。",
    ),
    pattern(
        "let us go",
        {"place": place("place"), "time": time("near")},
        "Let's~let go~go {place:to} {time} .",
        "Lass~let uns~let {time} {place:to} gehen~go .",
        "我们~let {time} 去~go {place:to} 吧~let 。",
    ),
    pattern(
        "let us do",
        {"verb": TOGETHER, "time": time("near")},
        "Let's~let {verb:base} {time} .",
        "Lass~let uns~let {time} {verb:infinitive} .",
        "我们~let {time} {verb} 吧~let 。",
    ),
    pattern(
        "I would like",
        {"object": served},
        "I~i would~want like~want {object} , please~please .",
        "Ich~i möchte~want bitte~please {object:acc} .",
        "我~i 想要~want {object} 。",
    ),
)

HOURS_AND_DAYS = (
    pattern(
        "it is the hour",
        {"hour": numeral(*range(2, 13))},
        "It is~is {hour} o'clock~hours .",
        "Es ist~is {hour} Uhr~hours .",
        "现在~is {hour:count} 点~hours 。",
        weight=0.1,
    ),
    pattern(
        "today is the day",
        {"day": time("day")},
        "Today~today is~is {day} .",
        "Heute~today ist~is {day} .",
        "今天~today 是~is {day} 。",
        weight=0.1,
    ),
    pattern(
        "the train leaves",
        {"transport": of("transport"), "city": name("city"), "hour": numeral(*range(2, 13))},
        "{transport} to~to {city} leaves~leave~finite at~at {hour} o'clock~hours .",
        "{transport} nach~to {city} fährt~leave~finite um~at {hour} Uhr~hours ab~leave .",
        "去~to {city} 的~to {transport} {hour:count} 点~hours 开~leave~finite 。",
    ),
    pattern(
        "flying somewhere",
        {"subject": teller, "city": name("city", "country"), "time": time("future")},
        "{time} {subject} {will:present} {fly:base} to~to {city} .",
        "{time} {will:present} {subject} nach~to {city} {fly:infinitive} .",
        "{time} {subject} 会~will~finite 坐~fly 飞机~fly 去~to {city} 。",
    ),
    pattern(
        "a shopping list",
        {
            "verb": first_sense("buy"),
            "subject": teller,
            "object": plural("fruit", "vegetable", "egg"),
            "second": plural("bread", "cheese", "meat", "chocolate", "drink"),
            "third": plural("flower", "magazine", "cookie", "newspaper", "sandwich"),
            "time": time("recent"),
        },
        "{time} {subject} {verb:past} {object} , {second} and~and {third} .",
        "{time} {verb:aux} {subject} {object:acc} , {second:acc} und~and {third:acc} {verb:participle} .",
        "{time} {subject} {verb} 了~finite {object} 、 {second} 和~and {third} 。",
        weight=2,
    ),
)

PATTERNS = MEETING + REQUESTS + HOURS_AND_DAYS
