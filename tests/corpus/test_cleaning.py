"""The cleaner: whole pairs, one reason each, counts that add up."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import CleaningConfig
from ferryman.corpus import CleaningReport, HeldOut, Pair, clean


def pairs_from(*texts):
    return [Pair(source, target, "f", line) for line, (source, target) in enumerate(texts, start=1)]


def run(pairs, held_out=None, **rules):
    report = CleaningReport()
    kept = list(clean(pairs, CleaningConfig(**rules), held_out=held_out or HeldOut(), report=report))
    return kept, report


def test_blank_sides_drop_the_pair_and_the_others_stay_aligned():
    pairs = pairs_from(("one", "eins"), ("", "zwei"), ("three", ""), ("  ", "\u00a0"), ("five", "fünf"))
    kept, report = run(pairs)
    assert kept == [pairs[0], pairs[4]]
    assert report.dropped == {"empty": 3}


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u3000", "\u200b", "\ufeff"])
def test_invisible_text_is_empty(blank):
    assert run(pairs_from(("word", blank)))[1].dropped == {"empty": 1}


def test_counts_add_up_by_reason_and_can_be_saved():
    good = [(f"sentence {n}", f"Satz {n}") for n in range(750)]
    pairs = pairs_from(*good, *[(f"{n} " + "x" * 100, f"{n}") for n in range(200)], *good[:50])
    kept, report = run(pairs, max_characters=80)
    assert len(kept) == 750
    saved = json.loads(json.dumps(report.to_json()))
    assert saved == {"read": 1000, "kept": 750, "dropped": {"too long": 200, "duplicate": 50}}
    assert report.to_text() == "of 1,000 pairs 750 kept, 250 dropped\n  too long: 200\n  duplicate: 50"


def test_the_length_limit_counts_characters_of_either_side():
    pairs = pairs_from(("ä" * 10, "b"), ("a", "b" * 11), ("a" * 11, "b"))
    kept, report = run(pairs, max_characters=10)
    assert kept == pairs[:1]
    assert report.dropped == {"too long": 2}


@pytest.mark.parametrize(
    ("source", "target", "dropped"),
    [
        ("a" * 66, "b" * 11, False),  # six times: the limit itself
        ("a" * 67, "b" * 11, True),
        ("b" * 11, "a" * 67, True),
        ("a" * 31, "b", False),  # thirty bytes more are always allowed
        ("a" * 32, "b", True),
        ("中" * 11, "b" * 3, False),  # 33 bytes against 3
        ("中" * 12, "b" * 3, True),
    ],
)
def test_the_ratio_is_of_bytes_with_thirty_allowed(source, target, dropped):
    assert run(pairs_from((source, target)))[1].dropped == ({"length ratio": 1} if dropped else {})


def test_copies_and_duplicates_go_unless_they_are_allowed():
    pairs = pairs_from(("OK", "OK "), ("a", "b"), ("a", "b"), ("a", "c"), ("d", "b"))
    kept, report = run(pairs)
    assert kept == [pairs[1], pairs[3], pairs[4]]
    assert report.dropped == {"untranslated copy": 1, "duplicate": 1}
    assert run(pairs, drop_copies=False, drop_duplicates=False)[0] == pairs


def test_the_first_reason_that_applies_is_counted():
    held_out = HeldOut.of(pairs_from(("same", "same"), ("a", "b")))
    pairs = pairs_from(("same", "same"), ("a", "b"), ("a", "b"), ("", "x" * 3000))
    assert run(pairs, held_out)[1].dropped == {
        "untranslated copy": 1,
        "overlap with held-out": 1,
        "duplicate": 1,
        "empty": 1,
    }


@pytest.mark.parametrize("test_pair", [("The River", "x"), ("x", "der  fluss"), ("x", "Der Fluss")])
def test_either_side_of_a_held_out_pair_is_an_overlap(test_pair):
    pairs = pairs_from(("the river", "Der Fluss"), ("the lake", "der See"))
    kept, report = run(pairs, HeldOut.of(pairs_from(test_pair)))
    assert kept == pairs[1:]
    assert report.dropped == {"overlap with held-out": 1}
    assert run(pairs, HeldOut.of(pairs_from(test_pair)), drop_overlap=False)[0] == pairs


def test_a_source_is_not_compared_with_held_out_targets():
    pairs = pairs_from(("Restaurant", "Gasthaus"))
    assert run(pairs, HeldOut.of(pairs_from(("inn", "Restaurant"))))[0] == pairs


def test_composed_and_decomposed_letters_overlap():
    assert run(pairs_from(("Cafe\u0301", "x")), HeldOut.of(pairs_from(("café", "y"))))[0] == []


TEXTS = st.sampled_from(["", " ", "a", "b", "A", "a" * 50, "\u200b"])


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=30), st.lists(st.tuples(TEXTS, TEXTS), max_size=2))
def test_at_any_moment_read_is_kept_plus_dropped(texts, held_out):
    report = CleaningReport()
    pairs = pairs_from(*texts)
    kept = []
    for pair in clean(pairs, CleaningConfig(), held_out=HeldOut.of(pairs_from(*held_out)), report=report):
        kept.append(pair)
        assert report.kept == len(kept)
        assert report.read == report.kept + report.dropped.total()
    assert report.read == len(pairs) == report.kept + report.dropped.total()
    assert kept == [pair for pair in pairs if pair in kept]
