"""Its vocabularies, one token a line, and our tokenizers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ferryman.checkpoint import Tokenizers
from ferryman.config import TokenizerConfig
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.joeynmt.settings import Settings
from ferryman.interop.protobuf import fields, write_bytes_field
from ferryman.text import SentencePieceTokenizer, Tokenizer, WordTokenizer
from ferryman.text.tokenizer import BOS, EOS, PAD, UNKNOWN
from ferryman.text.word_splitting import Moses

VOCABULARIES = {"src": "src_vocab.txt", "trg": "trg_vocab.txt"}
_SPECIAL = {"unk_token": UNKNOWN, "pad_token": PAD, "bos_token": BOS, "eos_token": EOS}  # in the order of their ids
_LEFT_TO_USERS = {"subword-nmt": "bpe.codes", "sentencepiece": "sentencepiece.model"}  # 1.x does not cut words
_PIECE, _TEXT, _KIND = 1, 1, 3  # fields of SentencePiece's model, and of each of its pieces
_NORMAL, _UNUSED = 1, 5


@dataclass(frozen=True)
class Side:
    """What the settings say of a language's text; 2.x has a section for each, 1.x one for both."""

    folder: Path
    settings: Settings
    name: str

    @property
    def section(self) -> str:
        """Return the key of the section."""
        return f"data.{self.name}" if self.has_own else "data"

    @property
    def has_own(self) -> bool:
        """Tell whether it is one of its own, so that the run cuts text itself."""
        return isinstance(self.settings.find(f"data.{self.name}"), dict)

    def text(self, key: str, default: str) -> str:
        """Return a setting that is a text."""
        return self.settings.value(f"{self.section}.{key}", str, default)

    def flag(self, key: str) -> bool:
        """Return a setting that is true or false, and false where it is not there."""
        return self.settings.value(f"{self.section}.{key}", bool, False)

    def refusal(self, key: str, reason: str) -> ConversionError:
        """Make an error about a setting."""
        return self.settings.refusal(f"{self.section}.{key}", reason)

    def read(self, key: str, kind: str) -> bytes:
        """Read the file that a setting names, which must lie in the run's folder, wherever it lay in training."""
        name = self.text(f"tokenizer_cfg.{key}", "") if self.has_own else _LEFT_TO_USERS[kind]
        path = self.folder / (Path(name).name or key)
        try:
            return path.read_bytes()
        except OSError as error:
            made = "" if self.has_own else ", with which the text was cut before Joey NMT saw it"
            raise ConversionError(
                f"{path}: cannot read it: {error.strerror}; put the {kind} {key}{made} there"
            ) from error


def read_tokenizers(folder: Path, settings: Settings, rows: tuple[int, int]) -> Tokenizers:
    """Read the tokenizers of a run.

    Args:
        folder: the run's, in which all files must lie.
        settings: of the run.
        rows: of the two tables of embeddings.

    Raises:
        ConversionError: a file is missing or damaged, or the text is cut in a way that ours does not know.

    """
    sides = zip(VOCABULARIES, rows, strict=True)
    try:
        source, target = (_tokenizer(Side(folder, settings, name), count) for name, count in sides)
    except ConversionError:
        raise
    except FerrymanError as error:
        raise ConversionError(f"{folder}: {error}") from error
    return Tokenizers(source, source) if source == target else Tokenizers(source, target)


def tokenizer_config(settings: Settings, tokenizers: Tokenizers) -> TokenizerConfig:
    """Describe the tokenizers."""
    target = tokenizers.target
    kind = settings.value("data.trg.tokenizer_cfg.model_type", str, "unigram")
    return TokenizerConfig(
        kind="words" if isinstance(target, WordTokenizer) else "bpe" if kind == "bpe" else "unigram",
        vocab_size=target.vocab_size,
        joint=settings.tied_embeddings,
        normal_form=normal_form(settings),
    )


def normal_form(settings: Settings) -> Literal["joeynmt", "identity"]:
    """Return the normal form of both sides' texts; 1.x leaves them as they are.

    Raises:
        ConversionError: they have different ones.

    """
    source, target = (settings.value(f"data.{name}.normalize", bool, False) for name in VOCABULARIES)
    if source != target:
        raise settings.refusal("data.src.normalize", f"data.trg.normalize is {target}; ours has one value for both")
    return "joeynmt" if source else "identity"


