"""How large a corpus is and in what scripts, told from its beginning: quick, whatever its size."""

import gzip
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

from ferryman.corpus.files import expand, format_of
from ferryman.corpus.lines import CHUNK_BYTES, open_bytes
from ferryman.corpus.pair import Pair
from ferryman.corpus.reading import read_pairs
from ferryman.corpus.report import ReadingReport

SAMPLE_PAIRS = 20_000
BITE_BYTES = 4096
COVERAGE = 0.9995  # of the running characters, that a side's alphabet holds; the default of tokenizer training
_ONE_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}  # Japanese is written in all three at once
_UNIT_END = b"</tu>"


@dataclass(frozen=True)
class Side:
    """One language of a corpus."""

    characters: float  # of a text, on average
    script: str  # of most of its letters, as Unicode names them: LATIN, CYRILLIC, CJK …; empty if it has no letters
    alphabet: frozenset[str]  # the characters that make up all but the rarest 0.05 %


@dataclass(frozen=True)
class Survey:
    """What is known of a corpus before it is prepared; nothing is cleaned yet."""

    pairs: int
    exact: bool  # all of it was read; if not, ``pairs`` is an estimate
    source: Side
    target: Side


def survey(
    paths: Sequence[Path],
    *,
    languages: tuple[str, str],
    columns: tuple[int, int] = (1, 2),
    fields: tuple[str, str] = ("source", "target"),
    sample: int = SAMPLE_PAIRS,
) -> Survey:
    """Read a corpus's first pairs and estimate from the share of its bytes that they took how many there are.

    Args:
        paths: as of ``read_pairs``, and so are the languages, columns and fields.
        languages: source and target.
        columns: of TSV.
        fields: of JSON lines.
        sample: how many pairs to read at most.

    Raises:
        DataError: as of ``read_pairs``, for what is read.
    """
    pairs = read_pairs(paths, languages=languages, columns=columns, fields=fields, report=ReadingReport())
    read, sides, last = 0, (Counter[str](), Counter[str]()), None
    for last in islice(pairs, sample):
        read += 1
        sides[0].update(last.source)
        sides[1].update(last.target)
    exact = last is None or next(pairs, None) is None
    count = read if exact or last is None else max(read + 1, round(read / _share_read(paths[0], last, read)))
    return Survey(count, exact, *(_side(counts, read) for counts in sides))


def together(surveys: Sequence[Survey]) -> Survey:
    """Survey several corpora as one: the mean of their texts, the scripts of the largest, all their characters."""
    pairs = sum(one.pairs for one in surveys)
    largest = max(surveys, key=lambda one: one.pairs)

    def side(name: str) -> Side:
        parts: list[Side] = [getattr(one, name) for one in surveys]
        total = sum(part.characters * one.pairs for part, one in zip(parts, surveys, strict=True))
        alphabet = frozenset[str]().union(*(part.alphabet for part in parts))
        return Side(total / max(1, pairs), getattr(largest, name).script, alphabet)

    return Survey(pairs, all(one.exact for one in surveys), side("source"), side("target"))


def _side(counts: Counter[str], texts: int) -> Side:
    total, seen, alphabet, scripts = counts.total(), 0, set(), Counter[str]()
    for character, count in counts.most_common():
        if seen < COVERAGE * total:
            alphabet.add(character)
        seen += count
        if character.isalpha():
            script = unicodedata.name(character, "?").split()[0]
            scripts[_ONE_SCRIPT.get(script, script)] += count
    [(script, _)] = scripts.most_common(1) or [("", 0)]
    return Side(total / max(1, texts), script, frozenset(alphabet))


def _share_read(path: Path, last: Pair, read: int) -> float:
    """Tell which share of the bytes of all files lies before the pair's end; of two aligned files one is enough."""
    files = expand(path)
    sizes = [file.stat().st_size for file in files]
    at = files.index(Path(last.file))
    return max(1e-9, sum(sizes[:at]) + sizes[at] * _share_of_file(files[at], last, read)) / max(1, sum(sizes))


def _share_of_file(file: Path, last: Pair, read: int) -> float:
    match format_of(file):
        case ".mo":
            return 1.0  # read whole, and its numbers are not lines
        case ".tmx" if last.line < read:
            return min(1.0, read / max(1, _count(file, _UNIT_END)))  # many units a line
        case _:
            return _share_before_line(file, last.line + 1)


def _share_before_line(file: Path, line: int) -> float:
    """Tell which share of a file's bytes, packed ones if it is packed, lies before a line."""
    with file.open("rb") as raw:
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
        # In small bites: gzip reads far ahead otherwise, and the place in the file would tell nothing.
        bites = SimpleNamespace(read=lambda size: raw.read(min(size, BITE_BYTES)))
        stream = gzip.GzipFile(fileobj=bites, mode="rb") if packed else raw
        for _ in islice(stream, line - 1):
            pass
        return raw.tell() / max(1, file.stat().st_size)


def _count(file: Path, mark: bytes) -> int:
    count, rest = 0, b""
    with open_bytes(file) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            count += (rest + chunk).count(mark)
            rest = chunk[1 - len(mark) :]
    return count
