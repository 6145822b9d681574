"""Their vocabularies and our tokenizers.

Marian has ``source.spm``, ``target.spm`` and ``vocab.json``; M2M-100 and NLLB have ``sentencepiece.bpe.model``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferryman.checkpoint import Tokenizers
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.stored import read_json, read_json_if_there
from ferryman.text.languages import check_language
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import BOS, EOS, PAD, UNKNOWN, Tokenizer

SOURCE, TARGET, VOCABULARY, TARGET_VOCABULARY = "source.spm", "target.spm", "vocab.json", "target_vocab.json"
MULTILINGUAL = "sentencepiece.bpe.model"
TARGET_EOS = "</s:target>"
ABOUT, SPECIAL, ADDED, FAST = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "tokenizer.json"
NORMAL_FORM = "identity"  # what is to be normalised, the SentencePiece model does
_MARIAN, _M2M, _NLLB = re.compile(r">>(.+)<<"), re.compile(r"__(\w+)__"), re.compile(r"([a-z]{3}_[A-Z][a-z]{3})")
_CONTROL = re.compile(r"<(2|tag:|unused:).+>")
_OURS = re.compile(r"<2(.+)>")
_FAIRSEQ = {BOS: 0, PAD: 1, EOS: 2, UNKNOWN: 3}  # the first ids of NLLB, whatever SentencePiece's are


@dataclass(frozen=True)
class Wanted:
    """What the settings say of a folder's tokens."""

    rows: tuple[int, int]
    """Of the two tables of embeddings; those without a token get the name of an unused one."""
    unsaid: Sequence[int] = ()
    """Ids that are never to be said."""
    merged: int | None = None
    """Rows of the target's table, if the source's ids begin behind it."""
    normal_form: str = NORMAL_FORM


def read_tokenizers(folder: Path, model_type: str, wanted: Wanted) -> Tokenizers:
    """Read the tokenizers of a folder.

    Raises:
        ConversionError: a file is missing or damaged, or there are more tokens than rows.

    """
    if model_type == "m2m_100":
        path = folder / MULTILINGUAL
        model = _read_bytes(path)
        ids = _multilingual_ids(folder, model)
        sides = [(model, ids), (model, ids)]
    else:
        source_ids = _check_ids(read_json(folder / VOCABULARY), folder / VOCABULARY)
        separate = read_json_if_there(folder / ABOUT).get("separate_vocabs", False)
        path = folder / (TARGET_VOCABULARY if separate else VOCABULARY)
        target_ids = _check_ids(read_json(path), path) if separate else source_ids
        if wanted.merged is not None:
            source_ids = _apart(source_ids, target_ids, wanted.merged)
        sides = [(_read_bytes(folder / SOURCE), source_ids), (_read_bytes(folder / TARGET), target_ids)]
    try:
        source, target = (
            _tokenizer(model, _fill(ids, rows, unsaid, path), wanted.normal_form)
            for (model, ids), rows, unsaid in zip(sides, wanted.rows, ((), wanted.unsaid), strict=True)
        )
    except FerrymanError as error:
        raise ConversionError(f"{folder}: {error}") from error
    return Tokenizers(source, source) if source == target else Tokenizers(source, target)


def merged_vocabularies(source: Tokenizer, target: Tokenizer) -> tuple[dict[str, int], dict[str, int]]:
    """Number two vocabularies so that one table holds both, the target's first, which keeps its ids.

    Padding is the target's. The source's end symbol is another token than the target's, which gets a second name: by
    that a tokenizer knows what to leave out of a text.
    """
    first = target.vocab_size
    shifted = {piece: first + index for piece, index in vocabulary(source).items()}
    return shifted | {PAD: target.pad_id, TARGET_EOS: target.eos_id}, vocabulary(target)


def _apart(source: Mapping[str, int], target: Mapping[str, int], first: int) -> dict[str, int]:
    """Undo ``merged_vocabularies``."""
    ids = {piece: index - first for piece, index in source.items() if index >= first}
    return ids | {piece: target[piece] for piece in (PAD,) if piece in source and piece in target}


def _tokenizer(model: bytes, ids: dict[str, int], normal_form: str) -> Tokenizer:
    plain = SentencePieceTokenizer(model, normal_form=normal_form)
    own = {piece: index for index, piece in enumerate(plain.pieces(range(plain.vocab_size)))}
    return plain if own == ids else SentencePieceTokenizer(model, normal_form=normal_form, id_map=ids)


def our_name(piece: str) -> str:
    """Name a token as we do: of a language ``<2de>``, if its code can be brought into the form of BCP 47."""
    for pattern in (_MARIAN, _M2M, _NLLB):
        if (found := pattern.fullmatch(piece)) and (code := as_language(found[1])):
            return f"<2{code}>"
    return piece


