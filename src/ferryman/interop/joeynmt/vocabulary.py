"""Its vocabularies, one token a line, and our tokenizers."""

from collections.abc import Collection
from pathlib import Path

from ferryman.checkpoint import Tokenizers
from ferryman.config import TokenizerConfig
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.joeynmt.settings import Settings
from ferryman.interop.protobuf import fields, write_bytes_field
from ferryman.text.tokenizer import BOS, EOS, PAD, UNKNOWN, Tokenizer

VOCABULARIES = {"src": "src_vocab.txt", "trg": "trg_vocab.txt"}
SPECIAL = {"unk_token": UNKNOWN, "pad_token": PAD, "bos_token": BOS, "eos_token": EOS}
CODES, MODEL = "bpe.codes", "sentencepiece.model"  # of 1.x, which leaves the cutting to others
_PIECE, _TEXT, _KIND = 1, 1, 3  # fields of SentencePiece's model, and of each of its pieces
_NORMAL, _UNUSED = 1, 5


def read_tokenizers(folder: Path, settings: Settings, rows: tuple[int, int]) -> Tokenizers:
    """Read the tokenizers of a run.

    Args:
        folder: the run's, where all files must lie, wherever they lay in training.
        settings: of the run.
        rows: of the two tables of embeddings.

    Raises:
        ConversionError: a file is missing or damaged, or the text is cut in a way that ours does not know.

    """
    try:
        source, target = (
            _tokenizer(folder, settings, side, size) for side, size in zip(VOCABULARIES, rows, strict=True)
        )
    except FerrymanError as error:
        raise error if isinstance(error, ConversionError) else ConversionError(f"{folder}: {error}") from error
    return Tokenizers(source, source) if source == target else Tokenizers(source, target)
