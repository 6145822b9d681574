"""Train a tokenizer: a bounded sample of a corpus goes in, a SentencePiece model comes out."""

import io
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import sentencepiece

from ferryman.errors import TokenizerError
from ferryman.text.escaping import escape
from ferryman.text.normal_form import find_normal_form
from ferryman.text.tokenizer import Tokenizer, check_encodable

_CHUNK_CHARACTERS = 1000
_CHUNK_BYTES = 1 << 16  # more than a chunk can have once it is in its normal form: the trainer drops longer ones
_TRAINERS_OWN_MARK = "\u2585"  # the trainer drops every sentence with this character


@dataclass(frozen=True, kw_only=True)
class TokenizerRecipe:
    """How a tokenizer is trained.

    Attributes:
        kind: ``bpe`` (Sennrich et al., 2016) or ``unigram`` (Kudo, 2018).
        vocab_size: ids asked for, with the 4 control symbols and the 256 byte pieces. A small corpus supports fewer:
            then the tokenizer has those, see its ``vocab_size``.
        normal_form: name of the normal form, see ``NORMAL_FORMS``.
        character_coverage: share of the sample's characters that must be pieces; rarer ones are written in bytes.
        max_sentences: sentences drawn at random to learn from; a longer corpus is read through, not held.
        seed: of that draw.
        threads: processor threads to use; the same corpus, recipe and number give the same tokenizer.
    """

    kind: Literal["bpe", "unigram"]
    vocab_size: int
    normal_form: str = "nfc"
    character_coverage: float = 0.9999
    max_sentences: int = 500_000
    seed: int = 1
    threads: int = 1


def train_tokenizer(sentences: Iterable[str], recipe: TokenizerRecipe) -> Tokenizer:
    """Train a tokenizer on the sentences, read once and never held all together.

    Ids: pad 0, unknown 1, bos 2, eos 3, then the 256 byte pieces, then the pieces learned.
    A sentence of more than 1,000 characters is cut and its parts are drawn from like sentences.

    Raises:
        TokenizerError: there is no text, or ``vocab_size`` is below what the characters of the sample need; the
            message names that minimum. A sentence holds a lone surrogate.
        ConfigError: there is no such normal form.
    """
    normalise = find_normal_form(recipe.normal_form)
    sample = _draw(_chunks(sentences), recipe.max_sentences, random.Random(recipe.seed))
    ready = [part for chunk in sample for part in escape(normalise(chunk)).split(_TRAINERS_OWN_MARK) if part]
    if not ready:
        raise TokenizerError(
            "there is no text to train a tokenizer on: every sentence is empty (or max_sentences is below 1)."
        )
    return Tokenizer.from_bytes(_train(ready, recipe), normal_form=recipe.normal_form)


def _chunks(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        check_encodable(sentence)
        for start in range(0, len(sentence), _CHUNK_CHARACTERS):
            chunk = sentence[start : start + _CHUNK_CHARACTERS]
            if not chunk.isspace():
                yield chunk


def _draw(items: Iterable[str], limit: int, chance: random.Random) -> list[str]:
    """Return at most ``limit`` of the items, each with the same chance (Vitter, 1985, algorithm R)."""
    drawn: list[str] = []
    for count, item in enumerate(items, start=1):
        if len(drawn) < limit:
            drawn.append(item)
        elif (place := chance.randrange(count)) < limit:
            drawn[place] = item
    return drawn


def _train(sentences: list[str], recipe: TokenizerRecipe) -> bytes:
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            model_type=recipe.kind,
            vocab_size=max(4, recipe.vocab_size),  # below 4 its complaint would not name the minimum
            hard_vocab_limit=False,
            character_coverage=recipe.character_coverage,
            max_sentence_length=_CHUNK_BYTES,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            byte_fallback=True,
            pad_id=0,
            unk_id=1,
            bos_id=2,
            eos_id=3,
            num_threads=recipe.threads,
            minloglevel=3,
        )
    except RuntimeError as error:
        raise TokenizerError(_explain(str(error), recipe)) from error
    return model.getvalue()


def _explain(problem: str, recipe: TokenizerRecipe) -> str:
    if too_small := re.search(r"smaller than required_chars\. (\d+) vs (\d+)", problem):
        return (
            f"a vocabulary of {recipe.vocab_size} is too small for this corpus: its characters, 256 bytes and 4 "
            f"control symbols need {too_small[2]}; raise tokenizer.vocab_size or lower tokenizer.character_coverage."
        )
    return f"SentencePiece could not train a {recipe.kind} model of {recipe.vocab_size} pieces: {problem}"
