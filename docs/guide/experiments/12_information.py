"""Chapter 12: attention as information: entropy, alignment, a bottleneck; and what attention does not explain."""

import random

import torch
from torch import Tensor, nn

from ferryman.evaluation.alignment import alignment_error_rate
from ferryman.model.layers import Encoder
from ferryman.model.transformer import Transformer
from ferryman.translator.alignment import Side, align
from lab.figures import panels, save
from lab.tasks import pairs, tiny_model
from lab.training import exact, train
from lab.translator import phrasebook, tokenizers, translator

LENGTHS = range(2, 11)


def run(short: bool) -> dict[str, float]:
    """Measure; draw alignment error by head and accuracy by length with a bottleneck."""
    raise NotImplementedError
