"""What a trainer works with, put together as the configuration says: the model, the order of batches, their reader."""

import numpy as np
import torch

from ferryman.config import Config
from ferryman.data.loader import Loader
from ferryman.data.sampler import BatchSampler
from ferryman.data.subwords import SubwordDropout
from ferryman.model.transformer import Transformer
from ferryman.training.distributed import Workers
from ferryman.training.freezing import freeze
from ferryman.workflows.fine_tuning import load_start
from ferryman.workflows.prepare import Prepared


def build_model(prepared: Prepared, config: Config, workers: Workers, *, started: bool) -> Transformer:
    """Build the model, the same for all workers: new, or as ``training.start_from`` has it unless it has ``started``.

    Raises:
        CheckpointError: the model to start from is another shape.

    """
    training, tokenizers = config.training, prepared.tokenizers
    torch.manual_seed(training.seed)
    model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model)
    if training.start_from and not started and workers.leads:
        load_start(model, training.start_from)
    workers.broadcast(model.parameters())
    freeze(model, training.freeze)
    return model


def build_sampler(prepared: Prepared, config: Config) -> BatchSampler:
    """Build what puts pairs into batches, in an order of its own each epoch."""
    return BatchSampler(
        prepared.store.lengths("source") + 1,
        prepared.store.lengths("target") + 1,
        batch_tokens=config.training.batch_tokens,
        seed=config.training.seed,
        weights=prepared.weights(config.data),
    )


def build_loader(prepared: Prepared, config: Config) -> Loader:
    """Build what reads the pairs of a batch, with ``training.subword_dropout``."""
    training, source = config.training, prepared.tokenizers.source
    dropout = None
    if training.subword_dropout:
        dropout = SubwordDropout(np.array(source.parts()), training.subword_dropout, config.data.max_tokens)
    symbols = prepared.tokenizers.symbols(config.model.start_symbol, source_end=config.model.source_end)
    return Loader(prepared.store, symbols, training.seed, dropout)
