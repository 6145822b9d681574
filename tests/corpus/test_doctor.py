"""The data doctor: goes on after problems, and points at what looks wrong."""

import json
import random

import pytest

from ferryman.config import CleaningConfig
from ferryman.corpus import HeldOut, Pair, examine
from ferryman.corpus.shift import find_shift


@pytest.fixture
def write(tmp_path):
    def make(source, target):
        paths = [tmp_path / "a.en", tmp_path / "a.de"]
        for path, lines in zip(paths, (source, target), strict=True):
            path.write_bytes(b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines))
        return paths

    return make


def warnings(paths, languages=("en", "de")):
    return dict(examine(paths, languages=languages).warnings.counts)


def test_a_sound_corpus_is_well(write):
    report = examine(
        write(["The river.", "A lake – wide."], ["Der Fluss.", "Ein „See“: Ä… «É»"]), languages=("en", "de")
    )
    assert report.ok
    assert not report.warnings.counts
    assert report.cleaning.kept == report.reading.read == 2


def test_every_problem_is_found_in_one_pass(write):
    paths = write(["one", b"tw\xffo", "three", "", "five", "six"], ["eins", "zwei", b"dr\xe4i", "vier", "fünf"])
    report = examine(paths, languages=("en", "de"))
    assert not report.ok
    assert report.reading.problems.counts == {"line counts differ": 1, "line that is not UTF-8": 2}
    assert report.reading.read == 3
    assert report.cleaning.dropped == {"empty": 1}
    text = report.to_text()
    assert f"{paths[0]} has 6 lines but {paths[1]} has 5" in text
    assert "a.en, line 2, byte 3 (byte 7 of the file): 0xff" in text
    assert "a.de, line 3, byte 3" in text


def test_a_missing_file_is_a_finding(tmp_path):
    report = examine([tmp_path / "nothing.tsv"], languages=("en", "de"))
    assert report.reading.problems.counts == {"cannot go on": 1}


def test_the_report_is_json(write):
    paths = write(["a &amp; b"], ["c"])
    value = json.loads(json.dumps(examine(paths, languages=("en", "de")).to_json()))
    assert value["ok"] is True
    assert value["files"] == [str(path) for path in paths]
    assert value["cleaning"] == {"read": 1, "kept": 1, "dropped": {}}
    assert value["warnings"] == {"source: HTML entity": {"count": 1, "examples": [f"{paths[0]}:1"]}}


def test_only_three_examples_are_kept(write):
    report = examine(write(["a\tb"] * 5, [f"c{n}" for n in range(5)]), languages=("en", "de"))
    assert report.warnings.counts["source: tab inside the text"] == 5
    assert len(report.warnings.examples["source: tab inside the text"]) == 3


@pytest.mark.parametrize(
    ("target", "symptom"),
    [
        ("a\x07b", "U+0007 CONTROL CHARACTER"),
        ("a\u2028b\u2028c", "U+2028 LINE SEPARATOR"),
        ("a\u200bb", "U+200B ZERO WIDTH SPACE"),
        ("a\tb", "tab inside the text"),
        ("Tom &amp; Ann", "HTML entity"),
        ("a&#8217;b", "HTML entity"),
        ("@@", "'@@' left by subword splitting"),
        ("ein Fluss@@ bett", "'@@' left by subword splitting"),
        ("MÃ¤dchen", "UTF-8 encoded twice"),
        ("itâ€™s", "UTF-8 encoded twice"),
        ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "UTF-8 encoded twice"),
        ("ä¸­æ–‡", "UTF-8 encoded twice"),
        ("Mоskau", "letters of two scripts in one word"),
        ("это по-русски", "words but no Latin letter"),
    ],
)
def test_symptoms_of_the_target(write, target, symptom):
    assert warnings(write(["text"], [target])) == {f"target: {symptom}": 1}


