"""One optimiser step: forward, loss, backward, clip, Adam; and what to do when it fails."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from ferryman.checkpoint import weights_of
from ferryman.config import TrainingConfig
from ferryman.data.batch import Batch
from ferryman.errors import TrainingError
from ferryman.model.transformer import Transformer
from ferryman.training.consistency import consistent_batch_loss
from ferryman.training.distributed import ALONE, Workers
from ferryman.training.loss import chunked_loss
from ferryman.training.optimizer import build_optimizers
from ferryman.training.sharding import BatchLoss, full_twin, shard, whole


@dataclass(frozen=True)
class Update:
    """What one step did. Sums are over real target tokens, in nats; losses and splits are this worker's."""

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
        self,
        model: Transformer,
        config: TrainingConfig,
        device: torch.device,
        precision: torch.dtype,
        workers: Workers = ALONE,
    ) -> None:
        """Bring a model to its device, in parts if ``training.shard`` says so and there are several workers."""
        self.config = config
        self.device = device
        self.precision = precision
        self.workers = workers
        loss = partial(consistent_batch_loss, weight=config.consistency) if config.consistency else batch_loss
        self.batch_loss: BatchLoss = loss
        self.parted = shard(model, loss, device) if config.shard and workers.world > 1 else None
        self.model = model.to(device) if self.parted is None else model
        self.optimizers = build_optimizers(model, config)
        self.learning_rate = 0.0  # of the latest step

    def update(
        self,
        batches: Sequence[Batch],
        learning_rate: float,
        target_tokens: int | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Update:
        """Take one step on the sum of all workers' batches: the gradient of the mean loss over all target tokens.

        A batch that does not fit in memory is halved and tried again; a gradient that is not finite leaves weights and
        optimiser untouched.

        Args:
            batches: this worker's.
            learning_rate: of this step.
            target_tokens: of all workers; unset: those of ``batches``.
            meanwhile: is called when a GPU has its work and has not done it yet.

        Raises:
            TrainingError: a single pair does not fit in memory, or a batch does not while the model is in parts.
        """
        self.model.train()
        tokens = target_tokens or sum(batch.target_tokens for batch in batches)
        sums, splits = self._local_gradients(batches, tokens)
        meanwhile()
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        if self.parted is None:
            self.workers.sum_gradients(gradients)
        norm = whole(nn.utils.get_total_norm(gradients))
        # The one time in a step that the CPU waits for a GPU: whether the step is taken has to be known.
        loss, nll, length = torch.stack((*sums, norm)).tolist()
        if not math.isfinite(length):
            return Update(loss, nll, tokens, length, splits, self._first_bad_tensor())
        nn.utils.clip_grads_with_norm_(self.model.parameters(), self.config.clip_norm or math.inf, norm)
        self.learning_rate = learning_rate
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()
        return Update(loss, nll, tokens, length, splits)

    def weights(self) -> dict[str, torch.Tensor]:
        """Name every weight once, on the CPU; of a model in parts all workers have to ask, and the leader gets them."""
        if self.parted is None:
            return weights_of(self.model)
        weights = {}
        for name, parameter in self.model.named_parameters():
            together = whole(parameter.detach())
            if self.workers.leads:
                weights[name] = together.cpu()
        return weights

    def whole_model(self) -> Transformer:
        """Return a model that the leader can use by itself; if it is in parts, all workers have to ask."""
        if self.parted is None:
            return self.model
        weights = self.weights()
        return full_twin(self.model, weights, self.device) if self.workers.leads else self.model

    def _local_gradients(self, batches: Sequence[Batch], tokens: int) -> tuple[torch.Tensor, int]:
        splits = 0
        while True:
            try:
                return self._accumulate(batches, tokens), splits
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                if self.parted is not None:  # the others are in the middle of what they do together
                    raise TrainingError(
                        "out of memory, and with training.shard a batch cannot be halved on the way; lower "
                        "training.batch_tokens, and raise training.accumulate by as much"
                    ) from error
                batches = _halve(batches, error)
                splits += 1

    def _accumulate(self, batches: Sequence[Batch], tokens: int) -> torch.Tensor:
        self.model.zero_grad(set_to_none=True)
        sums = torch.zeros(2, device=self.device)
        share = 1 if self.parted is None else self.workers.world  # for gradients of parts are averaged, not summed
        for batch in batches:
            loss, nll = self._loss(batch.to(self.device))
            (loss / (tokens / share)).backward()  # type: ignore[no-untyped-call]
            sums += torch.stack((loss.detach(), nll))
        return sums

    def _loss(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        if self.parted is None:
            return self.batch_loss(self.model, batch, self.config.label_smoothing, self.precision)
        losses: tuple[torch.Tensor, torch.Tensor] = self.parted(batch, self.config.label_smoothing, self.precision)
        return losses

    def _first_bad_tensor(self) -> str:
        for name, parameter in self.model.named_parameters():
            if parameter.grad is not None and not whole(parameter.grad).isfinite().all():
                return name
        return "the gradient norm"


def batch_loss(
    model: Transformer, batch: Batch, label_smoothing: float, precision: torch.dtype = torch.float32
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute a batch's loss and negative log-likelihood, summed over its real target tokens (teacher forcing)."""
    with torch.autocast(batch.source.device.type, precision, enabled=precision != torch.float32):
        hidden, _ = model.decode(batch.target_in, model.encode(batch.source, batch.source_real))
    hidden, targets = hidden.flatten(0, 1), batch.target_out.flatten()
    if batch.target_places is not None:
        hidden, targets = (tensor.index_select(0, batch.target_places) for tensor in (hidden, targets))
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