def _tokenizer(side: Side, rows: int) -> Tokenizer:
    level = side.text("level", "")
    symbols, controls = _symbols(side, rows)
    moses = side.text("tokenizer_cfg.pretokenizer", "none").lower()
    if moses not in ("none", "moses"):
        raise side.refusal("tokenizer_cfg.pretokenizer", "known are none and moses")
    kind = side.text("tokenizer_type", side.text("bpe_type", "sentencepiece" if side.has_own else "subword-nmt"))
    match level, kind:
        case "word", _:
            codes = None
        case "bpe", "subword-nmt":
            codes = _decoded(side.read("codes", kind), side)
        case "bpe", "sentencepiece":
            return _sentencepiece(side, symbols, controls, moses)
        case "bpe", _:
            raise side.refusal("tokenizer_type", "known are subword-nmt and sentencepiece")
        case _:
            raise side.refusal("level", "known are word and bpe")
    punctuation = side.has_own and side.flag("normalize")
    return WordTokenizer(
        symbols,
        normal_form=normal_form(side.settings),
        codes=codes,
        separator=side.text("tokenizer_cfg.separator", "@@"),
        moses=Moses(side.text("lang", "en"), plain_punctuation=punctuation) if moses == "moses" else None,
        lowercase=side.flag("lowercase"),
        only_known=side.has_own,
        controls=controls,
    )


def _sentencepiece(side: Side, symbols: Sequence[str], controls: dict[str, str], moses: str) -> Tokenizer:
    if moses == "moses":
        raise side.refusal("tokenizer_cfg.pretokenizer", "ours has no words of Moses before SentencePiece")
    if side.has_own and side.flag("lowercase"):
        raise side.refusal("lowercase", "ours has no lower case before SentencePiece")
    model = side.read("model_file", "sentencepiece")
    ids = {controls.get(symbol, symbol): index for index, symbol in enumerate(symbols)}
    try:
        model = restrict(model, ids)
    except ValueError as error:
        raise ConversionError(f"{side.folder}: the SentencePiece model is damaged: {error}") from error
    return SentencePieceTokenizer(model, normal_form=normal_form(side.settings), id_map=ids)


def restrict(model: bytes, vocabulary: Collection[str]) -> bytes:
    """Make a SentencePiece model cut text into pieces of a vocabulary only, and into characters.

    Its pieces that are not in the vocabulary become unused ones.

    Raises:
        ValueError: it is damaged.

    """
    written = []
    for field in fields(memoryview(model)):
        whole = bytes(field.whole)
        if field.number == _PIECE and isinstance(field.value, memoryview):
            about = {inner.number: inner.value for inner in fields(field.value)}
            text = about.get(_TEXT)
            piece = bytes(text).decode() if isinstance(text, memoryview) else ""
            if about.get(_KIND, _NORMAL) == _NORMAL and len(piece) > 1 and piece not in vocabulary:
                whole = write_bytes_field(_PIECE, bytes(field.value) + bytes([_KIND << 3, _UNUSED]))
        written.append(whole)
    return b"".join(written)


def _symbols(side: Side, rows: int) -> tuple[list[str], dict[str, str]]:
    """Return the tokens by their ids, and our names of those that are no text."""
    settings, special = side.settings, "data.special_symbols"
    if settings.find(f"{special}.lang_tags"):
        raise settings.refusal(f"{special}.lang_tags", "ours does not know where these stand in a text")
    controls = {settings.value(f"{special}.{key}", str, ours): ours for key, ours in _SPECIAL.items()}
    path = side.folder / VOCABULARIES[side.name]
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConversionError(f"{path}: not UTF-8: {error}") from error
    symbols = list(dict.fromkeys([*controls, *lines]))
    if len(symbols) != rows:
        raise ConversionError(f"{path}: {len(symbols)} tokens, but there are {rows} rows of embeddings")
    separator = settings.value(f"{special}.sep_token", str, "<sep>")
    if separator in symbols:
        controls[separator] = f"<unused:{separator}>"
    return symbols, controls


def _decoded(codes: bytes, side: Side) -> str:
    try:
        return codes.decode()
    except UnicodeDecodeError as error:
        raise ConversionError(f"{side.folder}: the codes are not UTF-8 at byte {error.start}") from error
