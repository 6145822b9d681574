"""From source ids to hypotheses: batches of like length, each searched as the configuration says."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols, pad_rows
from ferryman.decoding import Hypothesis, Stepper, forbid
from ferryman.engines.ensemble import EnsembleStepper
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.ruling import begin_with, configured_rules, required
from ferryman.translator.second_look import SecondLook
from ferryman.translator.strategies import Task, search_batch
from ferryman.translator.streaming import Follower, Watch
from ferryman.translator.wishes import Source, Wish, wish_of


class Searcher:
    """A model, or several that are averaged, and what it may say."""

    def __init__(
        self,
        model: Transformer,
        symbols: Symbols,
        forbidden: Sequence[int],
        tokenizer: Tokenizer | None = None,
        partners: Sequence[Transformer] = (),
    ) -> None:
        """Set up; ``forbidden`` tokens are never said, and phrases are told by the target's ``tokenizer``."""
        self.models = [model, *partners]
        self.symbols = symbols
        self.forbidden = list(forbidden)
        self.tokenizer = tokenizer
        self.second_look = SecondLook(self.models, symbols)

    def search(
        self, rows: Sequence[Sequence[int]], decoding: DecodingConfig, watch: Watch | None = None
    ) -> list[list[Hypothesis]]:
        """Translate rows of source ids, without end symbols; return the best hypotheses of each, best first.

        A row may be a ``Source``, which knows what is wanted of its translation. ``watch`` is told of each step of a
        search with one beam.
        """
        found: dict[int, list[Hypothesis]] = {}
        for batch in batches([len(row) for row in rows], decoding):
            observe = None if watch is None else Follower(batch, watch)
            hypotheses = self._search([rows[index] for index in batch], decoding, observe)
            found.update(zip(batch, hypotheses, strict=True))
        return self.second_look.revise(rows, [found[index] for index in range(len(rows))], decoding)

    @property
    def max_positions(self) -> int | None:
        """How many target tokens, the end symbol counted, the models can place; None: any number."""
        configs = [model.config for model in self.models]
        return min((config.max_positions for config in configs if config.positions == "learned"), default=None)

    @torch.inference_mode()
    def _search(
        self, rows: Sequence[Sequence[int]], decoding: DecodingConfig, observe: Follower | None
    ) -> list[list[Hypothesis]]:
        wishes, device, eos = [wish_of(row) for row in rows], self._device, self.symbols.eos
        bounds = [self._bound(len(row), wish, decoding) for row, wish in zip(rows, wishes, strict=True)]
        source, real = pad_rows(rows, pad=self.symbols.pad, last=eos)
        rules = [forbid(self.forbidden), *configured_rules(decoding, eos, self.tokenizer, device)]
        task = Task(
            rows,
            torch.tensor(bounds, device=device),
            self.symbols,
            begin_with(wishes, rules, device),
            required(wishes, eos, self.tokenizer, device),
            observe,
        )
        stepper = self._stepper(source.to(device), None if real is None else real.to(device))
        found = search_batch(stepper, task, decoding)
        failed = [place for place, each in enumerate(found) if not wishes[place].met(each[0])]
        if failed:  # what cannot be said is not to spoil the rest
            without = [Source(rows[place], replace(wishes[place], phrases=())) for place in failed]
            for place, each in zip(failed, self._search(without, decoding, None), strict=True):
                found[place] = each
        return found

    @property
    def _device(self) -> torch.device:
        return next(self.models[0].parameters()).device

    def _stepper(self, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None) -> Stepper:
        steppers = [TorchStepper(model.eval(), source, real) for model in self.models]
        return steppers[0] if len(steppers) == 1 else EnsembleStepper(steppers)

    def _bound(self, length: int, wish: Wish, decoding: DecodingConfig) -> int:
        """Return how many tokens, the end symbol counted, a translation may have."""
        bound = int(decoding.max_length_ratio * length) + decoding.max_length_extra + 1
        bound = max(bound, len(wish.prefix) + decoding.max_length_extra + 1) + sum(map(len, wish.phrases))
        most = self.max_positions
        if most is not None and len(wish.prefix) >= most:
            raise TranslationError(
                f"a prefix has {len(wish.prefix)} tokens, but the model can place {most}, the end symbol counted"
            )
        return bound if most is None else min(bound, most)


def batches(lengths: Sequence[int], decoding: DecodingConfig) -> Iterator[list[int]]:
    """Put rows of like length together, longest first, so that memory is at its peak at once."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    start = 0
    while start < len(order):
        longest = lengths[order[start]] + 1
        rows = max(1, decoding.batch_tokens // (longest * decoding.width))
        yield order[start : start + rows]
        start += rows
