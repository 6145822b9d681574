"""Names to files: ``{source}`` and ``{target}`` filled in, folders and patterns listed, what is missing explained."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from ferryman.errors import DataError

FORMATS = (".tsv", ".jsonl", ".tmx", ".po", ".mo")


def format_of(path: Path) -> str:
    """Tell a file's format by its name's ending, ``.gz`` left aside; empty if it is none of ``FORMATS``."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    return suffix if suffix in FORMATS else ""


def resolve(directory: Path, names: Sequence[str], languages: tuple[str, str]) -> list[Path]:
    """Find the files of a corpus.

    Args:
        directory: folder that the names are relative to.
        names: none, one or two names in which ``{source}`` and ``{target}`` stand for the languages. A single name may
            also be a folder or a pattern (``*.mo``); it stays one path here, and ``expand`` lists its files.
        languages: source and target language.

    Raises:
        DataError: more than two names, a placeholder without its language, the same file twice, or a file that is
            missing (with the names most like it).
    """
    if len(names) > 2:
        raise DataError(f"{len(names)} names of files: a corpus is two aligned text files or one file of pairs")
    paths = [directory.expanduser() / Path(_fill(name, languages)).expanduser() for name in names]
    if len(paths) == 2 and paths[0] == paths[1]:
        raise DataError(f"{paths[0]}: the same file is named for both languages")
    for path in paths:
        if len(paths) == 1:
            expand(path)
        elif not path.exists():
            raise DataError(_missing(path))
    return paths


def expand(path: Path) -> list[Path]:
    """List the files that one path stands for: itself, a folder's files of known format, or a pattern's, sorted.

    Raises:
        DataError: there are none.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if format_of(file))
        if not files:
            raise DataError(f"{path}: this folder holds no file of pairs ({' '.join(FORMATS)}, also with .gz)")
        return files
    if is_pattern(path):
        pattern = str(path.relative_to(path.anchor))
        files = sorted(file for file in Path(path.anchor).glob(pattern) if file.is_file())
        if not files:
            raise DataError(f"{path}: no file matches this pattern")
        return files
    if not path.exists():
        raise DataError(_missing(path))
    return [path]


def is_pattern(path: Path) -> bool:
    """Tell whether a path is a pattern (``*``, ``?``, ``[…]``) rather than the name of a file."""
    return any(sign in str(path) for sign in "*?[") and not path.exists()


def _fill(name: str, languages: tuple[str, str]) -> str:
    for placeholder, language, key in zip(
        ("{source}", "{target}"), languages, ("data.source_language", "data.target_language"), strict=True
    ):
        if placeholder in name and not language:
            raise DataError(f"{name}: {placeholder} stands for a language, but {key} is not set")
        name = name.replace(placeholder, language)
    return name


def _missing(path: Path) -> str:
    """Say that a file is missing, and what lies near it."""
    folder = path.parent
    while not folder.is_dir():
        path, folder = folder, folder.parent
    what = "no such file" if path.suffix else "no such file or folder"
    if not path.is_absolute():
        what += f" in {folder.resolve()}"  # the folder that commands are given in changes
    names = sorted(entry.name for entry in folder.iterdir())
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    if near:
        return f"{path}: {what}; did you mean {' or '.join(near)}?"
    shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{path}: {what}; {folder} holds " + (shown or "nothing")
