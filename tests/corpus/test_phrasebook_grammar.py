"""What the phrasebook knows of English, German and Chinese, against forms that a grammar book gives."""

import pytest

from ferryman.corpus.phrasebook import chinese, english, german, german_verbs
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from ferryman.corpus.phrasebook.lexicon.tables import FIXED_VERBS
from ferryman.corpus.phrasebook.phrases import UNITS, Both, NounPhrase, Person, Place, Pronoun, Titled

NEW = next(adjective for adjective in ADJECTIVES if adjective.english[0] == "new")
EXPENSIVE = next(adjective for adjective in ADJECTIVES if adjective.english[0] == "expensive")
INTERESTING = next(adjective for adjective in ADJECTIVES if adjective.english[0] == "interesting")
WANG = next(name for name in NAMES if name.english == "Wang")
ANNA = next(name for name in NAMES if name.english == "Anna")


def texts(words):
    return " ".join(word.text for word in words)


def verb(name):
    return next(verb for verb in (*VERBS, *FIXED_VERBS.values()) if verb.lexemes[0] == name)


def phrase(noun, determiner="", **details):
    return NounPhrase(NOUNS[noun], determiner, **details)


@pytest.mark.parametrize(
    ("noun", "details", "cases"),
    [
        (
            "coat",
            {"determiner": "the"},
            ["der neue Mantel", "den neuen Mantel", "dem neuen Mantel", "des neuen Mantels"],
        ),
        ("bag", {"determiner": "the"}, ["die neue Tasche", "die neue Tasche", "der neuen Tasche", "der neuen Tasche"]),
        ("shirt", {"determiner": "a"}, ["ein neues Hemd", "ein neues Hemd", "einem neuen Hemd", "eines neuen Hemds"]),
        ("coat", {"determiner": "my"}, ["mein neuer Mantel", "meinen neuen Mantel", "meinem neuen Mantel"]),
        ("shirt", {"plural": True}, ["neue Hemden", "neue Hemden", "neuen Hemden", "neuer Hemden"]),
        (
            "coat",
            {"determiner": "this", "plural": True},
            ["diese neuen Mäntel", "diese neuen Mäntel", "diesen neuen Mänteln"],
        ),
        ("hat", {"plural": True, "count": 2}, ["zwei neue Hüte", "zwei neue Hüte", "zwei neuen Hüten"]),
        ("car", {"owner": ANNA}, ["Annas neues Auto", "Annas neues Auto", "Annas neuem Auto"]),
        (
            "phone",
            {"determiner": "some", "plural": True},
            ["einige neue Telefone", "einige neue Telefone", "einigen neuen Telefonen"],
        ),
        (
            "computer",
            {"determiner": "our"},
            ["unser neuer Computer", "unseren neuen Computer", "unserem neuen Computer"],
        ),
    ],
)
def test_german_declension(noun, details, cases):
    for case, expected in zip(german.CASES, cases, strict=False):
        assert texts(german.render(phrase(noun, adjective=NEW, **details), case, "x", {})) == expected


