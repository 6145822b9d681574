"""Tokens as people read them, and the words they make."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ferryman.explain.values import Token
from ferryman.text.escaping import SPACE_SYMBOL, unescape
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.alignment import Side


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one side."""

    tokenizer: Tokenizer
    spellings: list[bytes] = field(init=False)
    silent: set[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spellings", self.tokenizer.spellings)
        object.__setattr__(self, "silent", self.tokenizer.never_text)

    def spell(self, token: int) -> tuple[str, str]:
        """Return a token's piece, and what it adds to a text: for control symbols and parts of characters, the piece.

        Pieces are written with their spaces as ▁, and these are left out of the text.
        """
        piece = self.tokenizer.pieces([token])[0]
        try:
            spelled = self.spellings[token].decode()
        except UnicodeDecodeError:
            return piece, piece
        text = unescape(spelled.replace(SPACE_SYMBOL, "")) if spelled else piece
        return piece if token in self.silent else spelled, text

    def tokens(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """Describe tokens."""
        return tuple(Token(token, *self.spell(token)) for token in ids)


def find_words(side: Side, ids: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the places of the tokens of each word.

    A word is what stands between spaces; in a language without these, the smallest run of characters that whole tokens
    make, most often one token. A token that holds several words makes them one.
    """
    words: list[list[int]] = []
    last = -1
    for place, inside in enumerate(side.words(ids)):
        if inside and inside[0] > last:
            words.append([place])
        elif inside:
            words[-1].append(place)
        last = max([last, *inside])
    return tuple(map(tuple, words))


def of_tokens(words: Sequence[Sequence[int]], tokens: int) -> list[list[int]]:
    """Turn the tokens of each word into the words, one or none, of each token."""
    found: list[list[int]] = [[] for _ in range(tokens)]
    for word, places in enumerate(words):
        for place in places:
            found[place].append(word)
    return found
