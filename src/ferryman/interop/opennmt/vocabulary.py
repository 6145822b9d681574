"""Their lists of tokens, and what cuts texts into these: a file beside the checkpoint, or nothing."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ferryman.checkpoint import Tokenizers
from ferryman.errors import ConversionError, TokenizerError
from ferryman.interop.opennmt.settings import Settings
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import BOS, EOS, PAD, UNKNOWN, Tokenizer
from ferryman.text.word_tokenizer import WordTokenizer

Kind = Literal["sentencepiece", "bpe", "words"]
NORMAL_FORM = "identity"  # what is to be normalised, the SentencePiece model does
SPECIALS = {"pad_token": ("<blank>", PAD), "unk_token": ("<unk>", UNKNOWN), "bos_token": ("<s>", BOS),
            "eos_token": ("</s>", EOS)}  # fmt: skip
FILLING = "averyunlikelytoken"  # of a vocabulary whose size is to be a multiple of something
JOINER, SEPARATOR = "\N{HALFWIDTH BLACK SQUARE}", "@@"
NOISE = ("filtertoolong", "clean", "switchout", "tokendrop", "tokenmask", "bart")  # of training alone
PLAIN: dict[str, tuple[Any, ...]] = {"mode": ("none", "space"), "spacer_annotate": (True, False)}
SUFFIXES: Mapping[Kind, tuple[str, ...]] = {"sentencepiece": (".model", ".spm"), "bpe": (".codes", ".bpe", "codes")}


def start_symbol(vocab: Settings) -> Literal["bos", "eos", "pad"]:
    """Tell which symbol the decoder starts from.

    Raises:
        ConversionError: it is none of the usual ones.

    """
    known: dict[str, Literal["bos", "eos", "pad"]] = {BOS: "bos", EOS: "eos", PAD: "pad"}
    name = vocab.values.get("decoder_start_token", SPECIALS["bos_token"][0])
    ours = _specials(vocab).get(name, "")
    if ours not in known:
        raise vocab.refused("decoder_start_token", f"ours can start from {', '.join(_specials(vocab))}")
    return known[ours]


def read_tokenizers(folder: Path, vocab: Settings, settings: Settings) -> tuple[Tokenizers, Kind]:
    """Make the tokenizers of a vocabulary.

    Args:
        folder: where the files that cut texts are looked for.
        vocab: ``src`` and ``tgt``, the tokens of both sides.
        settings: the options of a checkpoint, or an Eole folder's.

    Raises:
        ConversionError: a file is missing, or texts were cut in a way that ours cannot cut them.

    """
    lists = [_tokens(vocab, side) for side in ("src", "tgt")]
    kind, options = _cutting(settings, [token for tokens in lists for token in tokens])
    options.check({"src_vocab_threshold": (0, None), "tgt_vocab_threshold": (0, None)})
    try:
        source, target = (
            _tokenizer(tokens, kind, _specials(vocab), _file(folder, kind, options, side))
            for side, tokens in zip(("src", "tgt"), lists, strict=True)
        )
    except TokenizerError as error:
        raise ConversionError(f"{folder}: {error}") from error
    return (Tokenizers(source, source) if source == target else Tokenizers(source, target)), kind


def _tokens(vocab: Settings, side: str) -> list[str]:
    tokens = vocab.values.get(side)
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) for token in tokens):
        raise ConversionError(f"{vocab.where}: vocabulary {side}: expected a list of tokens")
    if len(set(tokens)) < len(tokens):
        twice = next(token for place, token in enumerate(tokens) if token in tokens[:place])
        raise ConversionError(f"{vocab.where}: vocabulary {side}: the token {twice!r} stands in it twice")
    return tokens


def _specials(vocab: Settings) -> dict[str, str]:
    """Return our names of their control symbols."""
    theirs = vocab.inside("specials").values
    return {str(theirs.get(key, usual)): ours for key, (usual, ours) in SPECIALS.items()}


def _cutting(settings: Settings, tokens: Sequence[str]) -> tuple[Kind, Settings]:
    """Tell how texts are cut, and where its settings stand; where no transform says so, by the tokens."""
    names = [name for name in dict.fromkeys(_transforms(settings)) if name not in NOISE]
    if len(names) > 1 or not set(names) <= {"sentencepiece", "bpe", "onmt_tokenize"}:
        raise ConversionError(
            f"{settings.where}: transforms are {', '.join(names)}; ours has sentencepiece, bpe or onmt_tokenize alone"
        )
    for name in names:
        every = settings.inside("transforms_configs")
        options = every.inside(name) if name in every.values else settings
        return ("sentencepiece" if name == "sentencepiece" else "bpe" if name == "bpe" else _onmt(options)), options
    if any(JOINER in token for token in tokens):
        raise ConversionError(
            f"{settings.where}: the tokens have joiners, {JOINER}, of OpenNMT's Tokenizer, which ours does not have"
        )
    if any(token.startswith(SPACE_SYMBOL) for token in tokens):
        return "sentencepiece", settings
    return ("bpe" if any(token.endswith(SEPARATOR) for token in tokens) else "words"), settings


def _transforms(settings: Settings) -> Iterator[str]:
    """List the transforms of the whole, and those of each corpus."""
    for values in (settings.values, *settings.corpora()):
        yield from map(str, values.get("transforms") or [])


def _onmt(options: Settings) -> Kind:
    """Tell what OpenNMT's Tokenizer does, where it leaves the text to SentencePiece or only parts it at spaces."""
    kinds = []
    for side in ("src", "tgt"):
        options.check({f"{side}_subword_type": ("none", "sentencepiece")})
        kind = options.values.get(f"{side}_subword_type", "none")
        arguments = _literal(options, f"{side}_onmttok_kwargs")
        arguments.check({name: PLAIN.get(name, (False, None)) for name in arguments.values})
        arguments.check({"mode": ("none",) if kind == "sentencepiece" else ("space",)})
        kinds.append(kind)
    if kinds[0] != kinds[1]:
        raise options.refused("tgt_subword_type", f"the source's is {kinds[0]!r}, and ours has one for both")
    return "words" if kinds[0] == "none" else "sentencepiece"