@pytest.mark.parametrize(
    ("something", "case", "expected"),
    [
        (phrase("student", "the"), "acc", "den Studenten"),
        (phrase("neighbor", "my"), "dat", "meinem Nachbarn"),
        (phrase("colleague", "her"), "gen", "ihres Kollegen"),
        (phrase("friend", "my"), "gen", "meines Freundes"),
        (phrase("child", "the", plural=True), "dat", "den Kindern"),
        (phrase("car", owner=phrase("brother", "my")), "acc", "das Auto meines Bruders"),
        (phrase("hotel", "the", adjective=EXPENSIVE), "acc", "das teure Hotel"),
        (phrase("hotel", "the", adjective=EXPENSIVE, superlative=True), "nom", "das teuerste Hotel"),
        (phrase("coffee"), "acc-not", "keinen Kaffee"),
        (phrase("dog", plural=True), "acc-not", "keine Hunde"),
        (phrase("dog", "the"), "acc-not", "den Hund nicht"),
        (phrase("milk", "a", unit=UNITS["glassful"]), "acc", "ein Glas Milch"),
        (phrase("tea", "a", unit=UNITS["cupful"]), "acc", "eine Tasse Tee"),
        (phrase("apple", plural=True, count=2, unit=UNITS["kilo"]), "acc", "zwei Kilo Äpfel"),
        (Pronoun("he"), "dat", "ihm"),
        (Titled(WANG, "Mr."), "dat", "Herrn Wang"),
        (Titled(WANG, "Mrs."), "dat", "Frau Wang"),
    ],
)
def test_german_noun_phrases(something, case, expected):
    assert texts(german.render(something, case, "x", {})) == expected


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("read", "lese liest liest lesen lesen"),
        ("eat", "esse isst isst essen essen"),
        ("wait for", "warte wartest wartet warten warten"),
        ("wash", "wasche wäschst wäscht waschen waschen"),
        ("like", "mag magst mag mögen mögen"),
        ("pick up", "hole holst holt holen holen"),
        ("invite", "lade lädst lädt laden laden"),
        ("ride a bicycle", "fahre fährst fährt fahren fahren"),
        ("feed", "füttere fütterst füttert füttern füttern"),
    ],
)
def test_german_present(name, forms):
    assert [german_verbs.present(verb(name), who) for who in Person] == forms.split()


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("tidy", "participle", "aufgeräumt"),
        ("tidy", "zu", "aufzuräumen"),
        ("tidy", "rest", "auf"),
        ("tidy", "final", "aufräumt"),
        ("read", "zu", "zu lesen"),
        ("take a walk", "participle", "spazieren gegangen"),
        ("take a walk", "aux", "ist"),
        ("play football", "infinitive", "Fußball spielen"),
        ("read", "aux", "hat"),
        ("help", "imperative", "hilf"),
        ("read", "imperative", "lies"),
        ("eat", "imperative", "iss"),
        ("open", "imperative", "öffne"),
        ("close", "imperative", "mach"),
        ("feed", "imperative", "füttere"),
        ("repair", "imperative", "reparier"),
    ],
)
def test_german_verb_pieces(name, form, expected):
    assert texts(german_verbs.render(verb(name), form, "verb", Person.IT)) == expected


@pytest.mark.parametrize(
    ("place", "form", "expected"),
    [
        (Place("at", phrase("park", "the")), "", "im Park"),
        (Place("at", phrase("park", "the")), "to", "in den Park"),
        (Place("at", phrase("station", "the")), "to", "zum Bahnhof"),
        (Place("at", phrase("university", "the")), "to", "zur Universität"),
        (Place("at", phrase("museum", "the")), "to", "ins Museum"),
        (Place("at", phrase("museum", "the")), "way", "zum Museum"),
        (Place("at", phrase("beach", "the")), "", "am Strand"),
        (Place("on", phrase("table", "the")), "", "auf dem Tisch"),
        (Place("on", phrase("table", "the")), "onto", "auf den Tisch"),
    ],
)
def test_german_places(place, form, expected):
    words = german.finish(german.render(place, form, "place", {}))
    assert texts(words) == expected[0].upper() + expected[1:]


def test_a_contraction_means_both_its_words():
    words = german.finish(german.render(Place("at", phrase("park", "the")), "", "place", {}))
    assert words[0].parts == {"place.preposition", "place.ground.determiner"}


def test_german_verbs_govern_their_objects():
    for name, expected in [("help", "dem Mann"), ("wait for", "auf den Mann"), ("see", "den Mann")]:
        assert texts(german.render(phrase("man", "the"), "governed", "object", {"verb": verb(name)})) == expected
    negated = german.render(phrase("man", "the"), "governed-not", "object", {"verb": verb("wait for")})
    assert texts(negated) == "nicht auf den Mann"


