import os
import random
import subprocess
import sys

import pytest

from ferryman.errors import ConfigError, DataError
from ferryman.evaluation.compare import PairedPlan, compare_systems
from ferryman.evaluation.scores import corpus_scores

WORDS = ["river", "wide", "boat", "house", "green", "walks", "small", "bridge"]


def references(count=40):
    chance = random.Random(3)
    return [" ".join(chance.choices(WORDS, k=8)) for _ in range(count)]


def spoiled(lines, share, seed):
    chance = random.Random(seed)
    return [" ".join(word if chance.random() > share else "?" for word in line.split()) for line in lines]


REFERENCES = references()
GOOD, BAD = spoiled(REFERENCES, 0.1, 1), spoiled(REFERENCES, 0.4, 2)
METHODS = ("bootstrap", "randomisation")


@pytest.mark.parametrize("method", METHODS)
def test_a_clear_difference_is_significant_and_none_is_not(method):
    plan = PairedPlan(method=method, samples=200)
    clear = compare_systems(BAD, GOOD, [REFERENCES], target_language="en", plan=plan)
    none = compare_systems(GOOD, spoiled(REFERENCES, 0.1, 7), [REFERENCES], target_language="en", plan=plan)
    for metric in ("bleu", "chrf"):
        assert clear[metric].p_value < 0.05 < none[metric].p_value
        assert clear[metric].difference > 10
        low, high = clear[metric].system.interval
        assert low < clear[metric].system.score < high
        assert clear[metric].baseline.interval[1] < low
        assert clear[metric].baseline.half_width > 0


def test_scores_are_those_of_corpus_scores():
    comparison = compare_systems(BAD, GOOD, [REFERENCES], target_language="en", plan=PairedPlan(samples=10))
    for system, lines in (("baseline", BAD), ("system", GOOD)):
        scores = corpus_scores(lines, [REFERENCES], target_language="en", metrics=["bleu", "chrf"])
        for metric, score in scores.items():
            assert getattr(comparison[metric], system).score == pytest.approx(score.score)
            assert comparison[metric].name == score.name
    assert "seed:12345" in comparison["bleu"].signature
    assert "bs:10" in comparison["bleu"].signature


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(monkeypatch, method):
    monkeypatch.setenv("SACREBLEU_SEED", "99")

    def compare(seed):
        plan = PairedPlan(method=method, samples=50, seed=seed, metrics=("bleu",))
        return compare_systems(GOOD, BAD, [REFERENCES], target_language="en", plan=plan)["bleu"]

    assert compare(1) == compare(1)
    assert compare(1).baseline != compare(2).baseline
    assert compare(1).system != compare(2).system
    assert os.environ["SACREBLEU_SEED"] == "99"


def test_the_environment_is_left_as_it_was(monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    compare_systems(GOOD, BAD, [REFERENCES], target_language="en", plan=PairedPlan(samples=2))
    assert "SACREBLEU_SEED" not in os.environ


@pytest.mark.parametrize(("method", "option"), [("bootstrap", "bs"), ("randomisation", "ar")])
def test_p_values_equal_sacrebleus_own_command(tmp_path, method, option):
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("near", spoiled(REFERENCES, 0.14, 5))):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "good", "near", "-m", "bleu", "-f", "text", "-w", "8"]
    command += [f"--paired-{option}", f"--paired-{option}-n", "100"]
    environment = {**os.environ, "SACREBLEU_SEED": "7"} | {"SACREBLEU_FORMAT": "text", "NO_COLOR": "1"}
    shown = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=True, env=environment, cwd=tmp_path
    ).stdout
    near = (tmp_path / "near").read_text(encoding="utf-8").splitlines()
    plan = PairedPlan(method=method, samples=100, seed=7, metrics=("bleu",))
    comparison = compare_systems(GOOD, near, [REFERENCES], target_language="en", plan=plan)["bleu"]
    assert 0.01 < comparison.p_value < 1
    assert f"(p = {comparison.p_value:.4f})" in shown
    assert f"{comparison.system.score:.8f}" in shown


def test_wrong_counts_and_plans_are_refused():
    with pytest.raises(DataError, match="39 hypotheses but 40 references"):
        compare_systems(GOOD, BAD[1:], [REFERENCES], target_language="en")
    for plan in (PairedPlan(seed=0), PairedPlan(samples=0)):
        with pytest.raises(ConfigError, match="at least 1"):
            compare_systems(GOOD, BAD, [REFERENCES], target_language="en", plan=plan)
