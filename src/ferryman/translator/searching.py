"""From source ids to hypotheses: batches of like length, each searched as the configuration says."""

from collections.abc import Iterator, Sequence
from functools import partial

import torch

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols, pad_rows
from ferryman.decoding import Hypothesis, Rule, beam_search, forbid, greedy_search, minimum_length
from ferryman.engines.choice import Engine, Name, build_engine, choose_engine
from ferryman.engines.parallel import map_in_threads
from ferryman.model.transformer import Transformer


class Searcher:
    """A model and what it may say."""

    def __init__(self, model: Transformer, symbols: Symbols, forbidden: Sequence[int]) -> None:
        """Set up; ``forbidden`` tokens are never said."""
        self.model = model
        self.symbols = symbols
        self.forbidden = list(forbidden)
        self.device = next(model.parameters()).device
        self._engines: dict[Name, Engine] = {}

    def search(
        self, rows: Sequence[Sequence[int]], decoding: DecodingConfig, more: Sequence[Rule] = ()
    ) -> list[list[Hypothesis]]:
        """Translate rows of source ids, without end symbols; return the best hypotheses of each, best first.

        ``more`` are rules besides those of the configuration.

        Raises:
            ConfigError: ``decoding.engine`` is not available here.

        """
        self.model.eval()
        engine = self._engine(decoding)
        workers = self._workers(decoding)
        groups = list(batches([len(row) for row in rows], decoding, workers))
        search = partial(self._search, engine=engine, decoding=decoding, more=more)
        inputs = [[rows[index] for index in group] for group in groups]
        if min(workers, len(groups)) > 1:
            results = map_in_threads(search, inputs, workers)
        else:
            results = [search(batch) for batch in inputs]
        found: dict[int, list[Hypothesis]] = {}
        for group, hypotheses in zip(groups, results, strict=True):
            found.update(zip(group, hypotheses, strict=True))
        return [found[index] for index in range(len(rows))]

    def about(self, decoding: DecodingConfig) -> str:
        """Say what computes: the engine that was chosen and how many batches it works on at once."""
        name, workers = choose_engine(decoding.engine, self.device), self._workers(decoding)
        return f"engine {name} on {self.device.type}" + (f", {workers} batches at a time" if workers > 1 else "")

    def _engine(self, decoding: DecodingConfig) -> Engine:
        name = choose_engine(decoding.engine, self.device)
        if name not in self._engines:
            self._engines[name] = build_engine(name, self.model)
        return self._engines[name]

    def _workers(self, decoding: DecodingConfig) -> int:
        return (decoding.workers or torch.get_num_threads()) if self.device.type == "cpu" else 1

    @torch.inference_mode()
    def _search(
        self, rows: Sequence[Sequence[int]], engine: Engine, decoding: DecodingConfig, more: Sequence[Rule]
    ) -> list[list[Hypothesis]]:
        source, real = pad_rows(rows, pad=self.symbols.pad, last=self.symbols.eos)
        stepper = engine(source.to(self.device), None if real is None else real.to(self.device))
        max_lengths = torch.tensor([self._bound(row, decoding) for row in rows], device=self.device)
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
            n_best=decoding.n_best,
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


def batches(lengths: Sequence[int], decoding: DecodingConfig, workers: int = 1) -> Iterator[list[int]]:
    """Put rows of like length together, longest first: memory is at its peak at once, and no worker is left for last.

    A batch has at most ``decoding.batch_tokens``, and at most a worker's share of the rows.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    share = max(1, -(-len(order) // workers))
    start = 0
    while start < len(order):
        longest = lengths[order[start]] + 1
        rows = min(share, max(1, decoding.batch_tokens // (longest * decoding.beam)))
        yield order[start : start + rows]
        start += rows
