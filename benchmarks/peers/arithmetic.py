"""How much arithmetic a training step is, and how much the machine can do."""

import time
from collections.abc import Sequence

import torch

from ferryman.config import ModelConfig

SIZES = {"cpu": (512, 1024, 2048), "cuda": (4096, 8192, 16384)}
"""Square matrices to multiply; which are fastest differs from machine to machine."""
REPEATS = 2
MATRICES = {"relu": 2, "silu": 2, "gelu": 2, "swiglu": 3}


def training_flop(config: ModelConfig, vocab: int, lengths: Sequence[tuple[int, int]]) -> float:
    """Count the floating-point operations in the matrix products of one step, forward and backward.

    For a pair of ``s`` source and ``t`` target tokens (end symbol counted, padding not), with d = d_model and
    f = matrices · d_ff (two matrices in the feed-forward layer), multiplications of the forward pass are

        encoder layer    s (4 d² + f d) + 2 s² d
        decoder layer    t (6 d² + f d) + s · 2 d² + t (t + 1) d + 2 s t d
        output           t · d · vocab

    where 4 d² are queries, keys, values and output of self-attention; 6 d² those and queries and output of attention to
    the memory, whose keys and values are 2 d² a source token; n² d twice the attention weights and what they weigh, and
    a target position sees only itself and what precedes it. Each multiplication comes with an addition (× 2), and the
    backward pass takes two products for each of the forward's (× 3). Embedding, norms, softmax, dropout and the
    optimiser are not counted, nor is arithmetic on padding, or any that a side does beyond this.
    """
    d = config.d_model
    feed_forward = MATRICES[config.activation] * d * config.d_ff
    total = 0
    for s, t in lengths:
        encoder = s * (4 * d * d + feed_forward) + 2 * s * s * d
        decoder = t * (6 * d * d + feed_forward) + s * 2 * d * d + t * (t + 1) * d + 2 * s * t * d
        total += config.encoder_layers * encoder + config.decoder_layers * decoder + t * d * vocab
    return 6.0 * total


def matmul_rate(device: torch.device, precision: torch.dtype) -> float:
    """Measure the fastest product of two square matrices, in floating-point operations a second."""
    best = 0.0
    for size in SIZES["cpu" if device.type == "cpu" else "cuda"]:
        left, right = (torch.rand(size, size, device=device, dtype=precision) for _ in range(2))
        for _ in range(REPEATS):
            start = time.perf_counter()
            torch.mm(left, right)
            if device.type == "cuda":
                torch.cuda.synchronize()
            best = max(best, 2 * size**3 / (time.perf_counter() - start))
    return best
