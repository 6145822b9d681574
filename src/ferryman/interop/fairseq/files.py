"""Which files of a folder are the checkpoint, the dictionaries and what cut the text."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ferryman.errors import ConversionError

CHECKPOINTS = ("checkpoint_best.pt", "checkpoint_last.pt", "model.pt")
PREPARED = "data-bin"
SENTENCEPIECE = re.compile(r".+\.(model|spm)", re.IGNORECASE)
CODES = re.compile(r"(.+[._-])?(bpe[._-]?)?codes?([._-]([a-z]{2,3}|\d+k?))*(?<!\.py)|bpe\.\d+", re.IGNORECASE)
BYTE_PAIRS = re.compile(r"(encoder\.json|vocab\.bpe|merges\.txt)")  # of byte-level BPE
_PARTS = re.compile(r"[._-]")


def is_fairseq(path: Path) -> bool:
    """Tell whether a checkpoint of fairseq is here, by its name or by the dictionaries beside it."""
    if path.is_file():
        return path.suffix == ".pt" and (path.name.startswith("checkpoint") or _has_dictionaries(path.parent))
    named = any((path / name).is_file() for name in CHECKPOINTS[:2])
    return named or (any(path.glob("*.pt")) and _has_dictionaries(path))


def find_checkpoint(path: Path) -> Path:
    """Return the checkpoint of a folder, the best one if several are told apart by their names.

    Raises:
        ConversionError: there are several others.

    """
    if path.is_file():
        return path
    found = [path / name for name in CHECKPOINTS if (path / name).is_file()] or sorted(path.glob("*.pt"))
    if len(found) > 1 and found[0].name not in CHECKPOINTS:
        names = ", ".join(each.name for each in found)
        raise ConversionError(f"{path}: several checkpoints: {names}; name one of these files, each is a model")
    return found[0]


def find_dictionaries(folder: Path, languages: tuple[str, str]) -> tuple[Path, Path]:
    """Return the dictionaries of both sides, beside the checkpoint or in ``data-bin``.

    Raises:
        ConversionError: they are not there.

    """
    source, target = (f"dict.{language}.txt" for language in languages)
    for place in places(folder):
        if (place / source).is_file() and (place / target).is_file():
            return place / source, place / target
    raise ConversionError(
        f"{folder}: no {source} and {target}; copy them here from the folder of the binarised data ({PREPARED}/…)"
    )


def places(folder: Path) -> Iterator[Path]:
    """List the folders where files of a model may be."""
    yield folder
    if (folder / PREPARED).is_dir():
        yield folder / PREPARED
        yield from sorted(path for path in (folder / PREPARED).iterdir() if path.is_dir())


def find_for_language(
    folders: Sequence[Path], pattern: re.Pattern[str], languages: tuple[str, str], language: str
) -> Path | None:
    """Return the file of a side: the one that is named after its language, else one that is named after none.

    Raises:
        ConversionError: several are.

    """
    found = [path for folder in dict.fromkeys(folders) for path in sorted(folder.iterdir())]
    found = [path for path in found if path.is_file() and pattern.fullmatch(path.name)]
    own = [path for path in found if language in _PARTS.split(path.name)]
    others = [path for path in found if not set(languages) & set(_PARTS.split(path.name))]
    chosen = own or others
    if len(chosen) > 1:
        names = " and ".join(path.name for path in chosen)
        raise ConversionError(f"{chosen[0].parent}: {names}: which one cut the text? Keep that one alone here")
    return chosen[0] if chosen else None


def _has_dictionaries(folder: Path) -> bool:
    return any(any(place.glob("dict.*.txt")) for place in places(folder))
