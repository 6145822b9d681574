"""Setting pairs aside for validation."""

import os
import subprocess
import sys

import pytest

from ferryman.corpus import Pair, is_held_out, split_off
from ferryman.corpus.held_out import comparison_form, digest


def corpus(count, sources=None):
    return [Pair(f"source {n % (sources or count)}", f"target {n}", "f", n + 1) for n in range(count)]


def test_exactly_as_many_as_asked_in_the_corpus_order():
    pairs = corpus(5000)
    split = split_off(pairs, 100)
    assert len(split.pairs) == 100
    assert list(split.pairs) == [pair for pair in pairs if split.holds(pair.source)]
    assert split == split_off(pairs, 100)


def test_the_choice_is_spread_over_the_corpus():
    lines = [pair.line for pair in split_off(corpus(10_000), 500).pairs]
    assert all(90 < sum(low < line <= low + 2500 for line in lines) < 160 for low in range(0, 10_000, 2500))


def test_at_most_a_tenth_is_taken():
    assert len(split_off(corpus(200), 1000).pairs) == 20


@pytest.mark.parametrize(("size", "count"), [(0, 10), (3, 1000), (9, 1), (100, 0)])
def test_nothing_is_taken_from_next_to_nothing(size, count):
    split = split_off(corpus(size), count)
    assert split.pairs == ()
    assert not any(split.holds(pair.source) for pair in corpus(size))


def test_equal_sources_stay_together():
    pairs = corpus(3000, sources=500)
    split = split_off(pairs, 100)
    assert 95 <= len(split.pairs) <= 100
    aside = {pair.source for pair in split.pairs}
    assert sum(pair.source in aside for pair in pairs) == len(split.pairs)


def test_sources_that_read_alike_stay_together():
    assert is_held_out("The River", digest(comparison_form("the  river")) + 1)
    assert not is_held_out("The River", digest(comparison_form("the river")))


def test_hashes_are_the_same_in_every_process():
    command = "from ferryman.corpus.held_out import digest; print(digest('Fluß'))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", command], capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {f"{digest('Fluß')}\n".encode()}


@pytest.mark.parametrize(
    ("one", "other"), [("Straße", "STRASSE"), (" a\u00a0b\n", "A b"), ("e\u0301", "É"), ("ﬁn", "FIN"), ("Ά", "α\u0301")]
)
def test_texts_that_read_alike_have_one_comparison_form(one, other):
    assert comparison_form(one) == comparison_form(other)
