"""Which source words a translation's words come from, told by the decoder's attention to the source."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ferryman.decoding import Hypothesis
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.tokenizer import Tokenizer

_SPACE = SPACE_SYMBOL.encode()


@dataclass(frozen=True)
class Alignment:
    """Links from source words to target words, and where asked for the attention between tokens behind them.

    Words are counted from 0. They are what stands between spaces; in languages without these, characters.
    """

    links: tuple[tuple[int, int], ...]  # (source word, target word): one for every target word, in their order
    source_tokens: tuple[str, ...] = ()  # of every piece of the source, end symbols included
    weights: tuple[tuple[float, ...], ...] = ()  # a row for each target token; sums to 1
    words: tuple[int, int] = (0, 0)  # how many there are in source and target

    @property
    def pharaoh(self) -> str:
        """Write the links as ``0-0 1-2``, source word first."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


@dataclass(frozen=True)
class Side:
    """A tokenizer and whether words stand apart in its language."""

    tokenizer: Tokenizer
    spaced: bool

    def words(self, ids: Sequence[int]) -> list[list[int]]:
        """Return the words that each token is, or is a part of."""
        spelled = self.tokenizer.spelled(ids)
        of_byte = _words_of_bytes(b"".join(spelled), self.spaced)
        words, start = [], 0
        for part in spelled:
            inside = of_byte[start : start + len(part)]
            words.append(sorted({word for word in inside if word is not None}))
            start += len(part)
        return words


def align(parts: Sequence[Hypothesis], source: Side, target: Side, *, soft: bool) -> Alignment | None:
    """Align a translation, made of one or several pieces; None if the pieces were not looked at."""
    links: list[tuple[int, int]] = []
    attentions = [part.attention for part in parts if part.attention is not None]
    if len(attentions) < len(parts):
        return None
    before_source = before_target = 0
    for part, attention in zip(parts, attentions, strict=True):
        source_words, target_words = source.words(attention.source), target.words(part.tokens)
        links += [
            (before_source + one, before_target + other)
            for one, other in _links(attention.weights, source_words, target_words)
        ]
        before_source, before_target = before_source + _count(source_words), before_target + _count(target_words)
    words = before_source, before_target
    if not soft:
        return Alignment(tuple(links), words=words)
    tokens = [token for attention in attentions for token in attention.source]
    weights = _blocks([attention.weights for attention in attentions], [len(one.source) for one in attentions])
    return Alignment(tuple(links), tuple(source.tokenizer.pieces(tokens)), weights, words)


def join_alignments(alignments: Sequence[Alignment | None]) -> Alignment | None:
    """Align the translation of a text by those of its sentences; None if one of them has none."""
    known = [alignment for alignment in alignments if alignment is not None]
    if len(known) < len(alignments):
        return None
    links: list[tuple[int, int]] = []
    source = target = 0
    for one in known:
        links += [(source + left, target + right) for left, right in one.links]
        source, target = source + one.words[0], target + one.words[1]
    tokens = tuple(token for one in known for token in one.source_tokens)
    weights = _blocks([one.weights for one in known], [len(one.source_tokens) for one in known])
    return Alignment(tuple(links), tokens, weights, (source, target))


def _links(
    weights: Sequence[Sequence[float]], source_words: Sequence[Sequence[int]], target_words: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    source, target = membership(source_words), membership(target_words)
    return [(said, place) for place, said in enumerate(link_words(np.asarray(weights), source, target).tolist())]


def membership(words: Sequence[Sequence[int]]) -> Float[np.ndarray, "words tokens"]:
    """Make a matrix of the words that each token is, or is a part of: 1 where it is."""
    found = np.zeros((_count(words), len(words)))
    for token, inside in enumerate(words):
        found[inside, token] = 1.0
    return found


def link_words(
    weights: Float[np.ndarray, "*layers tgt src"],
    source: Float[np.ndarray, "source_words src"],
    target: Float[np.ndarray, "target_words tgt"],
) -> Int[np.ndarray, "*layers target_words"]:
    """Link every target word to the source word that its tokens looked at most; of equals, to the first.

    A source token that is a part of several words counts for each in equal shares. Without source words: no links.
    """
    if not len(source):
        return np.zeros((*weights.shape[:-2], 0), dtype=np.int64)
    looked = target @ weights @ (source / np.maximum(source.sum(axis=0), 1.0)).T
    best: Int[np.ndarray, "*layers target_words"] = looked.argmax(axis=-1)
    return best


def _blocks(weights: Sequence[Sequence[Sequence[float]]], widths: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    """Put the pieces' weights side by side: a piece's translation looked at nothing of the others."""
    columns, rows, before = sum(widths), [], 0
    for block, width in zip(weights, widths, strict=True):
        rows += [(*[0.0] * before, *row, *[0.0] * (columns - before - width)) for row in block]
        before += width
    return tuple(rows)


def _count(words: Sequence[Sequence[int]]) -> int:
    return 1 + max((word for each in words for word in each), default=-1)


def _words_of_bytes(spelled: bytes, spaced: bool) -> list[int | None]:
    """Number the words and tell of every byte to which it belongs; spaces belong to none."""
    found: list[int | None] = []
    word, inside = -1, False
    while len(found) < len(spelled):
        place = len(found)
        if spelled.startswith(_SPACE, place):
            found += [None] * len(_SPACE)
            inside = False
            continue
        begins = spelled[place] & 0xC0 != 0x80  # the first byte of a character
        if begins and not (spaced and inside):
            word, inside = word + 1, True
        found.append(max(word, 0))
    return found
