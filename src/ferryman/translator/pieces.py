"""Sources cut to what a model can take at once, and what was found for the pieces put together again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ferryman.checkpoint import Tokenizers
from ferryman.config import DecodingConfig
from ferryman.decoding import Hypothesis, penalty
from ferryman.errors import TranslationError
from ferryman.text.languages import word_separator
from ferryman.text.segments import cut
from ferryman.text.tokenizer import UNKNOWN
from ferryman.translator.alignment import Alignment, Side, align
from ferryman.translator.protecting import Sentence
from ferryman.translator.running import Splitter
from ferryman.translator.translation import Translation
from ferryman.translator.wishes import Source


@dataclass(frozen=True)
class Piece:
    """A source short enough to be translated in one go, with the control tokens before it."""

    sentence: int  # index of the sentence it is a part of
    ids: Source


@dataclass(frozen=True)
class Line:
    """One direction of a model: how its sources become pieces, and hypotheses text."""

    tokenizers: Tokenizers
    source_language: str  # empty if there are several
    target_language: str
    before: list[int]  # control tokens at the beginning of every source
    limit: int  # tokens of a source in one piece
    opening: tuple[int, ...] = ()  # control tokens at the beginning of every translation

    @property
    def splitter(self) -> Splitter:
        """What knows in which parts a text is translated."""
        return Splitter(self.source_language, self.limit, lambda text: len(self.tokenizers.source.encode(text)))

    def cut(self, sentences: Sequence[Sentence], decoding: DecodingConfig) -> tuple[list[Piece], list[list[str]]]:
        """Cut sentences into pieces; return these and the flags of each sentence.

        Raises:
            TranslationError: one is too long under ``decoding.too_long: error``.

        """
        rows = self.tokenizers.source.encode_batch([sentence.text for sentence in sentences])
        pieces, flags = [], []
        unknown = self.tokenizers.source.special_ids.get(UNKNOWN)
        for index, (ids, sentence) in enumerate(zip(rows, sentences, strict=True)):
            # Not every normal form makes a blank text an empty one.
            parts = [ids] if ids and sentence.text.strip() else []
            flag = ["unknown"] if unknown in ids else []
            if len(ids) > self.limit:
                if decoding.too_long == "error":
                    raise TranslationError(
                        f"text {sentence.number} has {len(ids)} tokens, more than {self.limit}; shorten it, or set "
                        "decoding.too_long to split or truncate"
                    )
                split = decoding.too_long == "split"
                parts = self._cut(ids) if split else [ids[: self.limit]]
                flag.append("split" if split else "cut")
            wanted = [replace(wish, prefix=(*self.opening, *wish.prefix)) for wish in sentence.wish.shared(len(parts))]
            pieces += [Piece(index, Source(self.before + part, wish)) for part, wish in zip(parts, wanted, strict=True)]
            flags.append(flag)
        return pieces, flags

    def _cut(self, ids: Sequence[int]) -> list[list[int]]:
        spelled = [spelling.decode(errors="replace") for spelling in self.tokenizers.source.spelled(ids)]
        return cut(ids, spelled, self.limit)

    def join(self, parts: list[list[Hypothesis]], flags: list[str], decoding: DecodingConfig) -> Translation:
        """Make a translation of the hypotheses of a sentence's pieces, each best first."""
        if not parts:
            return Translation("", 0.0, 0.0, (), tuple(flags))
        best = [[one] for one in parts[0][: decoding.n_best]] if len(parts) == 1 else [[part[0] for part in parts]]
        first, *others = [self._translation(each, flags, decoding) for each in best]
        return replace(first, alternatives=tuple(others))

    def _translation(self, parts: list[Hypothesis], flags: list[str], decoding: DecodingConfig) -> Translation:
        decode = self.tokenizers.target.decode
        log_prob, tokens = sum(part.log_prob for part in parts), tuple(token for part in parts for token in part.tokens)
        return Translation(
            text=word_separator(self.target_language).join(decode(part.tokens).strip() for part in parts),
            score=parts[0].score if len(parts) == 1 else log_prob / penalty(len(tokens), decoding.length_penalty),
            log_prob=log_prob,
            tokens=tokens,
            flags=tuple(dict.fromkeys([*flags, *(flag for part in parts for flag in part.flags)])),
            token_log_probs=tuple(value for part in parts for value in part.token_log_probs),
            alignment=self._align(parts, decoding),
        )

    @property
    def sides(self) -> tuple[Side, Side]:
        """Source and target, as far as words are concerned."""
        source, target = (
            Side(tokenizer, word_separator(code) == " ")
            for tokenizer, code in (
                (self.tokenizers.source, self.source_language or "en"),
                (self.tokenizers.target, self.target_language),
            )
        )
        return source, target

    def _align(self, parts: list[Hypothesis], decoding: DecodingConfig) -> Alignment | None:
        return None if decoding.alignment == "none" else align(parts, *self.sides, soft=decoding.alignment == "soft")
