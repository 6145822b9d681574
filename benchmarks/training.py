"""Training throughput: ours beside a plain ``torch.nn.Transformer`` loop, on the same batches, in the same run.

    python benchmarks/training.py --preset tiny --json

The peer is what one writes with PyTorch's own parts: ``nn.Transformer`` of the same shape, tied embeddings, sinusoids,
``CrossEntropyLoss`` with label smoothing, fused Adam. Both see the same batches of random tokens whose lengths follow
those of everyday sentences; the two take turns, so that a machine whose speed drifts is fair to both.
"""

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.data.batch import Batch, Symbols
from ferryman.data.sampler import BatchSampler, Position
from ferryman.engines.devices import choose_device, choose_precision, keep_memory, set_threads
from ferryman.model.positions import sinusoids
from ferryman.model.transformer import Transformer
from ferryman.training.update import Updater

SYMBOLS = Symbols(pad=0, start=2, eos=3)
FIRST_WORD = 4
LEARNING_RATE = 1e-4


class PlainTransformer(nn.Module):
    """The peer: PyTorch's own Transformer, embeddings and loss."""

    def __init__(self, config: Config, vocab: int) -> None:
        super().__init__()
        shape = config.model
        self.embedding = nn.Embedding(vocab, shape.d_model)
        self.transformer = nn.Transformer(
            shape.d_model,
            shape.heads,
            shape.encoder_layers,
            shape.decoder_layers,
            shape.d_ff,
            dropout=shape.dropout,
            activation="relu",
            batch_first=True,
            norm_first=shape.norm_order == "pre",
        )
        self.dropout = nn.Dropout(shape.dropout)
        self.loss = nn.CrossEntropyLoss(
            label_smoothing=config.training.label_smoothing, ignore_index=SYMBOLS.pad, reduction="sum"
        )

    def embed(self, tokens: Tensor) -> Tensor:
        """Embed tokens and add their positions."""
        d_model = self.embedding.embedding_dim
        positions = sinusoids(1024, d_model)[: tokens.size(1)].to(tokens.device)
        return self.dropout(self.embedding(tokens) * math.sqrt(d_model) + positions)

    def forward(self, batch: Batch) -> Tensor:
        """Compute the summed loss."""
        padding = batch.source == SYMBOLS.pad
        hidden = self.transformer(
            self.embed(batch.source),
            self.embed(batch.target_in),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(batch.target_in.size(1), device=padding.device),
            src_key_padding_mask=padding.float().masked_fill(padding, -math.inf),
            memory_key_padding_mask=padding.float().masked_fill(padding, -math.inf),
            tgt_is_causal=True,
        )
        logits = hidden @ self.embedding.weight.T
        return self.loss(logits.flatten(0, 1), batch.target_out.flatten())


@dataclass
class Contender:
    """One side of the comparison: a step, and the time and tokens it has used."""

    step: Callable[[Batch], None]
    seconds: float = 0.0
    tokens: int = 0

    def run(self, batches: list[Batch], device: torch.device) -> None:
        """Take a turn."""
        start = time.perf_counter()
        for batch in batches:
            self.step(batch)
        if device.type == "cuda":
            torch.cuda.synchronize()
        self.seconds += time.perf_counter() - start
        self.tokens += sum(batch.target_tokens for batch in batches)


def make_batches(config: Config, vocab: int, tokens: int, count: int) -> list[Batch]:
    """Draw batches of random tokens with sentence-like lengths, in length buckets as in training."""
    generator = np.random.default_rng(1)
    pairs = 200 * tokens // 15
    lengths = np.clip(generator.lognormal(2.6, 0.35, pairs), 3, 60).astype(np.int32)
    other = np.clip(lengths * generator.normal(1.0, 0.15, pairs), 3, 60).astype(np.int32)
    sampler = BatchSampler(lengths + 1, other + 1, batch_tokens=tokens, seed=1)
    batches = []
    for indices, _ in sampler.batches(Position()):
        source, target = (
            [generator.integers(FIRST_WORD, vocab, size) for size in side[indices]] for side in (lengths, other)
        )
        batches.append(Batch.collate(source, target, SYMBOLS))
        if len(batches) == count:
            break
    return batches


def ours(config: Config, vocab: int, device: torch.device, precision: torch.dtype) -> Contender:
    """Set up Ferryman's own update."""
    updater = Updater(Transformer(vocab, vocab, config.model).to(device), config.training, device, precision)
    return Contender(lambda batch: void(updater.update([batch], LEARNING_RATE)))


def plain(config: Config, vocab: int, device: torch.device, precision: torch.dtype) -> Contender:
    """Set up the peer's loop."""
    model = PlainTransformer(config, vocab).to(device).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=config.training.betas, fused=True)

    def step(batch: Batch) -> None:
        batch = batch.to(device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, precision, enabled=precision != torch.float32):
            loss = model(batch)
        (loss / batch.target_tokens).backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.training.clip_norm or math.inf)
        optimizer.step()

    return Contender(step)


def void(_: object) -> None:
    """Discard a result."""


def main() -> None:
    """Run both sides in turns and print their throughput and its ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=4, help="steps of each side in a round")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    config = load_config(arguments.preset)
    threads = set_threads(arguments.threads)
    keep_memory()  # for both sides
    device = choose_device(config.training.device)
    precision = choose_precision(config.training.precision, device)
    torch.manual_seed(1)
    vocab = config.tokenizer.vocab_size
    batches = make_batches(config, vocab, arguments.batch_tokens, arguments.steps)
    sides = {
        "ferryman": ours(config, vocab, device, precision),
        "nn_transformer": plain(config, vocab, device, precision),
    }
    for side in sides.values():
        side.run(batches, device)  # warm up
        side.seconds, side.tokens = 0.0, 0
    for _ in range(arguments.rounds):
        for side in sides.values():
            side.run(batches, device)

    result = {
        "preset": arguments.preset,
        "device": str(device),
        "threads": threads,
        "precision": str(precision).removeprefix("torch."),
        "batch_tokens": arguments.batch_tokens,
        **{f"{name}_tokens_per_second": round(side.tokens / side.seconds, 1) for name, side in sides.items()},
    }
    rates = [side.tokens / side.seconds for side in sides.values()]
    result["ratio_vs_nn_transformer"] = round(rates[0] / rates[1], 3)
    if arguments.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:>32}  {value}")


if __name__ == "__main__":
    main()