@pytest.mark.parametrize("text", ["São Tomé, NÃO", "café… «voilà»", "naïve Â", "a@b.org, @@x@@y", "AT&T; & Co", "5 %"])
def test_wholesome_text_has_no_symptoms(write, text):
    assert warnings(write([text], ["Text"])) == {}


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("zh", "only English", 1),
        ("zh-Hans", "河 river", 0),
        ("zh", "123!", 0),
        ("ja", "かな", 0),
        ("ru", "да", 0),
        ("x", "да", 0),
    ],
)
def test_a_language_wants_its_script(write, language, text, count):
    found = warnings(write(["text"], [text]), ("en", language))
    assert sum(found.values()) == count, found


def test_a_source_with_several_targets_is_told(write):
    found = warnings(write(["a", "a", "a", "b"], ["x", "x", "y", "x"]))
    assert found == {"source seen before with another target": 1}


def test_rules_and_held_out_pairs_are_the_cleaners(write):
    report = examine(
        write(["one", "two two"], ["eins", "zwei"]),
        languages=("en", "de"),
        rules=CleaningConfig(max_characters=5),
        held_out=HeldOut.of([Pair("One", "x", "f", 1)]),
    )
    assert report.cleaning.dropped == {"overlap with held-out": 1, "too long": 1}


def sentences(count, seed=1):
    generator = random.Random(seed)
    lengths = [generator.randint(1, 30) for _ in range(count)]
    return (
        ["w " * length + str(n) for n, length in enumerate(lengths)],
        ["W " * (length + generator.randint(0, 2)) + str(n) for n, length in enumerate(lengths)],
    )


@pytest.mark.parametrize("shift", [-2, -1, 1, 3])
def test_a_shift_is_found_with_its_size(shift):
    source, target = sentences(120)
    moved = target[-shift:] + target[:-shift]
    assert find_shift([(len(s), len(t)) for s, t in zip(source, moved, strict=True)]) == shift


def test_a_blank_line_on_one_side_is_found_where_it_starts(write):
    source, target = sentences(600)
    paths = write([*source, "end"], [*target[:300], "", *target[300:]])
    report = examine(paths, languages=("en", "de"))
    [example] = report.warnings.examples["pairs that look shifted"][-1:]
    assert report.warnings.counts["pairs that look shifted"] == 2
    assert example == f"{paths[0]}:513 to {paths[0]}:601: targets seem to stand +1 lines from their sources"


def test_aligned_or_constant_or_unrelated_lengths_are_not_shifted():
    source, target = sentences(200)
    assert find_shift([(len(s), len(t)) for s, t in zip(source, target, strict=True)]) == 0
    assert find_shift([(5, 5)] * 200) == 0
    assert find_shift([(len(s), len(t)) for s, t in zip(source, sentences(200, seed=2)[1], strict=True)]) == 0


@pytest.mark.parametrize(
    ("pairs", "ok", "remark"),
    [
        (0, False, "no pair is left to train on"),
        (1, True, "only 1 pair to train on"),
        (999, True, "only 999 pairs to train on"),
        (1000, True, None),
    ],
)
def test_an_amount_that_nothing_can_be_learned_from_is_told(write, pairs, ok, remark):
    report = examine(
        write([f"a {n}" for n in range(pairs)], [f"ein {n}" for n in range(pairs)]), languages=("en", "de")
    )
    assert report.ok is ok
    assert (remark or "") in report.to_text()
    assert ("to train on" in report.to_text()) is (remark is not None)


def test_odd_characters_are_named_with_their_first_places(write):
    paths = write(["a", *["b\u2028 c"] * 5], ["\ufeffA", *"BCDEF"])
    report = examine(paths, languages=("en", "de"))
    assert report.warnings.examples["source: U+2028 LINE SEPARATOR"] == [f"{paths[0]}:{line}" for line in (2, 3, 4)]
    assert report.warnings.counts["source: U+2028 LINE SEPARATOR"] == 5
