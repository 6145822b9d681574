"""``dict.de.txt``: a symbol and its count a line, behind four symbols that are not listed."""

import re
from pathlib import Path

from ferryman.errors import ConversionError
from ferryman.text.tokenizer import BOS, EOS, PAD, UNKNOWN

CONTROLS = (BOS, PAD, EOS, UNKNOWN)  # ids 0 to 3
UNUSED = re.compile(r"<unused:\d+>")
_OVERWRITE = "#fairseq:overwrite"
_FILLER = re.compile(r"madeupword\d{4}")  # fills a dictionary up to a multiple of eight


def read_dictionary(path: Path) -> dict[str, int]:
    """Return the symbols and their ids; of those that stand for nothing, by names as ``<unused:9>``.

    Raises:
        ConversionError: it cannot be read, or a line is none; the message says which.

    """
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConversionError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from error
    ids = {symbol: index for index, symbol in enumerate(CONTROLS)}
    for index, line in enumerate(lines, start=len(CONTROLS)):
        where = f"{path}:{index - len(CONTROLS) + 1}"
        symbol, _, count = line.rstrip().rpartition(" ")
        replaces = count == _OVERWRITE
        if replaces:
            symbol, _, count = symbol.rpartition(" ")
        if not symbol or not count.removeprefix("-").isdecimal():
            raise ConversionError(f"{where}: expected a symbol and its count, found {line!r}")
        if symbol in ids and (symbol in CONTROLS or not replaces):
            raise ConversionError(f"{where}: {symbol!r} is there twice; its ids would be {ids[symbol]} and {index}")
        if symbol in ids:
            ids[f"<unused:{ids[symbol]}>"] = ids[symbol]
        ids[f"<unused:{index}>" if _FILLER.fullmatch(symbol) else symbol] = index
    return ids
