"""Its vocabularies, and our tokenizers: of SentencePiece, of subword-nmt and fastBPE, or of words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import sentencepiece

from ferryman.checkpoint import Tokenizers
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.fairseq.dictionary import UNUSED, read_dictionary
from ferryman.interop.fairseq.files import (
    BYTE_PAIRS,
    CODES,
    SENTENCEPIECE,
    find_dictionaries,
    find_for_language,
)
from ferryman.interop.fairseq.settings import Settings
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import Tokenizer
from ferryman.text.word_splitting import Moses
from ferryman.text.word_tokenizer import WordTokenizer

NORMAL_FORM: Literal["identity"] = "identity"  # what is to be normalised, SentencePiece does
SEPARATOR = "@@"
APOSTROPHE, QUOTE, DASH = "&apos;", "&quot;", "@-@"  # what Moses alone writes, as words or at their beginning
LOOKS = 0.05  # least share of symbols that tell what cut the text
CASED = 0.005  # least share with capital letters, of text that has any
_KINDS = {"sentencepiece": SENTENCEPIECE, "subword_nmt": CODES, "fastbpe": CODES}
_WANTED = {"sentencepiece": "the model of SentencePiece", "subword_nmt": "the codes of subword-nmt or fastBPE"}
_TOKENIZERS = ("moses", "space")
_NAMES = {"sentencepiece": "sentencepiece.bpe.model", "subword_nmt": "bpecodes"}


Kind = Literal["bpe", "unigram", "words"]


@dataclass(frozen=True)
class Side:
    """What is known of the texts of a language."""

    name: str
    """Source or target."""
    language: str
    ids: Mapping[str, int]
    dictionary: Path
    file: Path | None
    """What cuts words, where something does."""


def read_tokenizers(folder: Path, settings: Settings) -> Tokenizers:
    """Read the tokenizers of a folder with a checkpoint.

    Raises:
        ConversionError: a file is missing or damaged, or the text was cut in a way that ours cannot.

    """
    named, languages = settings.choice("bpe", _KINDS), settings.pair
    dictionaries = find_dictionaries(folder, languages)
    folders = [folder, dictionaries[0].parent]
    if found := find_for_language(folders, BYTE_PAIRS, languages, languages[0]):
        raise ConversionError(f"{found}: this is of byte-level BPE; known are {', '.join(_KINDS)}, and words")
    pattern = _KINDS[named] if named else SENTENCEPIECE
    if not named and not any(find_for_language(folders, pattern, languages, each) for each in languages):
        pattern = CODES
    sides = [
        Side(name, language, read_dictionary(path), path, find_for_language(folders, pattern, languages, language))
        for name, language, path in zip(("source", "target"), languages, dictionaries, strict=True)
    ]
    make = _sentencepiece if pattern is SENTENCEPIECE else _words
    source, target = (_made(make, side, settings) for side in sides)
    return Tokenizers(source, source) if source == target else Tokenizers(source, target)


def kind_of(tokenizer: Tokenizer) -> Kind:
    """Name the kind of a tokenizer as the configuration does."""
    if not isinstance(tokenizer, SentencePieceTokenizer):
        return "words"
    model = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_bytes)
    ranked = all(model.get_score(index).is_integer() for index in range(model.vocab_size()))
    return "bpe" if ranked else "unigram"  # its scores are the order of merges, or log-probabilities


def _made(make: Callable[[Side, Settings], Tokenizer], side: Side, settings: Settings) -> Tokenizer:
    if side.file is None and (kind := _looks(side.ids, settings)):
        raise ConversionError(
            f"{side.dictionary}: its symbols are parts of words, but {_WANTED[kind]} that cut them is not here; "
            f"copy it beside the checkpoint, as {_NAMES[kind]}"
        )
    try:
        return make(side, settings)
    except FerrymanError as error:
        raise ConversionError(f"{side.file or side.dictionary}: {error}") from error


def _looks(ids: Mapping[str, int], settings: Settings) -> str | None:
    """Tell by the symbols what cut the text."""
    if named := settings.choice("bpe", _KINDS):
        return "sentencepiece" if named == "sentencepiece" else "subword_nmt"
    separator = settings.text("bpe_separator", SEPARATOR)
    least = LOOKS * len(ids)
    if sum(symbol.startswith(SPACE_SYMBOL) for symbol in ids) > least:
        return "sentencepiece"
    return "subword_nmt" if sum(symbol.endswith(separator) for symbol in ids) > least else None


def _sentencepiece(side: Side, settings: Settings) -> Tokenizer:
    if settings.choice("tokenizer", _TOKENIZERS) == "moses":
        raise settings.refuse("tokenizer", "ours does not cut text twice, by Moses and by SentencePiece")
    if side.file is None:
        raise ConversionError(f"no {_WANTED['sentencepiece']} for the language {side.language}")
    return SentencePieceTokenizer(side.file.read_bytes(), normal_form=NORMAL_FORM, id_map=dict(side.ids))


def _words(side: Side, settings: Settings) -> Tokenizer:
    cased = sum(symbol != symbol.lower() for symbol in side.ids)
    return WordTokenizer(
        sorted(side.ids, key=lambda symbol: side.ids[symbol]),
        normal_form=NORMAL_FORM,
        codes=None if side.file is None else side.file.read_text(encoding="utf-8"),
        separator=settings.text("bpe_separator", SEPARATOR),
        moses=_moses(side, settings),
        lowercase=cased < CASED * len(side.ids),
        controls={symbol: symbol for symbol in side.ids if UNUSED.fullmatch(symbol)},
    )


def _moses(side: Side, settings: Settings) -> Moses | None:
    """Tell how Moses cut the text, if it did: by the settings, else by what only Moses writes."""
    named = settings.choice("tokenizer", _TOKENIZERS)
    language = settings.text(f"moses_{side.name}_lang", side.language).partition("_")[0]
    if named == "moses":
        return Moses(
            language, dashes=not settings.flag("moses_no_dash_splits"), escape=not settings.flag("moses_no_escape")
        )
    escaped = QUOTE in side.ids or any(symbol.startswith(APOSTROPHE) for symbol in side.ids)
    dashes = DASH in side.ids
    return Moses(language, dashes=dashes, escape=escaped) if not named and (escaped or dashes) else None
