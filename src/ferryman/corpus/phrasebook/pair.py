"""A sentence pair with its gold alignment."""

from dataclasses import dataclass

from ferryman.corpus.phrasebook.phrases import Word

CLOSING = frozenset(".,?!")


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A sentence, its translation, the words of both and the gold links between them.

    Punctuation marks are words of their own. English and German words are joined by a space, except before
    ``. , ? !``; Chinese words (a segmentation, which the text does not show) are joined by nothing.
    ``alignment`` holds (source word, target word), counted from 0, sorted.
    """

    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...]


def join(words: list[Word], separator: str) -> str:
    """Join words to a text."""
    text = words[0].text
    for word in words[1:]:
        text += word.text if word.text in CLOSING else separator + word.text
    return text


def links(source: list[Word], target: list[Word]) -> tuple[tuple[int, int], ...]:
    """Align words that express a common part of the meaning."""
    places: dict[str, list[int]] = {}
    for j, word in enumerate(target):
        for part in word.parts:
            places.setdefault(part, []).append(j)
    found = {(i, j) for i, word in enumerate(source) for part in word.parts for j in places.get(part, ())}
    return tuple(sorted(found))
