"""Texts in, translations out: what surrounds the search."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DecodingConfig
from ferryman.decoding import Hypothesis, penalty
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.directions import directions, find_target
from ferryman.text.encoding import check_texts, encode_texts
from ferryman.text.languages import word_separator
from ferryman.text.prefix import prefix
from ferryman.text.segments import cut
from ferryman.translator.attending import cross_attention
from ferryman.translator.checking import Checker
from ferryman.translator.protecting import Attention, Sentence, Tools, translate_protected
from ferryman.translator.reranking import scored, to_search
from ferryman.translator.running import Splitter, join
from ferryman.translator.scoring import said, score_pairs
from ferryman.translator.searching import Searcher
from ferryman.translator.translation import Translation

STREAM_CHUNK = 1000  # texts sorted by length at a time when streaming


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
        forbidden = sorted(tokenizers.target.never_text - {self.symbols.eos})
        self.searcher = Searcher(model, self.symbols, forbidden)
        self.checker = Checker(self.searcher, tokenizers, config.data)

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

        An empty text, or one of white space only, has the empty translation. Sentences of a text are translated each by
        itself (``decoding.split_sentences``), and what no language changes comes back byte for byte
        (``decoding.protect``).

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
        check_texts(texts, first)
        splitter = Splitter(self._source_language(language), self._limit(before, decoding), self._count)
        parts = [splitter.split(text, decoding) for text in texts]
        sentences = [Sentence(text, number) for number, each in enumerate(parts, first) for text in each.texts]
        found = iter(translate_protected(sentences, decoding, self._tools(before, language)))
        return [join([next(found) for _ in each.texts], each, language, decoding) for each in parts]

    def _translate(
        self, sentences: Sequence[Sentence], decoding: DecodingConfig, before: list[int], language: str
    ) -> list[Translation]:
        rows = self.tokenizers.source.encode_batch([sentence.text for sentence in sentences])
        # Not every normal form makes a blank text an empty one.
        rows = [row if sentence.text.strip() else [] for row, sentence in zip(rows, sentences, strict=True)]
        pieces, flags = self._cut(rows, before, decoding, [sentence.number for sentence in sentences])
        found: list[list[list[Hypothesis]]] = [[] for _ in sentences]
        ids = [piece.ids for piece in pieces]
        checked = self.checker.settle(ids, self.searcher.search(ids, to_search(decoding)), decoding, language)
        for piece, best in zip(pieces, checked, strict=True):
            found[piece.text].append(best)
        return [self._join(part, flag, decoding, language) for part, flag in zip(found, flags, strict=True)]

    def _tools(self, before: list[int], language: str) -> Tools:
        def translate(sentences: Sequence[Sentence], decoding: DecodingConfig) -> list[Translation]:
            return self._translate(sentences, decoding, before, language)

        def attend(source: Sequence[int], target: Sequence[int]) -> Attention:
            weights = cross_attention(self.model, self.symbols, [*before, *source], target)
            return weights[:, len(before) : -1]

        tokenizers, spaced = self.tokenizers, word_separator(language) == " "
        return Tools(translate, attend, tokenizers.source, tokenizers.target, spaced)

    def _source_language(self, language: str) -> str:
        """Return the language translated from into ``language``; empty if there are several."""
        sources = {each.source for each in directions(self.config.data) if each.target == language}
        return sources.pop() if len(sources) == 1 else ""

    def _limit(self, before: list[int], decoding: DecodingConfig) -> int:
        """Return how many tokens a source may have to be translated in one piece."""
        if self.config.model.positions == "learned":
            return min(decoding.max_source_tokens, self.config.model.max_positions - 1 - len(before))
        return decoding.max_source_tokens

    def _count(self, text: str) -> int:
        return len(self.tokenizers.source.encode(text))

    def translate_stream(
        self, texts: Iterable[str], decoding: DecodingConfig | None = None, *, to: str | None = None
    ) -> Iterator[Translation]:
        """Translate any number of texts in bounded memory, in order; see ``translate``."""
        iterator, first = iter(texts), 1
        while chunk := list(islice(iterator, STREAM_CHUNK)):
            yield from self.translate(chunk, decoding, to=to, first=first)
            first += len(chunk)

    def score(
        self, sources: Sequence[str], targets: Sequence[str | Translation], *, to: str | None = None
    ) -> list[float]:
        """Return the log-probability of each target (end symbol included) given its source, as decoding counts it.

        A text is scored as the tokenizer cuts it into tokens. A search may have said the same text in others; a
        translation is scored as it was said, and has its own ``log_prob``.

        Raises:
            TranslationError: the numbers of texts differ, a text is not valid Unicode, the model does not translate
                into ``to``, or a translation is not of its source as a whole (``split``, ``cut``).

        """
        if len(sources) != len(targets):
            raise TranslationError(f"{len(sources)} sources but {len(targets)} targets; they must be pairs")
        before = self.prefix(to)
        source_ids = [before + ids for ids in encode_texts(self.tokenizers.source, sources, 1)]
        return score_pairs(self.model, self.symbols, source_ids, said(targets, self.tokenizers.target))

    def rerank(
        self,
        source: str,
        candidates: Sequence[str | Translation],
        decoding: DecodingConfig | None = None,
        *,
        to: str | None = None,
    ) -> list[Translation]:
        """Order translations of one text, whoever made them, by this model's score, best first.

        The scores are this model's log-probabilities over ``decoding.length_penalty``; see ``score``. Of equals, the
        first stays first.

        Raises:
            TranslationError: see ``score``.

        """
        decoding = decoding or self.config.decoding
        log_probs = self.score([source] * len(candidates), candidates, to=to)
        return scored(candidates, self.tokenizers.target, log_probs, decoding.length_penalty)

    def _cut(
        self, rows: list[list[int]], before: list[int], decoding: DecodingConfig, numbers: list[int]
    ) -> tuple[list[_Piece], list[list[str]]]:
        limit = self._limit(before, decoding)
        pieces, flags = [], []
        for index, ids in enumerate(rows):
            parts, flag = [ids] if ids else [], []
            if len(ids) > limit:
                if decoding.too_long == "error":
                    raise TranslationError(
                        f"text {numbers[index]} has {len(ids)} tokens, more than {limit}; shorten it, or set "
                        "decoding.too_long to split or truncate"
                    )
                split = decoding.too_long == "split"
                parts = cut(ids, self.tokenizers.source.pieces(ids), limit) if split else [ids[:limit]]
                flag = ["split" if split else "cut"]
            pieces += [_Piece(index, before + part) for part in parts]
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
        first = found[0]
        return Translation(first.text, first.score, first.log_prob, first.tokens, first.flags, tuple(found[1:]))

    def _translation(
        self, parts: list[Hypothesis], flags: list[str], decoding: DecodingConfig, language: str
    ) -> Translation:
        text = word_separator(language).join(self.tokenizers.target.decode(part.tokens).strip() for part in parts)
        tokens = tuple(token for part in parts for token in part.tokens)
        log_prob = sum(part.log_prob for part in parts)
        score = parts[0].score if len(parts) == 1 else log_prob / penalty(len(tokens), decoding.length_penalty)
        flags = list(dict.fromkeys([*flags, *(flag for part in parts for flag in part.flags)]))
        return Translation(text, score, log_prob, tokens, tuple(flags))