def their_name(piece: str) -> str:
    """Name a token as Marian does: of a language ``>>de<<``."""
    found = _OURS.fullmatch(piece)
    return f">>{found[1].replace('-', '_')}<<" if found else piece


def as_language(code: str) -> str:
    """Return a code in the form of BCP 47, or nothing."""
    try:
        return check_language(code.replace("_", "-"))
    except FerrymanError:
        return ""


def vocabulary(tokenizer: Tokenizer) -> dict[str, int]:
    """Return the tokens by Marian's names, and their ids."""
    return {their_name(piece): index for index, piece in enumerate(tokenizer.pieces(range(tokenizer.vocab_size)))}


def languages(tokenizer: Tokenizer) -> list[str]:
    """List the languages that a tokenizer has tokens of, in the order of their ids."""
    return [found[1] for name in tokenizer.control_symbols if (found := _OURS.fullmatch(name))]


def _multilingual_ids(folder: Path, model: bytes) -> dict[str, int]:
    """Return the ids of M2M-100 (``vocab.json``, then languages) or NLLB (SentencePiece's, shifted, then languages)."""
    if (folder / VOCABULARY).exists():
        ids = _check_ids(read_json(folder / VOCABULARY), folder / VOCABULARY)
    else:
        own = SentencePieceTokenizer(model, normal_form=NORMAL_FORM)
        shifted = {piece: index + 1 for index, piece in enumerate(own.pieces(range(own.vocab_size))) if index >= 3}
        ids = _FAIRSEQ | {piece: index for piece, index in shifted.items() if piece not in _FAIRSEQ}
    added = _added_tokens(folder, 1 + max(ids.values()))
    if not any(our_name(piece) != piece for piece in (*ids, *added)):
        raise ConversionError(f"{folder}: no tokens of languages in {ABOUT}, {SPECIAL}, {ADDED} or {FAST}")
    names = _renamed(ids)
    taken = set(names.values())
    return names | {our_name(piece): index for piece, index in added.items() if index not in taken}


def _added_tokens(folder: Path, first: int) -> dict[str, int]:
    """Return the tokens that stand behind the vocabulary, wherever this version of the format lists them."""
    about, special = read_json_if_there(folder / ABOUT), read_json_if_there(folder / SPECIAL)
    numbered = [(_id(entry), entry) for entry in _many(read_json_if_there(folder / FAST).get("added_tokens"))]
    decoder = about.get("added_tokens_decoder")
    numbered += [(_id(index), entry) for index, entry in (decoder if isinstance(decoder, dict) else {}).items()]
    found = {_text(entry): index for index, entry in numbered if index is not None}
    found |= {name: index for name, index in read_json_if_there(folder / ADDED).items() if isinstance(index, int)}
    if any(our_name(name) != name for name in found):
        return found
    listed: list[Any] = []
    for file in (special, about):
        for key in ("additional_special_tokens", "extra_special_tokens"):
            listed = listed or _many(file.get(key))
    return found | {_text(entry): first + place for place, entry in enumerate(listed)}


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _id(entry: Any) -> int | None:
    index = entry.get("id") if isinstance(entry, dict) else entry
    return int(index) if isinstance(index, int) or (isinstance(index, str) and index.isdecimal()) else None


def _text(entry: Any) -> str:
    return str(entry.get("content", "")) if isinstance(entry, dict) else str(entry)


def _check_ids(ids: Mapping[str, Any], path: Path) -> dict[str, int]:
    if not ids or any(type(index) is not int or index < 0 for index in ids.values()):
        raise ConversionError(f"{path}: expected tokens and their ids, which are whole numbers from 0")
    return _renamed(ids)


def _renamed(ids: Mapping[str, int]) -> dict[str, int]:
    """Name the tokens as we do; of several for one language, such as ``>>pt_br<<`` and ``>>pt_BR<<``, the usual one."""
    found: dict[str, int] = {}
    for piece, index in sorted(ids.items(), key=lambda pair: their_name(our_name(pair[0])) != pair[0]):
        name = our_name(piece)
        found[piece if name in found else name] = index
    return found


def _fill(ids: Mapping[str, int], size: int, unsaid: Iterable[int], path: Path) -> dict[str, int]:
    """Name every row. Tokens that are never to be said are named as unused ones."""
    names = {index: piece for piece, index in ids.items()}
    if max(names) >= size:
        raise ConversionError(
            f"{path}: the token {names[max(names)]!r} has the id {max(names)}, but there are {size} rows of embeddings"
        )
    kept = {PAD, BOS, EOS, UNKNOWN}  # which are never said anyway, as are other control symbols
    drop = {index for index in unsaid if names.get(index, "") not in kept and not _CONTROL.match(names.get(index, ""))}
    return {
        names[index] if index in names and index not in drop else f"<unused:{index}>": index for index in range(size)
    }


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
