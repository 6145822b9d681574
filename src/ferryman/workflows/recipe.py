"""Choose what a user left open: size, vocabulary, dropout, batches, learning rate, schedule, validation.

A pure function from facts (the corpus, the machine, what is set) to settings and the reasons for them. What is set
stays, and the rest is chosen around it.
"""

from dataclasses import dataclass
from typing import Any

from ferryman.config import ModelConfig
from ferryman.corpus.survey import Survey
from ferryman.workflows.reasons import BUDGETS, SHAPE, Settings, reasons
from ferryman.workflows.sizes import SIZES, WIDEST_ON_CPU, Budget, Corpus, Machine, Size, Task, Work

DEFAULT_MINUTES = 15  # what shows whether a corpus can be learned at all, and a coffee break

PAIRS, VOCABULARY = 30_000, 4_000  # the measured point (docs/decisions/0003); others by the cube root of the pairs
LEAST_VOCABULARY, MOST_VOCABULARY = 500, 32_000
CONTROL_TOKENS = 260  # four control symbols and the bytes
ALPHABET_ROOM = 1.25  # tokens for each character seen: the corpus has more of them than were seen, and needs pieces too

DROPOUT, DROPOUT_AN_EPOCH = 0.07, 0.005  # 16 passes over a corpus: 0.15; 43 of them: 0.28; both measured
LEAST_DROPOUT, MOST_DROPOUT = 0.1, 0.3

WARMUP_SHARE, LEAST_WARMUP = 0.05, 20  # of the updates
TUNING_RATE = 0.2  # of the peak, when starting from a trained model: it should not forget what it knows

VALIDATIONS = 8  # at most; one a minute
VALIDATION_SHARE = 0.01  # of the time, for the translations of one validation
LEAST_SENTENCES, MOST_SENTENCES = 100, 1_000


@dataclass(frozen=True)
class Recipe:
    """What was chosen, none of it set by the user, and why, a line each."""

    settings: Settings
    reasons: tuple[str, ...]


def choose(survey: Survey, machine: Machine, given: Settings) -> Recipe:
    """Choose all that is not given.

    Args:
        survey: of the training corpus.
        machine: what trains.
        given: what the user set, and what comes with a model to start from; each value right by itself.
    """
    vocabulary, joint, tie = _vocabulary(survey, given)
    budget = _budget(given)
    work = _work(Task(Corpus(survey, vocabulary), machine, budget), {**given, "model.tie": tie})
    chosen = {
        "tokenizer.vocab_size": vocabulary,
        "tokenizer.joint": joint,
        **{f"model.{key}": getattr(work.shape, key) for key in SHAPE},
        "model.tie": tie,
        "model.norm_order": "pre",
        "model.dropout": _dropout(work.epochs),
        "training.batch_tokens": work.batch_tokens,
        **_schedule(work, given),
        **_validation(work),
    }
    if not any(f"training.{kind}" in given for kind in BUDGETS):
        chosen["training.minutes"] = budget.minutes
    chosen = {key: value for key, value in chosen.items() if key not in given}
    return Recipe(chosen, tuple(reasons(work, chosen, joint)))


def _budget(given: Settings) -> Budget:
    set_ones = {kind: given.get(f"training.{kind}") for kind in BUDGETS}
    return Budget(**set_ones) if any(set_ones.values()) else Budget(minutes=DEFAULT_MINUTES)


def _vocabulary(survey: Survey, given: Settings) -> tuple[int, bool, str]:
    """Choose the vocabulary's size, whether it is joint, and which tables are tied."""
    one_script = survey.source.script == survey.target.script
    joint = given.get("tokenizer.joint", one_script or given.get("model.tie") == "three-way")
    tie = given.get("model.tie", "three-way" if joint else "two-way")
    if "tokenizer.vocab_size" in given:
        return given["tokenizer.vocab_size"], joint, tie
    alphabets = survey.source.alphabet, survey.target.alphabet
    characters = len(alphabets[0] | alphabets[1]) if joint else max(map(len, alphabets))
    by_size = _rounded(VOCABULARY * (max(1, survey.pairs) / PAIRS) ** (1 / 3))
    by_alphabet = -(-(CONTROL_TOKENS + ALPHABET_ROOM * characters) // 100) * 100
    return int(max(LEAST_VOCABULARY, min(MOST_VOCABULARY, by_size), by_alphabet)), joint, tie


def _rounded(tokens: float) -> int:
    step = 500 if tokens >= 2000 else 100
    return round(tokens / step) * step


def _work(task: Task, given: Settings) -> Work:
    """Choose the largest size that budget and corpus feed well, else the smallest; of a width that is set, of that."""
    gpu = task.machine.device != "cpu"
    wide = given.get("model.d_model")
    if wide is None:
        sizes = [size for size in SIZES if gpu or size.d_model <= WIDEST_ON_CPU]
    else:
        width = next((size.d_model for size in SIZES if size.d_model >= wide), SIZES[-1].d_model)
        sizes = [size for size in SIZES if size.d_model == width]
    works = [
        Work(
            task,
            size,
            _shape(size, given),
            given.get("training.batch_tokens", size.gpu_batch_tokens if gpu else size.batch_tokens),
            given.get("training.accumulate", 1),
        )
        for size in sizes
    ]
    return next((work for work in reversed(works) if work.is_well_fed), works[0])


def _shape(size: Size, given: Settings) -> ModelConfig:
    """Take a size's shape, with what is set in it; heads must divide the width, and sinusoids need it even."""
    heads, width = given.get("model.heads"), given.get("model.d_model")
    if width is None:
        step = 2 * heads if heads else 1
        width = -(-size.d_model // step) * step
    if heads is None:
        heads = next(count for count in range(size.heads, 0, -1) if width % count == 0)
    values = {
        "d_ff": 4 * width,
        "encoder_layers": size.encoder_layers,
        "decoder_layers": size.decoder_layers,
        **{key.removeprefix("model."): value for key, value in given.items() if key.startswith("model.")},
        "d_model": width,
        "heads": heads,
    }
    return ModelConfig.model_construct(**values)  # unchecked: whether all goes together is checked of the whole


def _dropout(epochs: float) -> float:
    return round(min(MOST_DROPOUT, max(LEAST_DROPOUT, DROPOUT + DROPOUT_AN_EPOCH * epochs)), 2)


def _schedule(work: Work, given: Settings) -> dict[str, Any]:
    least = min(LEAST_WARMUP, max(1, int(work.updates / 2)))
    warmup = min(work.size.most_warmup, max(least, round(WARMUP_SHARE * work.updates)))
    chosen: dict[str, Any] = {"training.schedule": "linear", "training.warmup_steps": warmup}
    if not given.get("training.shard"):  # which Muon cannot work with
        chosen["training.optimizer"] = work.size.optimizer
    if given.get("training.schedule") != "paper":  # which has its own peak
        rate = work.size.learning_rate * (TUNING_RATE if given.get("training.start_from") else 1.0)
        chosen["training.learning_rate"] = float(f"{rate:.2g}")
    return chosen


def _validation(work: Work) -> dict[str, int]:
    count = max(1, min(VALIDATIONS, round(work.seconds / 60)))
    sentences = VALIDATION_SHARE * work.tokens / work.task.corpus.target_tokens  # translating takes as long as training
    return {
        "training.validations": count,
        "training.validation_sentences": int(max(LEAST_SENTENCES, min(MOST_SENTENCES, round(sentences, -2)))),
    }
