"""Which search the configuration asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols
from ferryman.decoding import (
    BeamStep,
    Diversity,
    Hypothesis,
    Phrases,
    Rule,
    Sharpening,
    Stepper,
    beam_search,
    chances,
    diverse_beam_search,
    greedy_search,
    sample_search,
)


@dataclass(frozen=True)
class Task:
    """A batch to search for: all but the model."""

    rows: Sequence[Sequence[int]]
    max_lengths: Tensor  # (batch,)
    symbols: Symbols
    rules: Sequence[Rule] = ()
    phrases: Phrases | None = None
    observe: Callable[[BeamStep], None] | None = None


def search_batch(stepper: Stepper, task: Task, decoding: DecodingConfig) -> list[list[Hypothesis]]:
    """Sample, or search with a beam, in groups or not; with a beam of 1, greedily unless more is asked for."""
    common: dict[str, Any] = {
        "max_lengths": task.max_lengths,
        "bos": task.symbols.start,
        "eos": task.symbols.eos,
        "length_penalty": decoding.length_penalty,
        "rules": task.rules,
    }
    if decoding.sampling:
        return sample_search(
            stepper,
            chance=_chance(task, decoding),
            sharpening=Sharpening(decoding.temperature, decoding.top_k, decoding.top_p),
            **common,
        )
    if decoding.beam_groups > 1:
        diversity = Diversity(decoding.beam_groups, decoding.diversity_penalty)
        return diverse_beam_search(stepper, beam=decoding.beam, diversity=diversity, **common)
    if decoding.beam == 1 and task.phrases is None and task.observe is None:
        return [[hypothesis] for hypothesis in greedy_search(stepper, **common)]
    return beam_search(
        stepper,
        beam=decoding.beam,
        n_best=decoding.beam if decoding.coverage_penalty or task.phrases else decoding.n_best,  # chosen from later
        phrases=task.phrases,
        observe=task.observe,
        **common,
    )


def _chance(task: Task, decoding: DecodingConfig) -> Tensor:
    limits = task.max_lengths.tolist()
    chance = torch.zeros(len(limits), decoding.samples, max(limits, default=0), dtype=torch.float64)
    for place, (row, limit) in enumerate(zip(task.rows, limits, strict=True)):
        chance[place, :, :limit] = chances(decoding.seed, row, decoding.samples, limit)
    return chance.to(task.max_lengths.device)