def _literal(options: Settings, name: str) -> Settings:
    """Return settings that may be written as Python writes a dict."""
    value = options.values.get(name)
    try:
        value = ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise options.refused(name, "expected settings as Python writes them") from error
    return replace(options, values={**options.values, name: value}).inside(name)


def _file(folder: Path, kind: Kind, options: Settings, side: str) -> bytes | None:
    """Read the file that cuts texts: the one named in the options, the side's, or the only one there is."""
    if kind == "words":
        return None
    named = options.values.get(f"{side}_subword_model") or options.values.get("src_subword_model")
    names = [*([Path(str(named)).name] if named else []), *(f"{side}{suffix}" for suffix in SUFFIXES[kind])]
    of_other = Path(str(options.values.get(f"{'tgt' if side == 'src' else 'src'}_subword_model"))).name
    others = sorted({path.name for path in folder.iterdir() if path.name.endswith(SUFFIXES[kind])} - {of_other})
    names += others if len(others) == 1 else []
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise ConversionError(
            f"{folder}: texts are cut by {kind}, but its file is not there; put it there as {names[0]}"
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error


def _tokenizer(tokens: Sequence[str], kind: Kind, specials: Mapping[str, str], file: bytes | None) -> Tokenizer:
    fillings = {token: f"<unused:{index}>" for index, token in enumerate(tokens) if token.startswith(FILLING)}
    controls = {token: name for token, name in (fillings | dict(specials)).items() if token in tokens}
    if kind != "sentencepiece":
        try:
            codes = None if file is None else file.decode()
        except UnicodeDecodeError as error:
            raise TokenizerError(f"the merges are not UTF-8: {error.reason}") from error
        return WordTokenizer(tokens, normal_form=NORMAL_FORM, codes=codes, controls=controls)
    ids = {controls.get(token, token): index for index, token in enumerate(tokens)}
    return SentencePieceTokenizer(file or b"", normal_form=NORMAL_FORM, id_map=ids)
