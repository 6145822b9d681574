"""Train a tokenizer: a bounded sample of a corpus goes in, a SentencePiece model comes out."""

import heapq
import io
import math
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import sentencepiece

from ferryman.errors import TokenizerError
from ferryman.text.escaping import escape
from ferryman.text.normal_form import find_normal_form
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import check_encodable

_BYTES_A_CHARACTER = {"bpe": (6, 160), "unigram": (22, 56)}
"""Memory that the trainer needs, measured: where spaces part words, which come again, and in scripts without spaces."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\U00020000-\U0003ffff]")
_CHUNK_CHARACTERS = 1000
_CHUNK_BYTES = 1 << 16  # more than a chunk can have once it is in its normal form: the trainer drops longer ones
_TRAINERS_OWN_MARK = "\u2585"  # the trainer drops every sentence with this character


@dataclass(frozen=True, kw_only=True)
class TokenizerRecipe:
    """How a tokenizer is trained.

    Attributes:
        kind: ``bpe`` (Sennrich et al., 2016) or ``unigram`` (Kudo, 2018).
        vocab_size: ids asked for, with all control symbols and the 256 byte pieces. A small corpus supports fewer:
            then the tokenizer has those, see its ``vocab_size``.
        normal_form: name of the normal form, see ``NORMAL_FORMS``.
        character_coverage: share of the sample's characters that must be pieces; rarer ones are written in bytes.
        max_sentences: sentences drawn at random to learn from; a longer corpus is read through, not held.
        max_bytes: memory that they may need in training, by estimate: fewer are drawn if they are long.
        seed: of that draw.
        threads: processor threads to use; the same corpus, recipe and number give the same tokenizer.
        control_symbols: names of more control symbols; no text has them, whatever its characters.
    """

    kind: Literal["bpe", "unigram"]
    vocab_size: int
    normal_form: str = "nfc"
    character_coverage: float = 0.9999
    max_sentences: int = 500_000
    max_bytes: int = 400_000_000
    seed: int = 1
    threads: int = 1
    control_symbols: tuple[str, ...] = ()

    def bytes_for(self, text: str) -> int:
        """Estimate the memory that training needs for a text."""
        spaced, unspaced = _BYTES_A_CHARACTER[self.kind]
        return spaced * len(text) + (unspaced - spaced) * len(_UNSPACED.findall(text))


class Sample:
    """Items of one text or several, drawn at random from a stream and held: all of it, or what the limits allow.

    Every item gets a random rank; the longest run of lowest ranks that keeps within both limits stays. So each item
    has the same chance, and the same stream and recipe give the same sample.
    """

    def __init__(self, recipe: TokenizerRecipe, max_items: int) -> None:
        self.recipe, self.max_items = recipe, max_items
        self._bytes = 0
        self._chance = random.Random(recipe.seed)
        self._lowest_refused = math.inf
        self._held: list[tuple[float, *tuple[str, ...]]] = []  # a heap of (-rank, texts): the highest rank first

    def add(self, *texts: str) -> None:
        """Take up an item, or leave it; others may have to go."""
        rank = self._chance.random()
        if rank >= self._lowest_refused:
            return
        item: tuple[float, *tuple[str, ...]] = (-rank, *texts)
        heapq.heappush(self._held, item)
        self._bytes += sum(map(self.recipe.bytes_for, texts))
        while len(self._held) > self.max_items or self._bytes > self.recipe.max_bytes:
            refused, *dropped = heapq.heappop(self._held)
            self._lowest_refused = -refused
            self._bytes -= sum(map(self.recipe.bytes_for, dropped))

    def drain(self) -> Iterator[tuple[str, ...]]:
        """Give away the items, each forgotten as soon as it is given."""
        while self._held:
            yield self._held.pop()[1:]


def train_tokenizer(sentences: Iterable[str], recipe: TokenizerRecipe) -> SentencePieceTokenizer:
    """Train a tokenizer on the sentences, read once and never held all together.

    Ids: pad 0, unknown 1, bos 2, eos 3, the recipe's control symbols, the 256 byte pieces, then the pieces learned.
    A sentence of more than 1,000 characters is cut and its parts are drawn from like sentences.

    Raises:
        TokenizerError: there is no text, or ``vocab_size`` is below what the characters of the sample need; the
            message names that minimum. A sentence holds a lone surrogate.
        ConfigError: there is no such normal form.
    """
    normalise = find_normal_form(recipe.normal_form)
    sample = Sample(recipe, recipe.max_sentences)
    for chunk in _chunks(sentences):
        sample.add(chunk)
    ready = (part for (chunk,) in sample.drain() for part in escape(normalise(chunk)).split(_TRAINERS_OWN_MARK) if part)
    first = next(ready, None)
    if first is None:
        raise TokenizerError(
            "there is no text to train a tokenizer on: every sentence is empty (or max_sentences is below 1)."
        )
    return SentencePieceTokenizer(_train(chain([first], ready), recipe), normal_form=recipe.normal_form)


def _chunks(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        check_encodable(sentence)
        for start in range(0, len(sentence), _CHUNK_CHARACTERS):
            chunk = sentence[start : start + _CHUNK_CHARACTERS]
            if not chunk.isspace():
                yield chunk


def _train(sentences: Iterator[str], recipe: TokenizerRecipe) -> bytes:
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=sentences,
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
            control_symbols=list(recipe.control_symbols),
            num_threads=recipe.threads,
            minloglevel=3,
        )
    except RuntimeError as error:
        raise TokenizerError(_explain(str(error), recipe)) from error
    return model.getvalue()


def _explain(problem: str, recipe: TokenizerRecipe) -> str:
    if too_small := re.search(r"smaller than required_chars\. (\d+) vs (\d+)", problem):
        return (
            f"a vocabulary of {recipe.vocab_size} is too small for this corpus: its characters, 256 bytes and "
            f"{4 + len(recipe.control_symbols)} control symbols need {too_small[2]}; raise tokenizer.vocab_size or "
            "lower tokenizer.character_coverage."
        )
    return f"SentencePiece could not train a {recipe.kind} model of {recipe.vocab_size} pieces: {problem}"
