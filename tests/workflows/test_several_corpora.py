"""Several corpora are cleaned, held out and counted together, and lie in the store one after another."""

import json
from pathlib import Path

import pytest

from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.errors import ConfigError, DataError
from ferryman.workflows.prepare import Prepared, prepare

NAMED = ["data.source_language=en", "data.target_language=de", "data.valid_pairs=0", "tokenizer.vocab_size=330"]


def rows(word: str, count: int, first: int = 0) -> list[tuple[str, str]]:
    return [(f"the {word} {n}", f"{n} {word} das") for n in range(first, first + count)]


def write(folder: Path, name: str, pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{source}\t{target}\n" for source, target in pairs)
    (folder / f"{name}.tsv").write_text(text, encoding="utf-8")


def config_for(folder: Path, *settings: str) -> Config:
    return load_config("tiny", [*NAMED, f"data.directory={folder}", "data.train=main.tsv", *settings])


def texts(prepared: Prepared, first: int, last: int) -> list[tuple[str, str]]:
    sides = (("source", prepared.tokenizers.source), ("target", prepared.tokenizers.target))
    return [
        tuple(tokenizer.decode(prepared.store.sequence(side, index).tolist()) for side, tokenizer in sides)
        for index in range(first, last)
    ]


def first_pieces(prepared: Prepared, index: int, count: int = 1) -> list[str]:
    return prepared.tokenizers.source.pieces(prepared.store.sequence("source", index)[:count].tolist())


@pytest.fixture
def three(tmp_path):
    """Three corpora; of the second two pairs are the first's, one is empty, and one is held out by the third."""
    write(tmp_path, "main", rows("sea", 6))
    write(tmp_path, "web", [*rows("sea", 2), ("", "x"), *rows("tree", 4)])
    write(tmp_path, "back", rows("boat", 3))
    write(tmp_path, "valid", rows("tree", 1))
    web = "data.corpora.web={train: web.tsv, weight: 0.5}"
    back = "data.corpora.back={train: back.tsv, valid: valid.tsv, weight: 2, tag: bt}"
    return tmp_path, [web, back]


def test_corpora_stand_one_after_another_and_are_counted_apart(three):
    folder, settings = three
    config = config_for(folder, *settings)
    prepared = prepare(config, folder / "prepared")
    assert prepared.store.stretches == [("main", 6), ("web", 3), ("back", 3)]
    assert prepared.weights(config.data) == [(6, 1.0), (3, 0.5), (3, 2.0)]
    assert texts(prepared, 0, 12) == [*rows("sea", 6), *rows("tree", 3, first=1), *rows("boat", 3)]
    dropped = {name: one["cleaning"]["dropped"] for name, one in prepared.report["corpora"].items()}
    assert dropped == {"main": {}, "web": {"duplicate": 2, "empty": 1, "overlap with held-out": 1}, "back": {}}
    assert prepared.report["cleaning"]["kept"] == 12
    assert prepared.report["reading"]["read"] == 16
    assert list(prepared.describe(config.data))[1:] == [
        "corpus web (en → de, weight 0.5): 7 pairs read, 3 kept, 4 dropped (duplicate 2, empty 1, overlap with "
        "held-out 1); 0 pairs to validate on",
        "corpus back (en → de, weight 2, tag bt): 3 pairs read, 3 kept, 0 dropped; 1 pair to validate on",
    ]


def test_a_tag_stands_before_the_sources_of_its_corpus_alone(three):
    folder, settings = three
    prepared = prepare(config_for(folder, *settings), folder / "prepared")
    tagged = [first_pieces(prepared, index) == ["<tag:bt>"] for index in range(12)]
    assert tagged == [False] * 9 + [True] * 3


def test_another_weight_needs_no_new_preparation_and_anything_else_does(three):
    folder, settings = three
    first = prepare(config_for(folder, *settings), folder / "prepared")
    config = config_for(folder, *settings, "data.corpora.web.weight=3", "data.weight=0.1")
    again = prepare(config, folder / "prepared")
    assert again.reused
    assert again.folder == first.folder
    assert again.weights(config.data) == [(6, 0.1), (3, 3.0), (3, 2.0)]
    assert not prepare(config_for(folder, *settings, "data.corpora.back.tag=other"), folder / "prepared").reused
    write(folder, "web", rows("tree", 5))
    assert not prepare(config_for(folder, *settings), folder / "prepared").reused


REVERSE = "data.corpora.reverse={train: main.tsv, source_language: de, target_language: en, columns: [2, 1]}"


def test_several_targets_each_have_their_token(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    prepared = prepare(config_for(tmp_path, REVERSE), tmp_path / "prepared")
    assert prepared.store.stretches == [("main", 6), ("reverse", 6)]
    assert [first_pieces(prepared, index) for index in (0, 5, 6, 11)] == [["<2de>"], ["<2de>"], ["<2en>"], ["<2en>"]]
    assert texts(prepared, 6, 12) == [(target, source) for source, target in rows("sea", 6)]


def test_of_two_vocabularies_the_sources_has_the_tokens(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    apart = ["tokenizer.joint=false", "model.tie=two-way"]
    prepared = prepare(config_for(tmp_path, REVERSE, *apart), tmp_path / "prepared")
    assert list(prepared.tokenizers.source.control_symbols) == ["<2de>", "<2en>"]
    assert prepared.tokenizers.target.control_symbols == {}
    assert first_pieces(prepared, 6) == ["<2en>"]


def test_one_target_needs_no_token(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    write(tmp_path, "other", rows("boat", 2))
    dutch = "data.corpora.dutch={train: other.tsv, source_language: nl}"
    prepared = prepare(config_for(tmp_path, dutch), tmp_path / "prepared")
    assert prepared.tokenizers.source.control_symbols == {}


def test_identical_pairs_of_two_directions_are_both_kept(tmp_path):
    write(tmp_path, "main", rows("sea", 3))
    same = "data.corpora.dutch={train: main.tsv, target_language: nl}"
    assert len(prepare(config_for(tmp_path, same), tmp_path / "prepared").store) == 6


def test_what_is_held_out_of_one_direction_is_not_learned_backwards(tmp_path):
    write(tmp_path, "main", rows("sea", 60))
    write(tmp_path, "valid", rows("sea", 5))
    settings = [REVERSE, "data.valid=valid.tsv", "data.corpora.reverse.valid=valid.tsv"]
    held_out = set(rows("sea", 5))
    prepared = prepare(config_for(tmp_path, *settings), tmp_path / "prepared")
    assert len(prepared.store) == 110
    assert not held_out & {(target, source) for source, target in texts(prepared, 55, 110)}


def test_each_direction_has_pairs_set_aside_from_its_first_corpus(tmp_path):
    write(tmp_path, "main", rows("sea", 60))
    write(tmp_path, "more", rows("sea", 80))
    settings = [REVERSE, "data.corpora.more.train=more.tsv", "data.valid_pairs=4"]
    config = config_for(tmp_path, *settings)
    prepared = prepare(config, tmp_path / "prepared")
    counts = {direction.name: len(pairs) for direction, pairs in prepared.valid_by_direction.items()}
    assert counts == {"en-de": 4, "de-en": 4}
    assert prepared.report["corpora"]["more"]["valid"] == 0
    aside = {pair.source for pair in prepared.valid} | {pair.target for pair in prepared.valid}
    learned = texts(prepared, 0, len(prepared.store))
    assert not aside & {text for pair in learned for text in pair}
    assert len(learned) == 60 - 8 + 60 - 8 + 20
    assert prepare(config, tmp_path / "prepared").valid_by_direction == prepared.valid_by_direction


def test_missing_files_and_languages_of_any_corpus_are_told(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    with pytest.raises(DataError, match=r"web\.tsv: no such file"):
        prepare(config_for(tmp_path, "data.corpora.web.train=web.tsv"), tmp_path / "prepared")
    with pytest.raises(ConfigError, match="'german' is not a language code"):
        wrong = "data.corpora.web={train: main.tsv, target_language: german}"
        prepare(config_for(tmp_path, wrong), tmp_path / "prepared")


def test_a_tokenizer_without_the_tags_cannot_be_trained_further_with_them(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    start = prepare(config_for(tmp_path), tmp_path / "prepared").folder
    start_from = f"training.start_from={start}"
    tagged = "data.corpora.back={train: main.tsv, tag: bt}"
    with pytest.raises(ConfigError, match=r"training\.start_from: .* has no <tag:bt>; it has none"):
        prepare(config_for(tmp_path, start_from, tagged), tmp_path / "prepared")


def test_a_tokenizer_of_several_languages_goes_on_with_their_tokens(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    start = prepare(config_for(tmp_path, REVERSE), tmp_path / "prepared").folder
    tuned = prepare(config_for(tmp_path, f"training.start_from={start}"), tmp_path / "prepared")
    assert first_pieces(tuned, 0) == ["<2de>"]
    with pytest.raises(ConfigError, match="no token for the language 'nl'; it has de, en"):
        other = ["data.target_language=nl", f"training.start_from={start}"]
        prepare(config_for(tmp_path, *other), tmp_path / "prepared")


def test_the_report_of_a_single_corpus_is_as_ever(tmp_path):
    write(tmp_path, "main", rows("sea", 6))
    prepared = prepare(config_for(tmp_path), tmp_path / "prepared")
    assert prepared.report.keys() == {"reading", "cleaning", "valid"}
    assert "stretches" not in json.loads((prepared.folder / "store" / "store.json").read_text(encoding="utf-8"))
    assert prepared.weights(config_for(tmp_path).data) == [(6, 1.0)]
    assert list(prepared.describe(config_for(tmp_path).data)) == []
