"""Single sentences, from text to text: cut, searched, looked at again, and their spans kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ferryman.checkpoint import Tokenizers
from ferryman.config import DecodingConfig
from ferryman.decoding import Hypothesis
from ferryman.text.languages import word_separator
from ferryman.translator.attending import attend_to_pair, last_two
from ferryman.translator.checking import Checker
from ferryman.translator.growing import Growing
from ferryman.translator.phrasing import place_phrases
from ferryman.translator.pieces import Line
from ferryman.translator.protecting import Attention, Sentence, Tools, translate_protected
from ferryman.translator.reranking import to_search
from ferryman.translator.searching import Searcher
from ferryman.translator.streaming import Partial, Watch
from ferryman.translator.translation import Translation


@dataclass(frozen=True)
class Sentences:
    """What translates sentences, each by itself."""

    searcher: Searcher
    checker: Checker
    tokenizers: Tokenizers

    def translate(
        self, sentences: Sequence[Sentence], decoding: DecodingConfig, line: Line, watch: Watch | None = None
    ) -> list[Translation]:
        """Translate sentences, those without wishes with what is to be protected in them."""
        free = [sentence for sentence in sentences if not sentence.wish.anything]
        bound = [sentence for sentence in sentences if sentence.wish.anything]
        protected = iter(translate_protected(free, decoding, self._tools(line, watch)))
        wished = iter(self._translate(bound, decoding, line, watch))
        return [next(wished if sentence.wish.anything else protected) for sentence in sentences]

    def one_by_one(
        self, sentences: Sequence[Sentence], decoding: DecodingConfig, line: Line, growing: Growing
    ) -> Iterator[Translation]:
        """Translate the sentences of a text one after the other, so that what is told of it grows."""
        for sentence in sentences:
            watch = Partial(self.tokenizers.target.decode, word_separator(line.target_language), growing.tell)
            (translation,) = self.translate([sentence], decoding, line, watch)
            growing.add(translation)
            yield translation

    def _translate(
        self, sentences: Sequence[Sentence], decoding: DecodingConfig, line: Line, watch: Watch | None
    ) -> list[Translation]:
        pieces, flags = line.cut(sentences, decoding)
        ids = [piece.ids for piece in pieces]
        best = self.searcher.search(ids, to_search(decoding), watch=watch)
        best = self.checker.settle(ids, best, decoding, line.target_language)
        wishes = [sentence.wish for sentence in sentences]
        best = place_phrases([piece.sentence for piece in pieces], ids, best, wishes, self.searcher, decoding)
        found: list[list[list[Hypothesis]]] = [[] for _ in sentences]
        for piece, each in zip(pieces, self.searcher.second_look.annotate(ids, best, decoding), strict=True):
            found[piece.sentence].append(each)
        return [line.join(part, flag, decoding) for part, flag in zip(found, flags, strict=True)]

    def _tools(self, line: Line, watch: Watch | None) -> Tools:
        watches = [watch]  # the first search; later ones only mend

        def translate(sentences: Sequence[Sentence], decoding: DecodingConfig) -> list[Translation]:
            return self._translate(sentences, decoding, line, watches.pop() if watches else None)

        def attend(source: Sequence[int], target: Sequence[int]) -> Attention:
            model, ids = self.searcher.models[0], [*line.before, *source]
            weights: Attention = attend_to_pair(model, self.searcher.symbols, ids, target, last_two(model)).mean(
                axis=(0, 1)
            )
            return weights[:, len(line.before) : len(ids)]

        tokenizers, spaced = self.tokenizers, word_separator(line.target_language) == " "
        return Tools(translate, attend, tokenizers.source, tokenizers.target, spaced)
