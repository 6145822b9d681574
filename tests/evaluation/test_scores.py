import csv
import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ferryman.errors import ConfigError, DataError
from ferryman.evaluation.metrics import bleu_tokeniser
from ferryman.evaluation.scores import corpus_scores

WMT17 = Path(__file__).parents[2] / "../shared/data/wmt17-scores"
needs_wmt17 = pytest.mark.skipif(not WMT17.is_dir(), reason="the WMT17 outputs are not at ../shared/data/wmt17-scores")

ENGLISH = (
    ["The river is wide .", "We cross it by boat.", "It's 1,234.50 € today!", "a  b"],
    ["The river is very wide.", "We cross it in a boat.", "It's 1,234.50 € today.", "a b c d"],
)
CHINESE = (["这条河很宽。", "我们坐船过河。", "今天是2024年。"], ["这条河非常宽。", "我们乘船过河。", "今天是2024年！"])
JAPANESE = (["この川はとても広い。", "船で渡ります。"], ["この川は広い。", "私たちは船で渡ります。"])


def lines_of(path):
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def sacrebleu_command(folder, hypotheses, reference_sets, *options):
    """Score with sacreBLEU's own command; returns its JSON by metric name."""
    paths = []
    for number, lines in enumerate([hypotheses, *reference_sets]):
        paths.append(folder / f"{number}.txt")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", *map(str, paths[1:]), "-i", str(paths[0])]
    command += ["-m", "bleu", "chrf", "ter", "--width", "8", *options]
    environment = {key: value for key, value in os.environ.items() if key != "SACREBLEU_FORMAT"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment)
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("language", "hypotheses", "reference_sets", "options"),
    [
        ("en-GB", ENGLISH[0], [ENGLISH[1]], []),
        ("de", ENGLISH[0], [ENGLISH[1], ENGLISH[0]], []),
        ("zh-Hans", CHINESE[0], [CHINESE[1]], ["-tok", "zh", "--ter-asian-support", "--ter-normalized"]),
        ("ja", JAPANESE[0], [JAPANESE[1]], ["-tok", "ja-mecab", "--ter-asian-support", "--ter-normalized"]),
    ],
)
def test_scores_equal_sacrebleus_own_command(tmp_path, language, hypotheses, reference_sets, options):
    expected = sacrebleu_command(tmp_path, hypotheses, reference_sets, *options)
    scores = corpus_scores(hypotheses, reference_sets, target_language=language)
    assert list(scores) == ["bleu", "chrf", "ter"]
    for score in scores.values():
        assert score.signature == expected[score.name]["signature"]
        assert score.score == pytest.approx(expected[score.name]["score"], abs=1e-8)


@needs_wmt17
@pytest.mark.parametrize("system", ["uedin-nmt.4722", "online-A.0", "PROMT-Rule-based.4735"])
def test_scores_known_for_wmt17(system):
    """BLEU of mteval-v13a to 2 digits, chrF to 4, TER as a fraction to 3."""
    with (WMT17 / "expected.tsv").open(encoding="utf-8") as file:
        expected = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}[system]
    hypotheses, references = lines_of(WMT17 / f"{system}.de"), lines_of(WMT17 / "ref.de")
    metrics = ("bleu", "chrf", "ter") if system == "uedin-nmt.4722" else ("bleu", "chrf")  # TER takes seconds
    scores = corpus_scores(hypotheses, [references], target_language="de", metrics=metrics)
    assert f"{scores['bleu'].score:.2f}" == expected["BLEU_mteval_v13a"]
    assert f"{scores['chrf'].score:.4f}" == expected["chrF"]
    if "ter" in scores:
        assert f"{scores['ter'].score / 100:.3f}" == expected["TER"]


@needs_wmt17
def test_a_byte_order_mark_moves_a_score_less_than_is_printed():
    marked, references = lines_of(WMT17 / "online-A.0.de"), lines_of(WMT17 / "ref.de")
    assert marked[0].startswith("\ufeff")
    clean = [marked[0].removeprefix("\ufeff"), *marked[1:]]
    one, other = (
        corpus_scores(lines, [references], target_language="de", metrics=["bleu"])["bleu"].score
        for lines in (marked, clean)
    )
    assert one != other
    assert f"{one:.2f}" == f"{other:.2f}" == "20.80"


@pytest.mark.parametrize(
    ("language", "tokeniser"),
    [("en", "13a"), ("zh", "zh"), ("zh-Hant-TW", "zh"), ("ja", "ja-mecab"), ("JA-jp", "ja-mecab"), ("eo", "13a")],
)
def test_the_language_chooses_the_tokeniser(language, tokeniser):
    assert bleu_tokeniser(language) == tokeniser
    scores = corpus_scores(["x y"], [["x y"]], target_language=language, metrics=["bleu"])
    assert f"tok:{tokeniser}" in scores["bleu"].signature


def test_korean_has_its_tokeniser_only_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert bleu_tokeniser("ko") == "13a"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert bleu_tokeniser("ko-KR") == "ko-mecab"
    assert bleu_tokeniser("de") == "13a"


def test_ter_cuts_chinese_into_characters():
    def ter(language):
        return corpus_scores(["河很宽"], [["河不宽"]], target_language=language, metrics=["ter"])["ter"]

    assert ter("zh").score == pytest.approx(100 / 3)
    assert "asian:yes" in ter("zh").signature
    assert ter("en").score == 100
    assert "asian:no" in ter("en").signature


@pytest.mark.parametrize("references", [3004, 2133])
def test_counts_that_differ_are_refused_before_any_work(monkeypatch, references):
    monkeypatch.setattr("ferryman.evaluation.scores.make_metrics", lambda *_: pytest.fail("work was done"))
    with pytest.raises(DataError, match=rf"2134 hypotheses but {references} references \(set 2 of 2\)"):
        corpus_scores(["a"] * 2134, [["a"] * 2134, ["a"] * references], target_language="en")


def test_nothing_to_score_and_flat_references_are_refused():
    with pytest.raises(DataError, match="0 hypotheses and 0 references"):
        corpus_scores([], [[]], target_language="en")
    with pytest.raises(DataError, match="no reference"):
        corpus_scores(["a"], [], target_language="en")
    with pytest.raises(DataError, match=r"write \[lines\], not lines"):
        corpus_scores(["a"], ["a"], target_language="en")


def test_unknown_metrics_and_languages_are_refused():
    with pytest.raises(ConfigError, match="unknown metric 'blue': choose from bleu, chrf, ter"):
        corpus_scores(["a"], [["a"]], target_language="en", metrics=["blue"])
    with pytest.raises(ConfigError, match="write 'zh-CN'"):
        corpus_scores(["a"], [["a"]], target_language="zh_CN")


def test_characters_of_no_vocabulary_count_as_they_are():
    assert corpus_scores(["a 🙂 龘 b"], [["a 🙂 龘 b"]], target_language="en")["bleu"].score == pytest.approx(100)
    assert corpus_scores(["a \ufffd 龘 b"], [["a 🙂 龘 b"]], target_language="en")["bleu"].score < 50


def test_json_and_value():
    scores = corpus_scores(["a b c d"], [["a b c d"]], target_language="en", metrics=["bleu", "chrf"])
    assert json.loads(json.dumps(scores.to_json())) == {
        "bleu": {"score": pytest.approx(100), "signature": scores["bleu"].signature},
        "chrf": {"score": pytest.approx(100), "signature": scores["chrf"].signature},
        "sentences": 1,
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores["bleu"].score = 0.0
