"""How much arithmetic a translation is, how much memory it reads, and how fast the machine does either."""

import time
from collections.abc import Sequence

import torch

from ferryman.config import ModelConfig
from ferryman.model.cost import layer_weights
from peers.arithmetic import matmul_rate

READ_BYTES, REPEATS = 1 << 28, 5
PEAK = {"cpu": torch.float32, "cuda": torch.bfloat16}
"""What a machine's fastest matrix product is measured in."""
WEIGHT_BYTES = {"float32": 4, "int8": 1, "bfloat16": 2}


def decoding_flop(config: ModelConfig, vocab: int, lengths: Sequence[tuple[int, int]], beam: int) -> float:
    """Count the floating-point operations in the matrix products of a search with cached keys and values.

    For ``s`` source and ``t`` target tokens (end symbols counted, padding not), with d = d_model and f = the weights
    of a feed-forward layer, multiplications are

        encoder layer    s (4 d² + f) + 2 s² d
        decoder layer    s · 2 d² + beam (t (6 d² + f) + t (t + 1) d + 2 s t d)
        output           beam · t · d · vocab

    each with an addition (× 2). Steps that a search takes after the best translation's end are not counted.
    """
    d = config.d_model
    encoder_weights, decoder_weights = layer_weights(config)
    total = 0
    for s, t in lengths:
        encoder = s * encoder_weights + 2 * s * s * d
        decoder = s * 2 * d * d + beam * (t * (decoder_weights - 2 * d * d) + t * (t + 1) * d + 2 * s * t * d)
        total += config.encoder_layers * encoder + config.decoder_layers * decoder + beam * t * d * vocab
    return 2.0 * total


def weights_read(config: ModelConfig, vocab: int, lengths: Sequence[tuple[int, int]], compute: str) -> float:
    """Count the bytes of weights that are read when sentences are translated one by one.

    The encoder's are read once a sentence, the decoder's and the table of the output once a token. Biases, norms,
    caches and activations are left out: a few hundredths.
    """
    encoder, decoder = layer_weights(config)
    memory = 2 * config.d_model**2  # of a decoder layer, read once a sentence
    once = config.encoder_layers * encoder + config.decoder_layers * memory
    each = config.decoder_layers * (decoder - memory) + vocab * config.d_model
    return float(WEIGHT_BYTES[compute] * sum(once + target * each for _, target in lengths))


class Limits:
    """The best that the machine has shown, by threads: floating-point operations and bytes read, a second."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.found: dict[int, tuple[float, float]] = {}

    def measure(self, threads: int) -> tuple[float, float]:
        """Try again, for a machine may be busy at times, and return the best so far."""
        torch.set_num_threads(threads)
        before = self.found.get(threads, (0.0, 0.0))
        now = (matmul_rate(self.device, PEAK[self.device.type]), read_rate(self.device))
        self.found[threads] = (max(before[0], now[0]), max(before[1], now[1]))
        return self.found[threads]


def read_rate(device: torch.device) -> float:
    """Measure how many bytes a second are read from memory, by the product of a large matrix and a vector."""
    side = int((READ_BYTES // 4) ** 0.5)
    matrix, vector = torch.rand(side, side, device=device), torch.rand(side, device=device)
    best = 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        torch.mv(matrix, vector)
        if device.type == "cuda":
            torch.cuda.synchronize()
        best = max(best, 4 * side * side / (time.perf_counter() - start))
    return best
