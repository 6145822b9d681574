"""The phrasebook as a corpus: distinct, repeatable, one translation a sentence, honest splits."""

from collections import Counter
from itertools import islice

import pytest

from ferryman.corpus.phrasebook import (
    LANGUAGES,
    LIMITS,
    SPLITS,
    AlignedPair,
    describe,
    find_test_pair,
    generate,
    write_corpus,
)
from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.generate import draw, translate
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from ferryman.corpus.phrasebook.patterns import PATTERNS
from ferryman.corpus.phrasebook.splits import combination, split_of
from ferryman.errors import ConfigError


@pytest.fixture(scope="module")
def train() -> dict[str, list[AlignedPair]]:
    return {language: list(generate(language, "train", 20_000)) for language in LANGUAGES}


@pytest.fixture(scope="module")
def test_split() -> dict[str, list[AlignedPair]]:
    return {language: list(generate(language, "test", 1000)) for language in LANGUAGES}


def drawn(seed, count):
    dice = Dice(seed)
    scenes = (draw(dice) for _ in range(count))
    return [(pattern, scene) for pattern, scene in scenes if scene is not None]


def test_it_is_as_large_as_it_says():
    counts = describe()
    assert counts["patterns"] >= 40
    assert all(counts[language] >= 300 for language in ("en", *LANGUAGES))
    assert len({pattern.name for pattern in PATTERNS}) == len(PATTERNS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_distinct_and_repeatable(language, train):
    sources = [pair.source for pair in train[language]]
    assert len(set(sources)) == len(sources) == 20_000
    assert list(generate(language, "train", 100)) == train[language][:100]
    assert list(generate(language, "train", 100, seed=1)) != train[language][:100]


def test_english_does_not_depend_on_the_target(train, test_split):
    for split in (train, test_split):
        assert [pair.source for pair in split["de"]] == [pair.source for pair in split["zh"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_has_one_translation(language):
    translations = {}
    for pattern, scene in drawn("one translation", 15_000):
        pair = translate(pattern, scene, language)
        assert translations.setdefault(pair.source, pair.target) == pair.target, pattern.name
    assert len(translations) > 10_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_make_up_the_text(language, train):
    for pair in train[language][:3000]:
        source, target = " ".join(pair.source_words), " ".join(pair.target_words)
        for mark in ".,?!":
            source, target = source.replace(f" {mark}", mark), target.replace(f" {mark}", mark)
        assert pair.source == source
        assert pair.target == (target if language == "de" else "".join(pair.target_words))
        assert pair.source[-1] in ".?!"
        assert pair.target[-1] in (".?!" if language == "de" else "。？！")


def test_chinese_has_full_width_marks_and_no_spaces(train):
    text = "".join(pair.target for pair in train["zh"])
    assert not set(text) & set(" .,?!;:")
    assert not [character for character in text if character.isascii()]


def test_splits_share_no_combination():
    splits = {}
    for _, scene in drawn("splits", 15_000):
        words = combination(scene)
        splits.setdefault(split_of(words), set()).add(frozenset(words))
    assert set(splits) == set(SPLITS)
    assert not splits["train"] & splits["test"]
    assert not splits["train"] & splits["valid"]
    assert not splits["valid"] & splits["test"]
    assert 0.02 < len(splits["test"]) / sum(map(len, splits.values())) < 0.08


def test_a_combination_has_one_split_whatever_its_pattern():
    patterns = {}
    for pattern, scene in drawn("patterns", 15_000):
        if len(combination(scene)) >= 2:
            patterns.setdefault(combination(scene), set()).add(pattern.name)
    assert sum(len(names) > 1 for names in patterns.values()) > 100
    assert split_of(("apple", "buy")) == split_of(("apple", "buy")) != ""


def test_generated_sentences_keep_to_their_split(train, test_split):
    trained = {pair.source for pair in train["de"]}
    assert not trained & {pair.source for pair in test_split["de"]}
    assert not trained & {pair.source for pair in generate("de", "valid", 1000)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tested_word_was_trained_on(language, train, test_split):
    for words in ("source_words", "target_words"):
        known = {word.lower() for pair in train[language] for word in getattr(pair, words)}
        tested = {word.lower() for pair in test_split[language] for word in getattr(pair, words)}
        assert tested <= known, tested - known


def test_every_pattern_can_be_filled_and_trained_on():
    seen = Counter(pattern.name for pattern, scene in drawn("train", 20_000) if split_of(combination(scene)) == "train")
    assert not {pattern.name for pattern in PATTERNS} - set(seen)


def test_every_word_of_the_lexicon_is_used():
    used = {lexeme for _, scene in drawn("lexicon", 40_000) for lexeme in combination(scene)}
    entries = {*NOUNS, *(adjective.english[0] for adjective in ADJECTIVES), *(verb.lexemes[0] for verb in VERBS)}
    entries |= {name.english for name in NAMES if name.kind != "surname"}
    assert not entries - used


@pytest.mark.parametrize(
    ("language", "split", "count", "message"),
    [
        ("fr", "train", 10, "no target language 'fr'; choose one of de, zh"),
        ("de", "dev", 10, "no split 'dev'; choose one of train, valid, test"),
        ("zh", "test", LIMITS["test"] + 1, f"between 0 and {LIMITS['test']}"),
        ("zh", "test", -1, "ask for"),
    ],
)
def test_what_it_does_not_have_is_refused_at_once(language, split, count, message):
    with pytest.raises(ConfigError, match=message):
        generate(language, split, count)


def test_written_files_are_aligned(tmp_path):
    write_corpus(tmp_path / "corpus", "zh", train=30, valid=5, test=10, seed=2)
    names = ["test.align", "test.en", "test.words", "test.zh", "train.en", "train.zh", "valid.en", "valid.zh"]
    folder = tmp_path / "corpus"
    assert sorted(path.name for path in folder.iterdir()) == names
    pairs = list(generate("zh", "test", 10, seed=2))
    assert (folder / "test.en").read_text("utf-8") == "".join(f"{pair.source}\n" for pair in pairs)
    assert (folder / "test.zh").read_bytes().decode() == "".join(f"{pair.target}\n" for pair in pairs)
    links = [
        tuple(tuple(map(int, link.split("-"))) for link in line.split())
        for line in (folder / "test.align").read_text("utf-8").splitlines()
    ]
    assert links == [pair.alignment for pair in pairs]
    assert [find_test_pair(folder, pair.source, "zh") for pair in pairs] == pairs
    assert find_test_pair(folder, "Something else.", "zh") is None
    assert find_test_pair(folder, pairs[0].source, "de") is None
    assert len((folder / "train.zh").read_text("utf-8").splitlines()) == 30


def test_nothing_is_written_for_an_impossible_corpus(tmp_path):
    with pytest.raises(ConfigError):
        write_corpus(tmp_path / "corpus", "de", train=10, valid=10, test=LIMITS["test"] + 1)
    assert not (tmp_path / "corpus").exists()


def test_pairs_come_one_by_one():
    assert len(list(islice(generate("de", "train", LIMITS["train"]), 5))) == 5
