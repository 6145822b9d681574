"""One optimiser step: forward, loss, backward, clip, Adam; and what to do when it fails."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn

from ferryman.config import TrainingConfig
from ferryman.data.batch import Batch
from ferryman.errors import TrainingError
from ferryman.model.transformer import Transformer
from ferryman.training.loss import chunked_loss
from ferryman.training.optimizer import build_optimizer


@dataclass(frozen=True)
class Update:
    """What one step did. Sums are over real target tokens, in nats."""

    loss: float
    nll: float
    target_tokens: int
    gradient_norm: float
    splits: int = 0  # how often the batches were halved because memory ran out
    bad_tensor: str | None = None  # first parameter whose gradient was not finite: the step was skipped

    @property
    def skipped(self) -> bool:
        """Whether the weights were left as they were."""
        return self.bad_tensor is not None


class Updater:
    """Owns the model and its optimiser during training."""

    def __init__(
        self, model: Transformer, config: TrainingConfig, device: torch.device, precision: torch.dtype
    ) -> None:
        self.model = model
        self.config = config
        self.device = device
        self.precision = precision
        self.optimizer = build_optimizer(model, config)

    def update(self, batches: Sequence[Batch], learning_rate: float) -> Update:
        """Take one step on the sum of ``batches``: the gradient of the mean loss over all their target tokens.

        A batch that does not fit in memory is halved and tried again; a gradient that is not finite leaves weights and
        optimiser untouched.

        Raises:
            TrainingError: a single pair does not fit in memory.
        """
        self.model.train()
        splits = 0
        while True:
            try:
                loss, nll, tokens = self._accumulate(batches)
                break
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                batches = _halve(batches, error)
                splits += 1
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        norm = nn.utils.get_total_norm(gradients)
        if not norm.isfinite():
            return Update(loss, nll, tokens, norm.item(), splits, self._first_bad_tensor())
        nn.utils.clip_grads_with_norm_(self.model.parameters(), self.config.clip_norm or math.inf, norm)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        return Update(loss, nll, tokens, norm.item(), splits)

    def _accumulate(self, batches: Sequence[Batch]) -> tuple[float, float, int]:
        self.optimizer.zero_grad(set_to_none=True)
        tokens = sum(batch.target_tokens for batch in batches)
        sums = torch.zeros(2, device=self.device)
        for batch in batches:
            loss, nll = batch_loss(self.model, batch.to(self.device), self.config.label_smoothing, self.precision)
            (loss / tokens).backward()  # type: ignore[no-untyped-call]
            sums += torch.stack((loss.detach(), nll))
        total, total_nll = sums.tolist()
        return total, total_nll, tokens

    def _first_bad_tensor(self) -> str:
        for name, parameter in self.model.named_parameters():
            if parameter.grad is not None and not parameter.grad.isfinite().all():
                return name
        return "the gradient norm"


def batch_loss(
    model: Transformer, batch: Batch, label_smoothing: float, precision: torch.dtype = torch.float32
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute a batch's loss and negative log-likelihood, summed over its real target tokens (teacher forcing)."""
    with torch.autocast(batch.source.device.type, precision, enabled=precision != torch.float32):
        hidden, _ = model.decode(batch.target_in, model.encode(batch.source, batch.source_real))
    if batch.target_real is None:
        hidden, targets = hidden.flatten(0, 1), batch.target_out.flatten()
    else:
        hidden, targets = hidden[batch.target_real], batch.target_out[batch.target_real]
    return chunked_loss(hidden, model.output_table, model.output_bias, targets, label_smoothing, precision)


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether an error of PyTorch means that memory ran out, on any device."""
    told = ("out of memory", "can't allocate memory")  # MPS and CPU have no type of their own for it
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in told)


def _halve(batches: Sequence[Batch], error: RuntimeError) -> list[Batch]:
    if all(batch.source.size(0) == 1 for batch in batches):
        raise TrainingError(
            "out of memory on a single pair; lower data.max_tokens or choose a smaller model"
        ) from error
    return [half for batch in batches for half in (batch.halves() if batch.source.size(0) > 1 else (batch,))]
