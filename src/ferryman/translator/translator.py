"""Texts in, translations out: what surrounds the search."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DecodingConfig
from ferryman.errors import TranslationError
from ferryman.model.transformer import Transformer
from ferryman.text.directions import find_target, source_of
from ferryman.text.encoding import check_texts, encode_texts
from ferryman.text.prefix import before_source, before_target
from ferryman.translator.alignment import Side
from ferryman.translator.checking import Checker
from ferryman.translator.growing import Growing
from ferryman.translator.pieces import Line
from ferryman.translator.protecting import Sentence
from ferryman.translator.reranking import scored
from ferryman.translator.running import Parts, join
from ferryman.translator.scoring import said, score_pairs
from ferryman.translator.searching import Searcher
from ferryman.translator.sentences import Sentences
from ferryman.translator.streaming import Tell, stream
from ferryman.translator.translation import Translation
from ferryman.translator.watching import Record
from ferryman.translator.wishes import Asked, Wanted

STREAM_CHUNK = 1000  # texts sorted by length at a time when streaming


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
        self.symbols = tokenizers.symbols(config.model.start_symbol, source_end=config.model.source_end)
        forbidden = sorted(tokenizers.target.never_text - {self.symbols.eos})
        self.searcher = Searcher(model, self.symbols, forbidden, tokenizers.target, partners)
        self.by_sentence = Sentences(self.searcher, Checker(self.searcher, tokenizers, config.data), tokenizers)
        self._lines: dict[tuple[str | None, str | None, int], Line] = {}  # as each text of a server asks

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
        tag = (decoding or self.config.decoding).tag
        return before_source(self.config, self.tokenizers.source, self.target_language(to), tag)

    def opening(self, to: str | None = None) -> tuple[int, ...]:
        """Return the control tokens at the beginning of every translation; see ``prefix``."""
        return before_target(self.config, self.tokenizers.target, self.target_language(to))

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

        An empty text, or one of white space only, has the empty translation. Sentences of a text are translated each by
        itself (``decoding.split_sentences``), and what no language changes comes back byte for byte
        (``decoding.protect``); but a text with a prefix or phrases of its own is translated as one, as the model says
        it.

        Args:
            texts: in a language that the model translates from.
            decoding: how to search; unset: as the model's configuration says.
            to: language to translate into, of those of the model; needed if there are several.
            first: number of the first text in errors.
            prefixes: how each translation begins; unset: with ``decoding.target_prefix``.
            constraints: phrases that each translation contains, besides ``decoding.required_phrases``.
            tell: called with the likeliest text so far while a beam search works, sentence by sentence; for one text.

        Raises:
            TranslationError: a text is not valid Unicode, or too long under ``decoding.too_long: error``; the model
                does not translate into ``to``; there is not one prefix or list of constraints for every text; or there
                is something to tell and not one text.
            ConfigError: the model has no tag ``decoding.tag``, or no layer ``decoding.alignment_layer``; or another
                device or number of threads is asked for than it was loaded with.

        """
        decoding = decoding or self.config.decoding
        self.searcher.check(decoding, self.config.decoding)
        wanted = Wanted(prefixes, constraints)
        check_texts(texts, first)
        wanted.check(texts, decoding)
        line = self._line(to, decoding)
        asked = wanted.asked(len(texts), decoding, self.tokenizers.target, line.target_language)
        parts = self._split(texts, asked, line, decoding)
        sentences = [
            Sentence(text, number, wish)
            for number, (each, wish) in enumerate(zip(parts, asked.wishes, strict=True), first)
            for text in each.texts
        ]
        if tell is None:
            found = iter(self.by_sentence.translate(sentences, decoding, line))
        elif len(texts) == 1:
            growing = Growing(parts[0], line.target_language, decoding, tell)
            found = self.by_sentence.one_by_one(sentences, decoding, line, growing)
        else:
            raise TranslationError(f"tell: what is told is of one text, found {len(texts)}")
        joined = [join([next(found) for _ in each.texts], each, line.target_language, decoding) for each in parts]
        return asked.checked(joined)

    def _split(self, texts: Sequence[str], asked: Asked, line: Line, decoding: DecodingConfig) -> list[Parts]:
        """Split texts between sentences, but for those with wishes, which are for the whole."""
        return [
            Parts((text,), ("",), line.source_language) if wish.anything else line.splitter.split(text, decoding)
            for text, wish in zip(texts, asked.wishes, strict=True)
        ]

    def _line(self, to: str | None, decoding: DecodingConfig) -> Line:
        limit, most = decoding.max_source_tokens, self.searcher.max_positions
        key = (self.to if to is None else to, decoding.tag, limit)
        if key not in self._lines:
            language, before = self.target_language(to), self.prefix(to, decoding)
            self._lines[key] = Line(
                self.tokenizers,
                source_language=source_of(self.config.data, language),
                target_language=language,
                before=before,
                limit=limit if most is None else min(limit, most - 1 - len(before)),
                opening=self.opening(to),
            )
        return self._lines[key]

    def split(self, text: str, decoding: DecodingConfig | None = None, *, to: str | None = None) -> Parts:
        """Return a text in the parts that are translated each by itself; raises what ``translate`` raises."""
        decoding = decoding or self.config.decoding
        line = self._line(to, decoding)
        if decoding.target_prefix or decoding.required_phrases:
            return Parts((text,), ("",), line.source_language)
        return line.splitter.split(text, decoding)

    def sentences(self, text: str, decoding: DecodingConfig | None = None, *, to: str | None = None) -> tuple[str, ...]:
        """Return the parts of a text that are translated each by itself; raises what ``translate`` raises."""
        return self.split(text, decoding, to=to).texts

    def sides(self, to: str | None = None) -> tuple[Side, Side]:
        """Return the tokenizers of source and target, with what words are in these languages."""
        return self._line(to, self.config.decoding).sides

    def recorded(self, record: Record) -> "Translator":
        """Return a translator that shares everything with this one and tells ``record`` of each search it makes."""
        twin = copy.copy(self)
        twin.searcher = self.searcher.recorded(record)
        checker = Checker(twin.searcher, self.tokenizers, self.config.data)
        twin.by_sentence = Sentences(twin.searcher, checker, self.tokenizers)
        return twin

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
        before, opening = self.prefix(to), self.opening(to)
        source_ids = [before + ids for ids in encode_texts(self.tokenizers.source, sources, 1)]
        tokens = said(targets, self.tokenizers.target, opening)
        if len(self.searcher.models) > 1:
            return self.searcher.second_look.log_probs(source_ids, tokens)
        return score_pairs(self.model, self.symbols, source_ids, tokens)

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
        tokens = said(candidates, self.tokenizers.target, self.opening(to))
        return scored(candidates, tokens, log_probs, decoding.length_penalty)
