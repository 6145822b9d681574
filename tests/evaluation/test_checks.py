import random
from pathlib import Path

import pytest

from ferryman.errors import DataError
from ferryman.evaluation.checks import suspicious_alignment

DATA = Path(__file__).parents[2] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the test sets are not at ../shared/data")
SETS = [
    "multi30k/test2016.en multi30k/test2016.de",
    "multi30k/test2016.en multi30k/test2016.fr",
    "multi30k/val.en multi30k/val.de",
    "captions-en-zh/val.en captions-en-zh/val.zh",
    "tatoeba-en-de/test.tsv",
    "tatoeba-en-zh/test.tsv",
    "tatoeba-en-zh/dev.tsv",
]


def lines_of(name):
    return (DATA / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read(name):
    if name.endswith(".tsv"):
        return [list(side) for side in zip(*(line.split("\t") for line in lines_of(name)), strict=True)]
    return [lines_of(side) for side in name.split()]


def made_up(count, seed=5):
    """Return unlike words of like length, as in two unrelated scripts."""
    chance = random.Random(seed)
    lengths = [chance.randint(3, 60) for _ in range(count)]
    return ["x" * length for length in lengths], ["字" * (length // 3 + chance.randint(0, 2)) for length in lengths]


def with_blank(lines, at):
    return [*lines[:at], "", *lines[at:]][: len(lines)]


def line_named(warning):
    return int(warning.partition("from about line ")[2].partition(" ")[0])


@needs_data
@pytest.mark.parametrize("name", SETS)
def test_real_sets_give_no_warning(name):
    sources, references = read(name)
    assert suspicious_alignment(sources, references) is None
    for start in range(0, len(sources) - 50, 100):
        assert suspicious_alignment(sources[start : start + 50], references[start : start + 50]) is None


@needs_data
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("share", [0, 0.5, 0.75])
def test_a_blank_line_in_a_real_set_is_found(name, share):
    sources, references = read(name)
    at = int(share * len(sources))
    warning = suspicious_alignment(with_blank(sources, at), references)
    assert warning is not None
    assert "one line above better" in warning
    assert abs(line_named(warning) - at) < 20
    warning = suspicious_alignment(sources, with_blank(references, at))
    assert warning is not None
    assert "one line below better" in warning


def test_a_shift_between_unrelated_scripts_is_found_by_length():
    sources, references = made_up(100)
    assert suspicious_alignment(sources, references) is None
    assert suspicious_alignment(with_blank(sources, 0), references) is not None


def test_shuffled_lines_give_no_warning():
    sources, references = made_up(100)
    for seed in range(20):
        shuffled = random.Random(seed).sample(references, k=len(references))
        assert suspicious_alignment(sources, shuffled) is None


@pytest.mark.parametrize("lines", [[], ["a"], ["a"] * 19, [""] * 40, ["same"] * 40])
def test_too_little_to_tell_gives_no_warning(lines):
    assert suspicious_alignment(lines, lines) is None


def test_counts_must_match():
    with pytest.raises(DataError, match="2 source lines but 1 references"):
        suspicious_alignment(["a", "b"], ["a"])
