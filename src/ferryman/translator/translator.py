"""Texts in, translations out: what surrounds the search."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DecodingConfig
from ferryman.decoding import Hypothesis, penalty
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.directions import directions, find_target
from ferryman.text.encoding import encode_texts
from ferryman.text.languages import word_separator
from ferryman.text.prefix import prefix
from ferryman.text.segments import cut
from ferryman.translator.alignment import Alignment, Side, align
from ferryman.translator.placing import place_phrases
from ferryman.translator.scoring import score_pairs
from ferryman.translator.searching import Searcher
from ferryman.translator.streaming import Partial, Tell, stream
from ferryman.translator.translation import Translation
from ferryman.translator.wishes import Source, Wanted, Wish

STREAM_CHUNK = 1000  # texts sorted by length at a time when streaming


@dataclass(frozen=True)
class _Piece:
    """A source short enough to be translated in one go, with the control tokens before it."""

    text: int  # index of the text it is a part of
    ids: Source


class Translator:
    """A model with its tokenizers and its way of searching. Made by ``ferryman.load``."""

    def __init__(
        self,
        model: Transformer,
        config: Config,
        tokenizers: Tokenizers,
        *,
        to: str | None = None,
        partners: Sequence[Transformer] = (),
    ) -> None:
        """Set up; ``to`` is the language translated into where a call names none, ``partners`` are averaged with."""
        self.to = to
        self.device = next(model.parameters()).device
        self.model = model
        self.config = config
        self.tokenizers = tokenizers
        self.symbols = tokenizers.symbols(config.model.start_symbol)
        forbidden = sorted(tokenizers.target.never_text - {self.symbols.eos})
        self.searcher = Searcher(model, self.symbols, forbidden, tokenizers.target, partners)

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

    def translate(  # noqa: PLR0913 - each is a separate choice of the caller
        self,
        texts: Sequence[str],
        decoding: DecodingConfig | None = None,
        *,
        to: str | None = None,
        first: int = 1,
        prefixes: Sequence[str] | None = None,
        constraints: Sequence[Sequence[str]] | None = None,
        tell: Tell | None = None,
    ) -> list[Translation]:
        """Translate texts, each by itself: a result does not depend on its neighbours or their order.

        An empty text, or one of white space only, has the empty translation.

        Args:
            texts: in a language that the model translates from.
            decoding: how to search; unset: as the model's configuration says.
            to: language to translate into, of those of the model; needed if there are several.
            first: number of the first text in errors.
            prefixes: how each translation begins; unset: with ``decoding.target_prefix``.
            constraints: phrases that each translation contains, besides ``decoding.required_phrases``.
            tell: called with the likeliest text so far while a beam search works; for one text.

        Raises:
            TranslationError: a text is not valid Unicode, or too long under ``decoding.too_long: error``; the model
                does not translate into ``to``; or there is not one prefix or list of constraints for every text.
            ConfigError: the model has no tag ``decoding.tag``, or no layer ``decoding.alignment_layer``.

        """
        decoding = decoding or self.config.decoding
        language, before = self.target_language(to), self.prefix(to, decoding)
        wanted = Wanted(prefixes, constraints)
        wanted.check(texts, decoding)
        rows = encode_texts(self.tokenizers.source, texts, first)
        # Not every normal form makes a blank text an empty one.
        rows = [row if text.strip() else [] for row, text in zip(rows, texts, strict=True)]
        asked = wanted.asked(len(texts), decoding, self.tokenizers.target, language)
        pieces, flags = self._cut(rows, before, asked.wishes, decoding, first)
        found: list[list[list[Hypothesis]]] = [[] for _ in texts]
        ids = [piece.ids for piece in pieces]
        watch = None if tell is None else Partial(self.tokenizers.target.decode, word_separator(language), tell)
        best = self.searcher.search(ids, decoding, watch)
        best = place_phrases([piece.text for piece in pieces], ids, best, asked, self.searcher, decoding)
        for piece, each in zip(pieces, self.searcher.second_look.annotate(ids, best, decoding), strict=True):
            found[piece.text].append(each)
        translations = [self._join(part, flag, decoding, language) for part, flag in zip(found, flags, strict=True)]
        return asked.checked(translations)

    def stream(
        self,
        text: str,
        decoding: DecodingConfig | None = None,
        *,
        to: str | None = None,
        prefix: str | None = None,
        constraints: Sequence[str] = (),
    ) -> Iterator[str]:
        """Yield the likeliest translation so far of one text while it is searched for, and at last the translation.

        Early ones may change altogether later. Where samples or ``beam_groups`` are asked for, only the last comes.
        To close the iterator ends the search. Raises what ``translate`` raises.
        """
        prefixes = None if prefix is None else [prefix]

        def work(tell: Tell) -> str:
            found = self.translate([text], decoding, to=to, prefixes=prefixes, constraints=[constraints], tell=tell)
            return found[0].text

        return stream(work)

    def translate_stream(
        self, texts: Iterable[str], decoding: DecodingConfig | None = None, *, to: str | None = None
    ) -> Iterator[Translation]:
        """Translate any number of texts in bounded memory, in order; see ``translate``."""
        iterator, first = iter(texts), 1
        while chunk := list(islice(iterator, STREAM_CHUNK)):
            yield from self.translate(chunk, decoding, to=to, first=first)
            first += len(chunk)

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
        if len(self.searcher.models) > 1:
            ended = [[*ids, self.symbols.eos] for ids in encode_texts(self.tokenizers.target, targets, 1)]
            return self.searcher.second_look.log_probs(source_ids, ended)
        return score_pairs(self.model, self.symbols, source_ids, encode_texts(self.tokenizers.target, targets, 1))

    def _cut(
        self, rows: list[list[int]], before: list[int], wishes: list[Wish], decoding: DecodingConfig, first: int
    ) -> tuple[list[_Piece], list[list[str]]]:
        limit = decoding.max_source_tokens
        if self.searcher.max_positions is not None:
            limit = min(limit, self.searcher.max_positions - 1 - len(before))
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
            wanted = wishes[index].shared(len(parts))
            pieces += [_Piece(index, Source(before + part, wish)) for part, wish in zip(parts, wanted, strict=True)]
            flags.append(flag)
        return pieces, flags

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
        return replace(found[0], alternatives=tuple(found[1:]))

    def _translation(
        self, parts: list[Hypothesis], flags: list[str], decoding: DecodingConfig, language: str
    ) -> Translation:
        text = word_separator(language).join(self.tokenizers.target.decode(part.tokens).strip() for part in parts)
        tokens = tuple(token for part in parts for token in part.tokens)
        log_prob = sum(part.log_prob for part in parts)
        score = parts[0].score if len(parts) == 1 else log_prob / penalty(len(tokens), decoding.length_penalty)
        if any(part.truncated for part in parts):
            flags = [*flags, "truncated"]
        log_probs = tuple(value for part in parts for value in part.token_log_probs)
        alignment = self._align(parts, decoding, language)
        return Translation(text, score, log_prob, tokens, tuple(flags), (), log_probs, alignment)

    def _align(self, parts: list[Hypothesis], decoding: DecodingConfig, language: str) -> Alignment | None:
        if decoding.alignment == "none":
            return None
        spoken = next((one.source for one in directions(self.config.data) if one.target == language), "") or "en"
        source, target = (
            Side(tokenizer, word_separator(code) == " ")
            for tokenizer, code in ((self.tokenizers.source, spoken), (self.tokenizers.target, language))
        )
        return align(parts, source, target, soft=decoding.alignment == "soft")
