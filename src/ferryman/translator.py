"""The line from text to text: tokens -> encoder -> decoder steps -> search -> text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DecodingConfig
from ferryman.data.batch import Batch, pad_rows
from ferryman.decoding import Hypothesis, beam_search, forbid, greedy_search, minimum_length, penalty
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.directions import find_target
from ferryman.text.encoding import encode_texts
from ferryman.text.languages import word_separator
from ferryman.text.prefix import prefix
from ferryman.text.segments import cut

STREAM_CHUNK = 1000  # texts sorted by length at a time when streaming
SCORED_TOKENS = 2048  # target positions at a time when scoring; each takes a row of logits


@dataclass(frozen=True)
class Translation:
    """One translation. Scores are natural logarithms: higher is better.

    ``flags`` says what was out of the ordinary: ``split`` (the source was too long and translated in pieces), ``cut``
    (the source was too long and its end is not translated), ``truncated`` (the length bound came before the end).
    """

    text: str
    score: float  # log_prob over the length penalty
    log_prob: float  # of all tokens, end symbol included
    tokens: tuple[int, ...]
    flags: tuple[str, ...] = ()
    alternatives: tuple["Translation", ...] = ()  # the next best, if more than one was asked for


@dataclass(frozen=True)
class _Piece:
    """A source short enough to be translated in one go, with the control tokens before it."""

    text: int  # index of the text it is a part of
    ids: list[int]


class Translator:
    """A model with its tokenizers and its way of searching. Made by ``ferryman.load``."""

    def __init__(self, model: Transformer, config: Config, tokenizers: Tokenizers, *, to: str | None = None) -> None:
        """Set up; ``to`` is the language translated into where a call names none."""
        self.to = to
        self.device = next(model.parameters()).device
        self.model = model
        self.config = config
        self.tokenizers = tokenizers
        self.symbols = tokenizers.symbols(config.model.start_symbol)
        self.forbidden = sorted(tokenizers.target.never_text - {self.symbols.eos})

    def target_language(self, to: str | None = None) -> str:
        """Return the language translated into: ``to``, or the translator's, or the model's only one.

        Raises:
            TranslationError: the model does not translate into it, or into several and none is named.

        """
        return find_target(self.config.data, self.to if to is None else to)

    def prefix(self, to: str | None = None, decoding: DecodingConfig | None = None) -> list[int]:
        """Return the control tokens before every source, such as that of the target language.

        Raises:
            TranslationError: the model does not translate into ``to``.
            ConfigError: the model has no tag ``decoding.tag``.

        """
        return prefix(self.tokenizers.source, self.target_language(to), (decoding or self.config.decoding).tag)

    def translate(
        self, texts: Sequence[str], decoding: DecodingConfig | None = None, *, to: str | None = None, first: int = 1
    ) -> list[Translation]:
        """Translate texts, each by itself: a result does not depend on its neighbours or their order.

        An empty text, or one of white space only, has the empty translation.

        Args:
            texts: in a language that the model translates from.
            decoding: how to search; unset: as the model's configuration says.
            to: language to translate into, of those of the model; needed if there are several.
            first: number of the first text in errors.

        Raises:
            TranslationError: a text is not valid Unicode, or too long under ``decoding.too_long: error``; or the model
                does not translate into ``to``.
            ConfigError: the model has no tag ``decoding.tag``.

        """
        decoding = decoding or self.config.decoding
        language, before = self.target_language(to), self.prefix(to, decoding)
        rows = encode_texts(self.tokenizers.source, texts, first)
        # Not every normal form makes a blank text an empty one.
        rows = [row if text.strip() else [] for row, text in zip(rows, texts, strict=True)]
        pieces, flags = self._cut(rows, before, decoding, first)
        found: list[list[tuple[int, list[Hypothesis]]]] = [[] for _ in texts]
        for batch in self._batches(pieces, decoding):
            hypotheses = self._search([pieces[index].ids for index in batch], decoding)
            for index, best in zip(batch, hypotheses, strict=True):
                found[pieces[index].text].append((index, best))
        parts = [[best for _, best in sorted(places, key=lambda place: place[0])] for places in found]
        return [self._join(part, flag, decoding, language) for part, flag in zip(parts, flags, strict=True)]

    def translate_stream(
        self, texts: Iterable[str], decoding: DecodingConfig | None = None, *, to: str | None = None
    ) -> Iterator[Translation]:
        """Translate any number of texts in bounded memory, in order; see ``translate``."""
        iterator, first = iter(texts), 1
        while chunk := list(islice(iterator, STREAM_CHUNK)):
            yield from self.translate(chunk, decoding, to=to, first=first)
            first += len(chunk)

    @torch.inference_mode()
    def score(self, sources: Sequence[str], targets: Sequence[str], *, to: str | None = None) -> list[float]:
        """Return the log-probability of each target (end symbol included) given its source, as decoding counts it.

        Raises:
            TranslationError: the numbers of texts differ, a text is not valid Unicode, or the model does not translate
                into ``to``.

        """
        if len(sources) != len(targets):
            raise TranslationError(f"{len(sources)} sources but {len(targets)} targets; they must be pairs")
        before = self.prefix(to)
        source_ids = [before + ids for ids in encode_texts(self.tokenizers.source, sources, 1)]
        target_ids = encode_texts(self.tokenizers.target, targets, 1)
        scores = [0.0] * len(sources)
        order = sorted(range(len(sources)), key=lambda index: -max(len(source_ids[index]), len(target_ids[index])))
        self.model.eval()
        start = 0
        while start < len(order):
            longest = max(len(source_ids[order[start]]), len(target_ids[order[start]])) + 1
            chosen = order[start : start + max(1, SCORED_TOKENS // longest)]
            batch = Batch.collate([source_ids[i] for i in chosen], [target_ids[i] for i in chosen], self.symbols)
            for index, value in zip(chosen, self._log_probs(batch.to(self.device)).tolist(), strict=True):
                scores[index] = value
            start += len(chosen)
        return scores

    def _log_probs(self, batch: Batch) -> Tensor:
        logits: Tensor = self.model(batch.source, batch.target_in, batch.source_real)
        chosen = logits.float().log_softmax(dim=-1).gather(-1, batch.target_out[..., None]).squeeze(-1)
        return (chosen if batch.target_real is None else chosen.masked_fill(~batch.target_real, 0.0)).sum(dim=1)

    def _cut(
        self, rows: list[list[int]], before: list[int], decoding: DecodingConfig, first: int
    ) -> tuple[list[_Piece], list[list[str]]]:
        limit = decoding.max_source_tokens
        if self.config.model.positions == "learned":
            limit = min(limit, self.config.model.max_positions - 1 - len(before))
        pieces, flags = [], []
        for index, ids in enumerate(rows):
            parts, flag = [ids] if ids else [], []
            if len(ids) > limit:
                if decoding.too_long == "error":
                    raise TranslationError(
                        f"text {first + index} has {len(ids)} tokens, more than {limit}; shorten it, or set "
                        "decoding.too_long to split or truncate"
                    )
                split = decoding.too_long == "split"
                parts = cut(ids, self.tokenizers.source.pieces(ids), limit) if split else [ids[:limit]]
                flag = ["split" if split else "cut"]
            pieces += [_Piece(index, before + part) for part in parts]
            flags.append(flag)
        return pieces, flags

    def _batches(self, pieces: list[_Piece], decoding: DecodingConfig) -> Iterator[list[int]]:
        """Put pieces of like length together, longest first, so that memory is at its peak at once."""
        order = sorted(range(len(pieces)), key=lambda index: -len(pieces[index].ids))
        start = 0
        while start < len(order):
            longest = len(pieces[order[start]].ids) + 1
            rows = max(1, decoding.batch_tokens // (longest * decoding.beam))
            yield order[start : start + rows]
            start += rows

    @torch.inference_mode()
    def _search(self, rows: list[list[int]], decoding: DecodingConfig) -> list[list[Hypothesis]]:
        self.model.eval()
        source, real = pad_rows(rows, pad=self.symbols.pad, last=self.symbols.eos)
        real = None if real is None else real.to(self.device)
        stepper = TorchStepper(self.model, source.to(self.device), real)
        bounds = [int(decoding.max_length_ratio * len(row)) + decoding.max_length_extra + 1 for row in rows]
        if self.config.model.positions == "learned":
            bounds = [min(bound, self.config.model.max_positions) for bound in bounds]
        max_lengths = torch.tensor(bounds, device=self.device)
        rules = [forbid(self.forbidden)]
        if decoding.min_length:
            rules.append(minimum_length(decoding.min_length + 1, self.symbols.eos))
        if decoding.beam == 1:
            found = greedy_search(
                stepper,
                max_lengths=max_lengths,
                bos=self.symbols.start,
                eos=self.symbols.eos,
                length_penalty=decoding.length_penalty,
                rules=rules,
            )
            return [[hypothesis] for hypothesis in found]
        return beam_search(
            stepper,
            beam=decoding.beam,
            max_lengths=max_lengths,
            bos=self.symbols.start,
            eos=self.symbols.eos,
            length_penalty=decoding.length_penalty,
            rules=rules,
        )

    def _join(
        self, parts: list[list[Hypothesis]], flags: list[str], decoding: DecodingConfig, language: str
    ) -> Translation:
        if not parts:
            return Translation("", 0.0, 0.0, (), tuple(flags))
        if len(parts) == 1:
            best = parts[0][: decoding.n_best]
            found = [self._translation([hypothesis], flags, decoding, language) for hypothesis in best]
        else:
            found = [self._translation([best[0] for best in parts], flags, decoding, language)]
        first = found[0]
        return Translation(first.text, first.score, first.log_prob, first.tokens, first.flags, tuple(found[1:]))

    def _translation(
        self, parts: list[Hypothesis], flags: list[str], decoding: DecodingConfig, language: str
    ) -> Translation:
        text = word_separator(language).join(self.tokenizers.target.decode(part.tokens).strip() for part in parts)
        tokens = tuple(token for part in parts for token in part.tokens)
        log_prob = sum(part.log_prob for part in parts)
        score = parts[0].score if len(parts) == 1 else log_prob / penalty(len(tokens), decoding.length_penalty)
        if any(part.truncated for part in parts):
            flags = [*flags, "truncated"]
        return Translation(text, score, log_prob, tokens, tuple(flags))
