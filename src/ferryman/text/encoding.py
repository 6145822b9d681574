"""Texts as a caller gives them, to token ids: what cannot be one is told by its number."""

from collections.abc import Sequence

from ferryman.errors import TokenizerError, TranslationError
from ferryman.text.tokenizer import Tokenizer, check_encodable


def encode_texts(tokenizer: Tokenizer, texts: Sequence[str], first: int) -> list[list[int]]:
    """Return the ids of each text, the first of which is numbered ``first`` in errors.

    Raises:
        TranslationError: something is no text, or not valid Unicode.
    """
    check_texts(texts, first)
    return tokenizer.encode_batch(texts)


def check_texts(texts: Sequence[str], first: int) -> None:
    """Raise ``TranslationError`` where something is no text, or not valid Unicode; see ``encode_texts``."""
    if isinstance(texts, str):
        raise TranslationError("expected a list of texts, found one text; write [text]")
    if not isinstance(texts, Sequence):
        raise TranslationError(
            f"expected a list of texts, found {type(texts).__name__}; write list(…), or translate_stream for many"
        )
    for number, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise TranslationError(f"text {number}: expected a str, found {type(text).__name__}")
        try:
            check_encodable(text)
        except TokenizerError as error:
            raise TranslationError(f"text {number}: {error}") from error
