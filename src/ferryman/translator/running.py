"""Running text: a text of several sentences is translated sentence by sentence and put together again."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ferryman.config import DecodingConfig
from ferryman.decoding import penalty
from ferryman.text.languages import word_separator
from ferryman.text.protected import find_spans
from ferryman.text.sentences import space_between, split_sentences
from ferryman.translator.alignment import join_alignments
from ferryman.translator.translation import Translation

SPLIT = "split"


@dataclass(frozen=True)
class Parts:
    """A text in parts that are translated each by itself, and the white space after each."""

    texts: tuple[str, ...]
    spaces: tuple[str, ...]
    language: str = ""  # empty if unknown
    flags: tuple[str, ...] = ()  # of the whole


@dataclass(frozen=True)
class Splitter:
    """Knows of a model in what parts a text is translated."""

    language: str  # of the texts; empty if unknown
    limit: int  # tokens in one piece
    count: Callable[[str], int]  # tokens of a text

    def split(self, text: str, decoding: DecodingConfig) -> Parts:
        """Split a text between sentences; without ``decoding.split_sentences`` only what is too long, and flag it."""
        if not decoding.split_sentences:
            if decoding.too_long != "split" or len(text.encode()) <= self.limit or self.count(text) <= self.limit:
                return Parts((text,), ("",), self.language)
            return self._packed(self._sentences(text))
        sentences = self._sentences(text)
        return Parts(
            tuple(sentence for sentence, _ in sentences), tuple(space for _, space in sentences), self.language
        )

    def _sentences(self, text: str) -> list[tuple[str, str]]:
        sentences = split_sentences(text, self.language)
        if len(sentences) == 1:
            return sentences
        spans = find_spans(text, ("tag", "url", "email", "placeholder"))
        whole = [(span.start, span.end) for span in spans]
        return split_sentences(text, self.language, whole) if whole else sentences

    def _packed(self, sentences: Sequence[tuple[str, str]]) -> Parts:
        """Put as many sentences into one part as the limit allows."""
        texts: list[str] = []
        spaces: list[str] = []
        room = 0
        for sentence, space in sentences:
            tokens = self.count(sentence)
            if texts and tokens <= room:
                texts[-1] += spaces[-1] + sentence
                spaces[-1] = space
                room -= tokens
            else:
                texts.append(sentence)
                spaces.append(space)
                room = self.limit - tokens
        return Parts(tuple(texts), tuple(spaces), self.language, (SPLIT,) if len(texts) > 1 else ())


def join(translations: Sequence[Translation], parts: Parts, language: str, decoding: DecodingConfig) -> Translation:
    """Join the translations of the parts of a text, with white space between them; see ``space_between``.

    The log-probability is the parts' sum, and the score that sum over the length penalty of all tokens. Alternatives
    are in the order of the sum of their parts' scores, so that the best is that of the best.
    """
    if len(translations) == 1:
        return translations[0]
    spaced, target_spaced = _is_spaced(parts.language), _is_spaced(language)
    spaces = [space_between(space, spaced, target_spaced) for space in parts.spaces[:-1]]
    ways: list[list[Translation]] = [[]]
    for part in translations:
        candidates = (replace(part, alternatives=()), *part.alternatives)
        longer = [[*way, candidate] for way in ways for candidate in candidates]
        ways = sorted(longer, key=lambda way: -sum(one.score for one in way))[: decoding.n_best]
    best, *others = [_joined(way, spaces, parts.flags, decoding) for way in ways]
    return replace(best, alternatives=tuple(others))


def _is_spaced(language: str) -> bool:
    return not language or word_separator(language) == " "


def _is_wide(character: str) -> bool:
    """Tell whether a character is as wide as a Chinese one, as their punctuation is too."""
    return unicodedata.east_asian_width(character) in "WF"


def _joined(
    way: Sequence[Translation], spaces: Sequence[str], flags: Sequence[str], decoding: DecodingConfig
) -> Translation:
    text = ""
    for one, space in zip(way, ("", *spaces), strict=True):
        if text and one.text:
            apart = not (_is_wide(text[-1]) or _is_wide(one.text[0]))  # else Latin words would become one
            text += space or (" " if apart else "")
        text += one.text
    tokens = tuple(token for one in way for token in one.tokens)
    log_prob = sum(one.log_prob for one in way)
    every = dict.fromkeys((*flags, *(flag for one in way for flag in one.flags)))
    score = log_prob / penalty(len(tokens), decoding.length_penalty)
    return Translation(
        text,
        score,
        log_prob,
        tokens,
        tuple(every),
        token_log_probs=tuple(value for one in way for value in one.token_log_probs),
        alignment=join_alignments([one.alignment for one in way]),
    )
