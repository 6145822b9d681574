"""From source ids to hypotheses: batches of like length, each searched as the configuration says."""

import copy
from collections.abc import Callable, Sequence

import torch

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols, pad_rows
from ferryman.decoding import BeamStep, Hypothesis, Rule, forbid
from ferryman.engines.choice import Engine, Name, build_engine, choose_arithmetic, choose_engine
from ferryman.engines.ensemble import EnsembleStepper
from ferryman.engines.parallel import map_in_threads
from ferryman.engines.static_stepper import StaticEngine
from ferryman.errors import ConfigError, TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.batching import batches
from ferryman.translator.ruling import begin_with, configured_rules, required
from ferryman.translator.second_look import SecondLook
from ferryman.translator.strategies import Task, search_batch
from ferryman.translator.streaming import Follower, Watch
from ferryman.translator.watching import Record, Recorder
from ferryman.translator.wishes import wish_of


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
        self.device = next(model.parameters()).device
        self.second_look = SecondLook(self.models, symbols)
        self.record: Record | None = None
        self._engines: dict[tuple[Name, torch.dtype], list[Engine]] = {}

    def recorded(self, record: Record) -> "Searcher":
        """Return a searcher that shares everything with this one and tells ``record`` of each search."""
        twin = copy.copy(self)
        twin.record = record
        return twin

    def check(self, decoding: DecodingConfig, loaded: DecodingConfig) -> None:
        """Refuse, for one call, what is decided when a model is loaded.

        Raises:
            ConfigError: another device or another number of threads is asked for.

        """
        there = {"device": self.device.type, "threads": loaded.threads or torch.get_num_threads()}
        for key, value in there.items():
            wanted = getattr(decoding, key)
            if wanted not in ("auto", 0, getattr(loaded, key), value):
                raise ConfigError(
                    f"decoding.{key}: {wanted} is not what the model was loaded with ({value}), which a call cannot "
                    f'change; load it with "decoding.{key}={wanted}"'
                )

    def search(
        self,
        rows: Sequence[Sequence[int]],
        decoding: DecodingConfig,
        more: Sequence[Rule] = (),
        watch: Watch | None = None,
    ) -> list[list[Hypothesis]]:
        """Translate rows of source ids, without end symbols; return the best hypotheses of each, best first.

        A row may be a ``Source``, which knows what is wanted of its translation. Phrases that are wanted are looked
        for in what is found without them; only if the best lacks one is it searched again, with them; and if that
        fails, what was found stays. Else only hypotheses that have the phrases are returned. ``more`` are rules besides
        those of the configuration. ``watch`` is told of each step of a search with one beam.

        Raises:
            ConfigError: ``decoding.engine`` or ``decoding.precision`` is not available here.
            TranslationError: a wished prefix is longer than the models can place.

        """
        plain = self._search(rows, decoding, more, watch, steered=False)
        kept = [[one for one in each if self._meets(row, one)] for row, each in zip(rows, plain, strict=True)]
        lacking = [place for place, each in enumerate(plain) if each[:1] != kept[place][:1]]
        retold = None if watch is None else lambda place, tokens: watch(lacking[place], tokens)
        steered = self._search([rows[place] for place in lacking], decoding, more, retold, steered=True)
        for place, each in zip(lacking, steered, strict=True):
            kept[place] = [one for one in each if self._meets(rows[place], one)] or plain[place]
        return self.second_look.revise(rows, kept, decoding)

    def text(self, hypotheses: Sequence[Hypothesis], spaced: bool) -> str:
        """Return what hypotheses say, one after the other."""
        return (" " if spaced else "").join(_given(self.tokenizer).decode(one.tokens).strip() for one in hypotheses)

    @property
    def max_positions(self) -> int | None:
        """How many target tokens, the end symbol counted, the models can place; None: any number."""
        configs = [model.config for model in self.models]
        return min((config.max_positions for config in configs if config.positions == "learned"), default=None)

    def workers(self, decoding: DecodingConfig) -> int:
        """How many batches are searched at once, on threads of their own."""
        return (decoding.workers or torch.get_num_threads()) if self.device.type == "cpu" else 1

    def about(self, decoding: DecodingConfig) -> str:
        """Say what computes: the engine that was chosen, how many batches it works on at once, what went wrong."""
        (name, precision), workers = self._engine(decoding), self.workers(decoding)
        parts = [f"engine {name} on {self.device.type}" + (" in bfloat16" if precision == torch.bfloat16 else "")]
        parts += [f"{workers} batches at a time"] if workers > 1 else []
        engines = self._engines.get((name, precision), [])
        troubles = {engine.model.trouble for engine in engines if isinstance(engine, StaticEngine)} - {""}
        parts += [f"slower without CUDA graphs: {trouble}" for trouble in sorted(troubles)]
        return ", ".join(parts)

    def _search(
        self,
        rows: Sequence[Sequence[int]],
        decoding: DecodingConfig,
        more: Sequence[Rule],
        watch: Watch | None,
        *,
        steered: bool,
    ) -> list[list[Hypothesis]]:
        for model in self.models:
            if model.training:  # to say so to all its modules takes as long as a step
                model.eval()
        engines = self._engines_of(decoding)
        recorder = None if self.record is None else Recorder(self.record)
        workers = self.workers(decoding) if watch is None and recorder is None else 1
        if watch is None:
            groups = batches([len(row) + 1 for row in rows], decoding.batch_tokens // decoding.width, workers)
        else:  # in their order, so that the first can be read first
            groups = [[row] for row in range(len(rows))]

        def search(group: list[int]) -> list[list[Hypothesis]]:
            observe = recorder.observer(group) if recorder else None if watch is None else Follower(group, watch)
            chosen = [rows[index] for index in group]
            bounds = [self._bound(row, decoding, steered=steered) for row in chosen]
            rules = [*configured_rules(decoding, self.symbols.eos, self.tokenizer, self.device), *more]
            task = self._task(chosen, bounds, rules, observe, steered=steered)
            return self._search_batch(task, engines, decoding)

        if min(workers, len(groups)) > 1:
            results = map_in_threads(search, groups, workers)
        else:
            results = [search(group) for group in groups]
        found: dict[int, list[Hypothesis]] = {}
        for group, hypotheses in zip(groups, results, strict=True):
            found.update(zip(group, hypotheses, strict=True))
        ordered = [found[index] for index in range(len(rows))]
        if recorder is not None:
            recorder.tell(rows, decoding, [self._bound(row, decoding, steered=steered) for row in rows], ordered)
        return ordered

    @torch.inference_mode()
    def _search_batch(self, task: Task, engines: Sequence[Engine], decoding: DecodingConfig) -> list[list[Hypothesis]]:
        source, real = pad_rows(task.rows, pad=self.symbols.pad, last=self.symbols.source_end)
        source, real = source.to(self.device), None if real is None else real.to(self.device)
        steppers = [engine(source, real) for engine in engines]
        return search_batch(steppers[0] if len(steppers) == 1 else EnsembleStepper(steppers), task, decoding)

    def _task(
        self,
        rows: Sequence[Sequence[int]],
        bounds: Sequence[int],
        rules: Sequence[Rule],
        observe: Callable[[BeamStep], None] | None,
        *,
        steered: bool,
    ) -> Task:
        wishes = [wish_of(row) for row in rows]
        phrases = required(wishes, self.symbols.eos, _given(self.tokenizer), self.device) if steered else None
        ruled = begin_with(wishes, [forbid(self.forbidden), *rules], self.device)
        return Task(rows, torch.tensor(bounds, device=self.device), self.symbols, ruled, phrases, observe)

    def _engines_of(self, decoding: DecodingConfig) -> list[Engine]:
        name, precision = self._engine(decoding)
        if (name, precision) not in self._engines:
            self._engines[name, precision] = [build_engine(name, model, precision) for model in self.models]
        return self._engines[name, precision]

    def _engine(self, decoding: DecodingConfig) -> tuple[Name, torch.dtype]:
        name = choose_engine(decoding.engine, self.device)
        return name, choose_arithmetic(decoding.precision, name, self.device)

    def _meets(self, row: Sequence[int], hypothesis: Hypothesis) -> bool:
        wish = wish_of(row)
        return not wish.phrases or wish.met_by(self.text([hypothesis], wish.spaced))

    def _bound(self, row: Sequence[int], decoding: DecodingConfig, *, steered: bool) -> int:
        """Return how many tokens, the end symbol counted, a translation may have."""
        wish = wish_of(row)
        bound = int(decoding.max_length_ratio * len(row)) + decoding.max_length_extra + 1
        bound = max(bound, len(wish.prefix) + decoding.max_length_extra + 1)
        bound += sum(map(len, wish.phrases)) if steered else 0
        most = self.max_positions
        if most is not None and len(wish.prefix) >= most:
            raise TranslationError(
                f"a prefix has {len(wish.prefix)} tokens, but the model can place {most}, the end symbol counted"
            )
        return bound if most is None else min(bound, most)


def _given(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is None:
        raise ValueError("phrases need the target's tokenizer")
    return tokenizer
