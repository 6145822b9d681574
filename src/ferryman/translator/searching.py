"""From source ids to hypotheses: batches of like length, each searched as the configuration says."""

from collections.abc import Iterator, Sequence

import torch

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols, pad_rows
from ferryman.decoding import Hypothesis, Rule, beam_search, forbid, greedy_search, minimum_length
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.model.transformer import Transformer


class Searcher:
    """A model and what it may say."""

    def __init__(self, model: Transformer, symbols: Symbols, forbidden: Sequence[int]) -> None:
        """Set up; ``forbidden`` tokens are never said."""
        self.model = model
        self.symbols = symbols
        self.forbidden = list(forbidden)

    def search(
        self, rows: Sequence[Sequence[int]], decoding: DecodingConfig, more: Sequence[Rule] = ()
    ) -> list[list[Hypothesis]]:
        """Translate rows of source ids, without end symbols; return the best hypotheses of each, best first.

        ``more`` are rules besides those of the configuration.
        """
        found: dict[int, list[Hypothesis]] = {}
        for batch in batches([len(row) for row in rows], decoding):
            hypotheses = self._search([rows[index] for index in batch], decoding, more)
            found.update(zip(batch, hypotheses, strict=True))
        return [found[index] for index in range(len(rows))]

    @torch.inference_mode()
    def _search(
        self, rows: Sequence[Sequence[int]], decoding: DecodingConfig, more: Sequence[Rule]
    ) -> list[list[Hypothesis]]:
        self.model.eval()
        device = next(self.model.parameters()).device
        source, real = pad_rows(rows, pad=self.symbols.pad, last=self.symbols.eos)
        stepper = TorchStepper(self.model, source.to(device), None if real is None else real.to(device))
        max_lengths = torch.tensor([self._bound(row, decoding) for row in rows], device=device)
        if decoding.beam == 1:
            found = greedy_search(
                stepper,
                max_lengths=max_lengths,
                bos=self.symbols.start,
                eos=self.symbols.eos,
                length_penalty=decoding.length_penalty,
                rules=[*self._rules(decoding), *more],
            )
            return [[hypothesis] for hypothesis in found]
        return beam_search(
            stepper,
            beam=decoding.beam,
            max_lengths=max_lengths,
            bos=self.symbols.start,
            eos=self.symbols.eos,
            length_penalty=decoding.length_penalty,
            rules=[*self._rules(decoding), *more],
        )

    def _bound(self, row: Sequence[int], decoding: DecodingConfig) -> int:
        bound = int(decoding.max_length_ratio * len(row)) + decoding.max_length_extra + 1
        config = self.model.config
        return min(bound, config.max_positions) if config.positions == "learned" else bound

    def _rules(self, decoding: DecodingConfig) -> list[Rule]:
        rules = [forbid(self.forbidden)]
        if decoding.min_length:
            rules.append(minimum_length(decoding.min_length + 1, self.symbols.eos))
        return rules


def batches(lengths: Sequence[int], decoding: DecodingConfig) -> Iterator[list[int]]:
    """Put rows of like length together, longest first, so that memory is at its peak at once."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    start = 0
    while start < len(order):
        longest = lengths[order[start]] + 1
        rows = max(1, decoding.batch_tokens // (longest * decoding.beam))
        yield order[start : start + rows]
        start += rows
