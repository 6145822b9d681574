"""From the configuration to what all sides are to do: the same batches, shape and settings."""

import argparse
from pathlib import Path

import numpy as np

from ferryman.config import Config, ModelConfig
from ferryman.data.batch import Batch, Symbols
from ferryman.data.sampler import BatchSampler, Position
from ferryman.engines.devices import choose_device, choose_precision, set_threads
from ferryman.errors import ConfigError
from peers.protocol import EOS, FIRST_WORD, PAD, START, Task, write_batches

LEARNING_RATE = 1e-4
COMMON = {"activation": "relu", "tie": "three-way", "positions": "sinusoidal", "output_bias": False}
"""What the peers' models are; a preset that is something else cannot be compared."""


def make_batches(vocab: int, tokens: int, count: int) -> list[Batch]:
    """Draw batches of random tokens with sentence-like lengths, in length buckets as in training."""
    generator = np.random.default_rng(1)
    pairs = max(200, count) * tokens // 15
    lengths = np.clip(generator.lognormal(2.6, 0.35, pairs), 3, 60).astype(np.int32)
    other = np.clip(lengths * generator.normal(1.0, 0.15, pairs), 3, 60).astype(np.int32)
    sampler = BatchSampler(lengths + 1, other + 1, batch_tokens=tokens, seed=1)
    symbols = Symbols(pad=PAD, start=START, eos=EOS)
    batches = []
    for indices, _ in sampler.batches(Position()):
        source, target = (
            [generator.integers(FIRST_WORD, vocab, size) for size in side[indices]] for side in (lengths, other)
        )
        batches.append(Batch.collate(source, target, symbols))
        if len(batches) == count:
            break
    return batches


def check_shape(model: ModelConfig) -> None:
    """Refuse what the peers cannot build.

    Raises:
        ConfigError: the preset is of another kind.

    """
    for key, value in COMMON.items():
        if getattr(model, key) != value:
            raise ConfigError(
                f"model.{key}: the peers have {value}, not {getattr(model, key)}; add model.{key}={value}"
            )


def make_task(config: Config, arguments: argparse.Namespace, folder: Path) -> Task:
    """Write the batches and describe what every side is to do."""
    check_shape(config.model)
    device = choose_device(config.training.device)
    precision = choose_precision(config.training.precision, device)
    path = folder / "batches.npz"
    vocab = config.tokenizer.vocab_size
    batches = make_batches(vocab, arguments.batch_tokens, arguments.steps)
    write_batches(path, [(batch.source, batch.target_in, batch.target_out) for batch in batches])
    shape = ("d_model", "d_ff", "heads", "encoder_layers", "decoder_layers")
    rates = ("dropout", "attention_dropout", "feed_forward_dropout")
    return Task(
        batches=str(path),
        preset=arguments.preset,
        settings=arguments.settings,
        vocab=vocab,
        **{name: getattr(config.model, name) for name in (*shape, *rates)},
        norm_first=config.model.norm_order == "pre",
        label_smoothing=config.training.label_smoothing,
        learning_rate=LEARNING_RATE,
        betas=list(config.training.betas),
        clip_norm=config.training.clip_norm,
        device=str(device),
        precision=str(precision).removeprefix("torch."),
        threads=set_threads(arguments.threads),
    )
