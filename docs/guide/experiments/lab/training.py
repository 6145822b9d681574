"""Training and testing in a few lines, with the package's own batches, loss, optimiser and search."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import torch

from ferryman.config import TrainingConfig
from ferryman.data.batch import Batch, Symbols, pad_rows
from ferryman.data.sampler import BatchSampler, Position
from ferryman.decoding.greedy import greedy_search
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.model.transformer import Transformer
from ferryman.training.schedule import learning_rate
from ferryman.training.update import Updater, batch_loss
from lab.tasks import SYMBOLS, Pair

RECIPE = {"batch_tokens": 512, "schedule": "linear", "learning_rate": 4e-3, "warmup_steps": 50, "label_smoothing": 0.0}


def train(
    model: Transformer, pairs: Sequence[Pair], steps: int, *, symbols: Symbols = SYMBOLS, **changes: object
) -> list[float]:
    """Train for so many steps; return the loss of each, in nats a target token. Keywords change the recipe."""
    config = TrainingConfig.model_validate({**RECIPE, "steps": steps, **changes})
    torch.manual_seed(config.seed)
    updater = Updater(model, config, torch.device("cpu"), torch.float32)
    lengths = (np.array([len(pair[side]) + 1 for pair in pairs]) for side in (0, 1))
    sampler = BatchSampler(*lengths, batch_tokens=config.batch_tokens, seed=config.seed)
    losses = []
    for step, (indices, _) in enumerate(islice(sampler.batches(Position()), steps), start=1):
        batch = collate([pairs[index] for index in indices.tolist()], symbols)
        rate = learning_rate(config, model.config.d_model, step, (step - 1) / steps)
        losses.append(updater.update([batch], rate).nll / batch.target_tokens)
    model.eval()
    return losses


def collate(pairs: Sequence[Pair], symbols: Symbols = SYMBOLS) -> Batch:
    """Put pairs into one batch."""
    return Batch.collate([source for source, _ in pairs], [target for _, target in pairs], symbols)


@torch.inference_mode()
def loss(model: Transformer, pairs: Sequence[Pair], symbols: Symbols = SYMBOLS) -> float:
    """Compute the mean loss on pairs, in nats a target token (teacher forcing)."""
    batch = collate(pairs, symbols)
    return batch_loss(model.eval(), batch, 0.0)[1].item() / batch.target_tokens


def answers(model: Transformer, sources: Sequence[Sequence[int]], symbols: Symbols = SYMBOLS) -> list[list[int]]:
    """Let the model answer each source by greedy search; the end symbol is left out."""
    source, real = pad_rows(sources, pad=symbols.pad, last=symbols.eos)
    found = greedy_search(
        TorchStepper(model.eval(), source, real),
        max_lengths=torch.tensor([2 * len(one) + 10 for one in sources]),
        bos=symbols.start,
        eos=symbols.eos,
    )
    return [[token for token in one.tokens if token != symbols.eos] for one in found]


def exact(model: Transformer, pairs: Sequence[Pair], symbols: Symbols = SYMBOLS) -> float:
    """Tell how many of a hundred sources are answered without any mistake."""
    said = answers(model, [source for source, _ in pairs], symbols)
    return 100 * sum(one == target for one, (_, target) in zip(said, pairs, strict=True)) / len(pairs)
