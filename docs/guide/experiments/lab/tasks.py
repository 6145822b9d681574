"""Tasks without text that a tiny model learns in seconds: say a sequence of symbols back to front, or as it is."""

import random
from collections.abc import Callable, Sequence

import torch

from ferryman.config import ModelConfig
from ferryman.data.batch import Symbols
from ferryman.model.transformer import Transformer

Pair = tuple[list[int], list[int]]
SYMBOLS = Symbols(pad=0, start=2, eos=3)
FIRST, VOCAB = 4, 24  # twenty symbols after the control symbols
TINY = {"d_model": 64, "d_ff": 128, "heads": 4, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}


def backwards(source: list[int]) -> list[int]:
    """Answer with the sequence from its end to its beginning."""
    return source[::-1]


def as_it_is(source: list[int]) -> list[int]:
    """Answer with the sequence itself."""
    return list(source)


def pairs(
    count: int, lengths: Sequence[int], *, seed: int, answer: Callable[[list[int]], list[int]] = backwards
) -> list[Pair]:
    """Draw sequences, each with the answer to it.

    Args:
        count: how many.
        lengths: in symbols; one of them is drawn for each.
        seed: the same seed draws the same pairs.
        answer: what is to be said to a sequence.
    """
    chance = random.Random(seed)
    drawn = [[chance.randrange(FIRST, VOCAB) for _ in range(chance.choice(lengths))] for _ in range(count)]
    return [(source, answer(source)) for source in drawn]


def tiny_model(seed: int = 0, **changes: object) -> Transformer:
    """Build a tiny Transformer for these tasks; keywords change its ``ModelConfig``."""
    generator = torch.Generator().manual_seed(seed)
    return Transformer(VOCAB, VOCAB, ModelConfig.model_validate({**TINY, **changes}), generator)
