"""The table of sizes that a model is chosen from, and what each of them can do with a corpus, a machine and a budget.

Every constant of choosing stands here or at the top of ``recipe``; docs/decisions/0006 says where they come from.
"""

import math
from dataclasses import dataclass

from ferryman.config import ModelConfig
from ferryman.corpus.survey import Side, Survey
from ferryman.model.cost import matrix_weights, training_operations


@dataclass(frozen=True)
class Size:
    """A shape (d_ff is four times d_model) and what it is trained well with."""

    d_model: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    batch_tokens: int  # on a CPU: small, for many updates in little time
    gpu_batch_tokens: int  # on a GPU: large, to fill it
    learning_rate: float  # peak, with one vocabulary for both languages
    most_warmup: int  # steps
    optimizer: str
    efficiency: float  # share of the CPU's speed at matrix products that training reaches


SIZES = (
    # Measured: the recipe of docs/decisions/0003.
    Size(128, 4, 3, 2, 1_024, 4_096, 6e-3, 200, "muon", 0.33),
    # Speed measured; a deep encoder costs little in translating.
    Size(256, 4, 3, 3, 2_048, 8_192, 1.5e-3, 4000, "adamw", 0.50),
    Size(256, 4, 6, 3, 2_048, 8_192, 1.5e-3, 4000, "adamw", 0.50),
    # The paper's base model: its batch, eq. 3's peak; speed measured.
    Size(512, 8, 6, 6, 4_096, 25_000, 7e-4, 4000, "adamw", 0.62),
    # The paper's big model, likewise; on a CPU only if asked for.
    Size(1024, 16, 6, 6, 4_096, 25_000, 5e-4, 4000, "adamw", 0.65),
)
WIDEST_ON_CPU = 512

TOKENS_A_PARAMETER = 4  # target tokens that training must see, at least: below, a smaller model is the better one
PARAMETERS_A_TOKEN = 8  # parameters for each target token of the corpus, at most: above, it learns the corpus by heart
LONGEST_SECONDS = 8 * 3600  # where no time is given: a larger model that takes longer than a night is not chosen

FILL = 0.9  # share of a batch's places that hold tokens of its longer side
TRAINING_SHARE = 0.9  # of a time budget; the rest is for starting, validating and saving
PREPARED_PAIRS_A_SECOND = 9_000  # measured, on two cores
GPU_EFFICIENCY = 0.3  # unmeasured: of a GPU's speed at matrix products, in large batches
GPU_SECONDS_A_LAYER = 0.0025  # unmeasured: below this a GPU waits for Python


@dataclass(frozen=True)
class Machine:
    """What there is to train on."""

    device: str  # cpu, cuda or mps
    threads: int
    gflops: float  # measured speed at matrix products, in 10^9 operations a second, in the arithmetic of training


@dataclass(frozen=True)
class Corpus:
    """A survey in the tokens of a vocabulary."""

    survey: Survey
    vocabulary: int

    @property
    def source_tokens(self) -> float:
        """Estimate the tokens of a source text, its end symbol included."""
        return self._tokens(self.survey.source)

    @property
    def target_tokens(self) -> float:
        """Estimate the tokens of a target text, its end symbol included."""
        return self._tokens(self.survey.target)

    @property
    def tokens(self) -> float:
        """Estimate the target tokens of all the corpus."""
        return max(1.0, self.survey.pairs * self.target_tokens)

    def _tokens(self, side: Side) -> float:
        return 1 + side.characters / characters_a_token(side.script, self.vocabulary)


DENSE = {"CJK": 0.4, "HANGUL": 0.5}  # scripts whose characters say more: their pieces are shorter by this factor


def characters_a_token(script: str, vocabulary: int) -> float:
    """Estimate how long a piece is; fitted to 1,000 to 8,000 pieces of four corpora, where it is within 15 %."""
    return max(1.0, (2.6 + 0.6 * math.log2(vocabulary / 1000)) * DENSE.get(script, 1.0))


@dataclass(frozen=True)
class Budget:
    """What ends training; of several the first to run out does. At least one is given."""

    minutes: float | None = None
    steps: int | None = None
    epochs: float | None = None


@dataclass(frozen=True)
class Task:
    """What a model is chosen for."""

    corpus: Corpus
    machine: Machine
    budget: Budget


@dataclass(frozen=True)
class Work:
    """What training a model of one size comes to, by estimate."""

    task: Task
    size: Size
    shape: ModelConfig
    batch_tokens: int
    accumulate: int

    @property
    def parameters(self) -> int:
        """Count the weights."""
        return matrix_weights(self.shape, self.task.corpus.vocabulary, self.task.corpus.vocabulary)

    @property
    def tokens_a_batch(self) -> float:
        """Estimate the target tokens of a batch, which is as full as its longer side."""
        corpus = self.task.corpus
        return FILL * self.batch_tokens * min(1.0, corpus.target_tokens / corpus.source_tokens)

    @property
    def tokens_a_second(self) -> float:
        """Estimate the target tokens trained on in a second."""
        corpus, machine = self.task.corpus, self.task.machine
        operations = training_operations(self.shape, corpus.vocabulary, corpus.source_tokens / corpus.target_tokens)
        speed = machine.gflops * 1e9
        if machine.device == "cpu":
            return speed * self.size.efficiency / operations
        layers = self.shape.encoder_layers + self.shape.decoder_layers
        seconds = max(self.tokens_a_batch * operations / (speed * GPU_EFFICIENCY), layers * GPU_SECONDS_A_LAYER)
        return self.tokens_a_batch / seconds

    @property
    def tokens(self) -> float:
        """Estimate the target tokens that the budget lets it see."""
        corpus, budget, seen = self.task.corpus, self.task.budget, []
        if budget.minutes:
            preparing = corpus.survey.pairs / PREPARED_PAIRS_A_SECOND
            whole = budget.minutes * 60 * TRAINING_SHARE
            seen.append(self.tokens_a_second * max(0.1 * whole, whole - preparing))
        if budget.steps:
            seen.append(budget.steps * self.accumulate * self.tokens_a_batch)
        if budget.epochs:
            seen.append(budget.epochs * corpus.tokens)
        return min(seen)

    @property
    def epochs(self) -> float:
        """Estimate the passes over the corpus."""
        return self.tokens / self.task.corpus.tokens

    @property
    def updates(self) -> float:
        """Estimate the optimiser steps."""
        return self.tokens / (self.tokens_a_batch * self.accumulate)

    @property
    def seconds(self) -> float:
        """Estimate how long it trains."""
        return self.tokens / self.tokens_a_second

    @property
    def is_well_fed(self) -> bool:
        """Whether budget and corpus are enough for so many parameters, and a night is enough for the budget."""
        return (
            self.tokens >= TOKENS_A_PARAMETER * self.parameters
            and self.task.corpus.tokens * PARAMETERS_A_TOKEN >= self.parameters
            and (self.task.budget.minutes is not None or self.seconds <= LONGEST_SECONDS)
        )
