"""Gold alignments of the phrasebook: by hand for some sentences, sane for all."""

import pytest

from ferryman.corpus.phrasebook import LANGUAGES, generate
from ferryman.corpus.phrasebook.generate import translate
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, FIXED_VERBS, NAMES, NOUNS, TIMES, VERBS
from ferryman.corpus.phrasebook.patterns import PATTERNS
from ferryman.corpus.phrasebook.phrases import UNITS, NounPhrase, Place, Pronoun

BY_NAME = {pattern.name: pattern for pattern in PATTERNS}
ANNA = next(name for name in NAMES if name.english == "Anna")
RED = next(adjective for adjective in ADJECTIVES if adjective.english[0] == "red")
YESTERDAY = TIMES["past"][0]


def verb(name):
    return next(verb for verb in VERBS if verb.lexemes[0] == name)


def linked(pattern, scene, language):
    pair = translate(BY_NAME[pattern], scene, language)
    return pair.target, {(pair.source_words[i], pair.target_words[j]) for i, j in pair.alignment}


SCENES = {
    "past": (
        "past, time last",
        {
            "verb": verb("buy"),
            "subject": NounPhrase(NOUNS["woman"], "the"),
            "time": YESTERDAY,
            "object": NounPhrase(NOUNS["hat"], plural=True, count=3, adjective=RED),
        },
    ),
    "put": (
        "put",
        {
            "subject": ANNA,
            "object": NounPhrase(NOUNS["book"], "the"),
            "place": Place("on", NounPhrase(NOUNS["table"], "the")),
        },
    ),
    "not": ("habit negated", {"verb": verb("drink"), "subject": Pronoun("he"), "object": NounPhrase(NOUNS["coffee"])}),
    "cup": ("I would like", {"object": NounPhrase(NOUNS["tea"], count=2, unit=UNITS["cupful"])}),
    "rain": ("is it raining?", {"weather": FIXED_VERBS["rain"], "city": next(n for n in NAMES if n.kind == "city")}),
    "asked": ("where does somebody live?", {"subject": Pronoun("you")}),
    "off": ("please do", {"verb": verb("turn off"), "object": NounPhrase(NOUNS["lamp"], "the")}),
    "whose": (
        "this belongs to someone",
        {"object": NounPhrase(NOUNS["car"], owner=NounPhrase(NOUNS["brother"], "my"))},
    ),
}

EXPECTED = [
    (
        "past",
        "de",
        "Die Frau hat gestern drei rote Hüte gekauft.",
        "The-Die woman-Frau bought-hat bought-gekauft yesterday-gestern three-drei red-rote hats-Hüte .-.",
    ),
    (
        "past",
        "zh",
        "那个女人昨天买了三顶红色的帽子。",
        "The-那 The-个 woman-女人 bought-买 bought-了 yesterday-昨天 three-三 three-顶 red-红色的 hats-帽子 .-。",
    ),
    (
        "put",
        "de",
        "Anna hat das Buch auf den Tisch gelegt.",
        "Anna-Anna put-hat put-gelegt the-das the-den book-Buch on-auf table-Tisch .-.",
    ),
    ("put", "zh", "安娜把那本书放在桌子上。", "Anna-安娜 put-放 the-那 the-本 book-书 on-在 on-上 table-桌子 .-。"),
    ("not", "de", "Er trinkt keinen Kaffee.", "He-Er doesn't-trinkt doesn't-keinen drink-trinkt coffee-Kaffee .-."),
    ("not", "zh", "他不喝咖啡。", "He-他 doesn't-不 drink-喝 coffee-咖啡 .-。"),
    ("cup", "zh", "我想要两杯茶。", "I-我 would-想要 like-想要 two-两 cups-杯 tea-茶 .-。"),
    (
        "cup",
        "de",
        "Ich möchte bitte zwei Tassen Tee.",
        "I-Ich would-möchte like-möchte two-zwei cups-Tassen tea-Tee please-bitte .-.",
    ),
    ("rain", "de", "Regnet es gerade in Berlin?", "Is-Regnet Is-gerade it-es raining-Regnet in-in Berlin-Berlin ?-?"),
    ("rain", "zh", "柏林在下雨吗？", "Is-在 raining-下雨 Berlin-柏林 ?-吗 ?-？"),
    ("asked", "de", "Wo wohnst du?", "Where-Wo do-wohnst live-wohnst you-du ?-?"),
    ("asked", "zh", "你住在哪里？", "Where-在 Where-哪里 you-你 live-住 ?-？"),
    (
        "off",
        "de",
        "Schalte bitte die Lampe aus.",
        "Please-bitte turn-Schalte turn-aus off-Schalte off-aus the-die lamp-Lampe .-.",
    ),
    (
        "whose",
        "de",
        "Das ist das Auto meines Bruders.",
        "This-Das is-ist my-meines brother's-Bruders brother's-das car-Auto .-.",
    ),
    ("whose", "zh", "这是我哥哥的汽车。", "This-这 is-是 my-我 brother's-哥哥 brother's-的 car-汽车 .-。"),
]


@pytest.mark.parametrize(("scene", "language", "target", "links"), EXPECTED)
def test_links_by_hand(scene, language, target, links):
    text, found = linked(*SCENES[scene], language)
    assert text == target
    assert found == {tuple(link.rsplit("-", 1)) for link in links.split()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_are_sorted_and_point_at_words(language):
    for pair in generate(language, "train", 2000, seed=5):
        assert list(pair.alignment) == sorted(set(pair.alignment))
        assert all(0 <= i < len(pair.source_words) and 0 <= j < len(pair.target_words) for i, j in pair.alignment)
        assert (len(pair.source_words) - 1, len(pair.target_words) - 1) in pair.alignment


@pytest.mark.parametrize(
    ("language", "unlinked"),
    [
        ("de", {",", "es", "Es", "in", "zum"}),
        ("zh", {"，", "很", "都", "的", "给", "把", "会", "就", "是", "了"}),
    ],
)
def test_only_function_words_are_without_a_link(language, unlinked):
    free = set()
    for pair in generate(language, "train", 5000, seed=6):
        reached = {j for _, j in pair.alignment}
        free |= {word for j, word in enumerate(pair.target_words) if j not in reached}
    assert free <= unlinked


def test_nouns_are_linked_to_their_translation():
    nouns = {noun.english: {noun.german, noun.german_plural} for noun in NOUNS.values()}
    nouns["office"] |= nouns["post office"]
    nouns |= {noun.english: nouns[noun.english] | {noun.marks["f"]} for noun in NOUNS.values() if "f" in noun.marks}
    idioms = {"Spielt", "Fährt"}  # "Does he play the piano": the verb may stand first
    checked = 0
    for pair in generate("de", "train", 3000, seed=7):
        for i, j in pair.alignment:
            english, german = pair.source_words[i], pair.target_words[j]
            if english in nouns and german[0].isupper() and german not in idioms:
                checked += 1
                assert any(german.startswith(form) for form in nouns[english] - {"-"}), pair
    assert checked > 1000
