"""What is chosen where a user left it open: the table's points, what must hold everywhere, and what is set."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import Config
from ferryman.config_file import parse_config, read_settings
from ferryman.corpus.survey import Side, Survey
from ferryman.workflows.recipe import Recipe, choose
from ferryman.workflows.sizes import Machine

LAPTOP = Machine("cpu", 2, 345.0)
GPU = Machine("cuda", 8, 400_000.0)
LATIN, CHINESE = frozenset("abcdefghijklmnopqrstuvwxyzäöü .,"), frozenset(map(chr, range(0x4E00, 0x4E00 + 2400)))
CAPTIONS = (Side(61.0, "LATIN", LATIN), Side(70.5, "LATIN", LATIN))
EVERYDAY = (Side(31.0, "LATIN", LATIN), Side(9.8, "CJK", CHINESE))


def recipe(pairs: int = 29_000, *settings: str, machine: Machine = LAPTOP, sides=CAPTIONS) -> Recipe:
    tree = read_settings(settings)
    flat = {f"{section}.{key}": value for section, keys in tree.items() for key, value in keys.items()}
    return choose(Survey(pairs, True, *sides), machine, flat)


def config(*arguments: Any, **options: Any) -> Config:
    """Put what is chosen and what is set together, as planning does; it must be valid."""
    tree = read_settings(arguments[1:])
    for name, value in recipe(*arguments, **options).settings.items():
        section, _, key = name.partition(".")
        tree.setdefault(section, {})[key] = value
    return parse_config(tree, "chosen")


def width(chosen: Config) -> tuple[int, int]:
    return chosen.model.d_model, chosen.model.encoder_layers + chosen.model.decoder_layers


def test_the_measured_point_of_captions():
    chosen = config(29_000, "training.minutes=15")
    assert (chosen.model.d_model, chosen.model.d_ff, chosen.model.heads) == (128, 512, 4)
    assert (chosen.model.encoder_layers, chosen.model.decoder_layers, chosen.model.norm_order) == (3, 2, "pre")
    assert (chosen.tokenizer.vocab_size, chosen.tokenizer.joint, chosen.model.tie) == (4000, True, "three-way")
    assert chosen.model.dropout == pytest.approx(0.15, abs=0.02)
    training = chosen.training
    assert (training.batch_tokens, training.learning_rate, training.schedule) == (1024, 0.006, "linear")
    assert (training.warmup_steps, training.validations, training.optimizer) == (200, 8, "muon")


def test_the_measured_point_of_everyday_sentences_in_two_scripts():
    chosen = config(22_000, "training.minutes=15", sides=EVERYDAY)
    assert (chosen.model.d_model, chosen.tokenizer.joint, chosen.model.tie) == (128, False, "two-way")
    assert 3_000 <= chosen.tokenizer.vocab_size <= 4_500
    assert chosen.model.dropout == pytest.approx(0.28, abs=0.03)
    assert chosen.training.learning_rate == 0.006


@pytest.mark.parametrize(
    ("pairs", "budget", "machine", "shape"),
    [
        (29_000, "minutes=15", LAPTOP, (128, 5)),
        (29_000, "minutes=600", LAPTOP, (128, 5)),  # so few pairs feed no more
        (29_000, "minutes=600", GPU, (128, 5)),
        (2_000_000, "minutes=15", LAPTOP, (128, 5)),
        (2_000_000, "minutes=480", LAPTOP, (256, 9)),
        (2_000_000, "minutes=60", GPU, (512, 12)),
        (40_000_000, "minutes=6000", GPU, (1024, 12)),
        (40_000_000, "minutes=100000", LAPTOP, (512, 12)),  # the big one is for GPUs
        (2_000_000, "epochs=1000", LAPTOP, (128, 5)),  # nothing ends in a night, so the quickest
        (300, "minutes=1", LAPTOP, (128, 5)),
    ],
)
def test_the_size_that_budget_and_corpus_feed(pairs, budget, machine, shape):
    assert width(config(pairs, f"training.{budget}", machine=machine)) == shape


@pytest.mark.parametrize(
    ("pairs", "vocabulary"), [(1, 500), (200, 800), (3_750, 2000), (240_000, 8000), (10**9, 32_000)]
)
def test_the_vocabulary_grows_with_the_cube_root_of_the_pairs(pairs, vocabulary):
    assert config(pairs).tokenizer.vocab_size == vocabulary


def test_a_vocabulary_holds_the_alphabet_of_a_small_corpus():
    assert config(300, sides=EVERYDAY).tokenizer.vocab_size > len(CHINESE) + 260


@given(
    pairs=st.integers(0, 10**9),
    minutes=st.floats(0.1, 10**5),
    factor=st.floats(1, 100),
    gflops=st.floats(1, 10**6),
    device=st.sampled_from(["cpu", "cuda", "mps"]),
    sides=st.sampled_from([CAPTIONS, EVERYDAY, (Side(0.0, "", frozenset()),) * 2]),
)
def test_every_choice_is_valid_and_more_time_never_gives_a_smaller_model(pairs, minutes, factor, gflops, device, sides):
    machine = Machine(device, 4, gflops)
    less, more = (
        config(pairs, f"training.minutes={time}", machine=machine, sides=sides) for time in (minutes, minutes * factor)
    )
    assert width(less) <= width(more)
    assert less.training.warmup_steps <= more.training.warmup_steps or width(less) < width(more)
    assert less.model.dropout <= more.model.dropout or width(less) < width(more)
    assert less.training.minutes == minutes


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["model.d_model=256"], {"training.batch_tokens": 2048, "training.learning_rate": 0.0015, "model.d_ff": 1024}),
        (["model.d_model=512"], {"training.batch_tokens": 4096, "model.heads": 8, "model.encoder_layers": 6}),
        (["model.d_model=96"], {"training.batch_tokens": 1024, "model.d_ff": 384, "model.heads": 4}),
        (["model.d_model=50"], {"model.heads": 2}),
        (["model.d_model=4000"], {"training.learning_rate": 0.0005, "model.heads": 16}),
        (["model.heads=3"], {"model.d_model": 132}),
        (["tokenizer.joint=false"], {"model.tie": "two-way", "training.learning_rate": 0.006}),
        (["training.schedule=inverse_sqrt"], {"training.learning_rate": 0.006}),
        (["training.steps=10"], {"training.warmup_steps": 5, "training.validations": 1}),
    ],
    ids=lambda value: str(value),
)
def test_the_rest_is_chosen_around_what_is_set(settings, expected):
    found = recipe(29_000, *settings).settings
    assert {key: found[key] for key in expected} == expected
    assert not {setting.partition("=")[0] for setting in settings} & set(found)
    config(29_000, *settings)


def test_three_way_tying_that_is_set_makes_the_vocabulary_joint():
    assert config(22_000, "model.tie=three-way", sides=EVERYDAY).tokenizer.joint


def test_the_paper_s_schedule_has_its_own_peak():
    assert config(29_000, "training.schedule=paper").training.learning_rate is None


def test_a_budget_is_chosen_only_where_none_is_set_and_none_is_named():
    assert config(29_000).training.minutes == 15
    assert config(29_000, "training.steps=7").training.minutes is None
    assert not config(29_000, "training.minutes=null").training.has_budget


def test_a_trained_model_is_tuned_gently():
    assert config(29_000, "training.start_from=x").training.learning_rate == pytest.approx(0.0012)


def test_every_topic_has_its_reason_and_what_is_set_has_none():
    lines = recipe(29_000, "training.minutes=15").reasons
    for word in ("29,000 pairs", "model.d_model=128", "vocab_size=4000", "dropout=", "learning_rate=0.006"):
        assert any(word in line for line in lines), word
    assert not any("budget is set" in line for line in lines)
    assert any("the largest that budget and corpus are enough for" in line for line in lines)
    assert any("the smallest there is" in line for line in recipe(300, "training.minutes=1").reasons)
    assert any("to go with what is set" in line for line in recipe(29_000, "model.d_model=256").reasons)
    lines = recipe(29_000, "model.dropout=0.2").reasons
    assert any("training.minutes=15" in line and "no budget is set" in line for line in lines)
    assert not any("dropout" in line for line in lines)


def test_a_budget_that_sees_little_of_the_corpus_is_told():
    assert "will translate better" in recipe(20_000_000, "training.minutes=15").reasons[-1]
    assert "will translate better" not in recipe(29_000, "training.minutes=15").reasons[-1]


def test_one_of_anything_is_told_in_the_singular():
    machine = Machine("cpu", 1, 345.0)
    said = "\n".join(recipe(1, "training.minutes=1", machine=machine).reasons)
    assert "choosing for 1 pair of" in said
    assert ", 1 minute, cpu with 1 thread at" in said
    assert "for about 1 minute of training" in said
    said += "\n".join(recipe(1, "training.steps=1").reasons) + "\n".join(recipe(1, "training.epochs=1").reasons)
    assert "about 1 update" in said
    assert "about 1 pass over" in said
    assert not re.search(r"\b1 (pairs|minutes|threads|steps|epochs|passes|updates)", said)