@pytest.mark.parametrize(
    ("something", "expected"),
    [
        (phrase("book", "a"), "一 本 书"),
        (phrase("dog", plural=True, count=2, adjective=None), "两 只 狗"),
        (phrase("ticket", plural=True, count=3), "三 张 车票"),
        (phrase("teacher", "the"), "老师"),
        (phrase("teacher", "this"), "这 位 老师"),
        (phrase("child", "the", plural=True), "孩子们"),
        (phrase("child", plural=True, count=2), "两 个 孩子"),
        (phrase("book", "the", plural=True), "那 些 书"),
        (phrase("car", "the", adjective=NEW), "那 辆 新 汽车"),
        (phrase("mother", "my"), "我 妈妈"),
        (phrase("mother", "our"), "我们 的 妈妈"),
        (phrase("car", "my"), "我 的 汽车"),
        (phrase("car", owner=phrase("brother", "my")), "我 哥哥 的 汽车"),
        (phrase("tea", count=2, unit=UNITS["cupful"]), "两 杯 茶"),
        (phrase("water", "a", unit=UNITS["bottled"]), "一 瓶 水"),
        (phrase("hotel", "the", adjective=EXPENSIVE, superlative=True), "最 贵 的 酒店"),
        (Titled(WANG, "Mr."), "王 先生"),
        (Both(ANNA, phrase("teacher", "my")), "安娜 和 我 的 老师"),
        (Place("on", phrase("table", "the")), "在 桌子 上"),
        (Place("at", phrase("station", "the")), "在 火车站"),
        (Place("at", phrase("kitchen", "the")), "在 厨房 里"),
    ],
)
def test_chinese_phrases(something, expected):
    assert texts(chinese.render(something, "", "x", {})) == expected


def test_chinese_numbers():
    numbers = [chinese.number(value) for value in (2, 10, 11, 12, 20, 35, 90)]
    assert numbers == ["二", "十", "十一", "十二", "二十", "三十五", "九十"]


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("watch", "watch watches watched watching"),
        ("carry", "carry carries carried carrying"),
        ("play", "play plays played playing"),
        ("swim", "swim swims swam swimming"),
        ("write", "write writes wrote writing"),
        ("go to bed", "go goes went going"),
    ],
)
def test_english_verbs(name, forms):
    who = [("base", Person.I), ("present", Person.IT), ("past", Person.WE), ("ing", Person.IT)]
    found = [english.verb(verb(name), form, "verb", person)[0].text for form, person in who]
    assert found == forms.split()


@pytest.mark.parametrize(
    ("something", "expected"),
    [
        (phrase("apple", "a"), "An apple"),
        (phrase("umbrella", "a"), "An umbrella"),
        (phrase("university", "a"), "A university"),
        (phrase("apple", "a", adjective=NEW), "A new apple"),
        (phrase("book", "a", adjective=INTERESTING), "An interesting book"),
        (phrase("knife", plural=True, count=3), "Three knives"),
        (phrase("bus", "this", plural=True), "These buses"),
        (phrase("shelf", "the", plural=True), "The shelves"),
        (phrase("juice", "a", unit=UNITS["glassful"]), "A glass of juice"),
        (phrase("hotel", "the", adjective=EXPENSIVE, superlative=True), "The most expensive hotel"),
        (phrase("car", owner=phrase("boss", "my")), "My boss's car"),
    ],
)
def test_english_phrases(something, expected):
    assert texts(english.finish(english.render(something, "", "x", {}))) == expected


def test_auxiliaries_agree():
    scene = {"subject": Pronoun("she"), "subject2": Pronoun("they")}
    for name, form, role, expected in [
        ("be", "present", "be", "is"),
        ("be", "present-not", "be2", "aren't"),
        ("do", "present-not", "do", "doesn't"),
        ("have", "present", "have2", "have"),
    ]:
        assert texts(english.auxiliary(name, form, role, scene)) == expected
    assert texts(german.auxiliary("be", "past", "be2", scene)) == "waren"
    assert texts(english.auxiliary("be", "present-not", "be", {"subject": Pronoun("I")})) == "am not"


def test_the_tables_name_only_classes_that_exist():
    classes = {kind for noun in NOUNS.values() for kind in noun.classes}
    classes |= {"people", "names", "mood", "weather"}
    for entry in VERBS:
        assert entry.subjects | entry.objects | entry.places <= classes, entry.lexemes
    for entry in ADJECTIVES:
        assert entry.describes | entry.said_of <= classes, entry.english
    assert not [n.key for n in NOUNS.values() if any(n.key in o.classes for o in NOUNS.values() if o is not n)]


def test_english_plurals_are_regular_or_given():
    wrong = [
        noun.english
        for noun in NOUNS.values()
        if noun.english.endswith(("s", "sh", "ch", "x", "y")) and noun.english_plural == noun.english + "s"
        if noun.english[-2] not in "aeiou" or noun.english[-1] != "y"
    ]
    assert not wrong
