"""Whole files through a translator: which to read and write, line by line, counted."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ferryman.corpus.lines import count_lines, raw_lines, stream_lines
from ferryman.errors import ConfigError, DataError
from ferryman.files import replacing

if TYPE_CHECKING:  # so that files which cannot be translated are refused before PyTorch is loaded
    from ferryman.documents.translating import Tools
    from ferryman.translator import Translation, Translator

STANDARD = "-"  # the name of standard input
LINES_AT_ONCE = 1000  # sorted by length at a time
Write = Callable[[str], object]  # takes a line without its end


@dataclass(frozen=True)
class Job:
    """A file to read (none: standard input) and one to write (none: standard output)."""

    source: Path | None
    target: Path | None


@dataclass(frozen=True)
class Console:
    """Standard input and output."""

    read: BinaryIO
    write: Write
    typed: bool = False
    """Whether a person types, who waits for the answer to each line."""


@dataclass
class Tally:
    """What was done so far."""

    texts: int = 0
    tokens: int = 0
    """Target tokens, end symbols included."""
    seconds: float = 0.0
    """Up to the latest text."""
    flags: Counter[str] = field(default_factory=Counter)
    began: float = field(default_factory=time.monotonic)

    @property
    def tokens_per_second(self) -> float:
        """Target tokens a second, reading and writing included."""
        return self.tokens / max(self.seconds, 1e-9)

    def add(self, translation: "Translation") -> None:
        """Count a translation."""
        self.texts += 1
        self.tokens += len(translation.tokens)
        self.flags.update(translation.flags)
        self.seconds = time.monotonic() - self.began


def plan_jobs(names: Sequence[str], output: Path | None) -> list[Job]:
    """Pair each input with the file to write; refuse what would fail, or lose a file, after some work is done.

    Args:
        names: text files, ``-`` for standard input; none: standard input.
        output: file to write, or for several inputs a folder; None: standard output.

    Raises:
        DataError: a file is missing.
        ConfigError: a translation would replace its source or another translation, or has no name.

    """
    sources = [None if name == STANDARD else Path(name) for name in names or [STANDARD]]
    for file in sources:
        if file is not None and (not file.exists() or file.is_dir()):
            raise DataError(f"{file}: {'this is a folder, not a file' if file.exists() else 'no such file'}")
    if sources.count(None) > 1:
        raise ConfigError("standard input (-) is named twice, but can be read only once")
    if output is None or (len(sources) == 1 and not output.is_dir()):
        return [Job(file, _not_itself(file, output)) for file in sources]
    return _into_folder(sources, output)


def _into_folder(sources: Sequence[Path | None], folder: Path) -> list[Job]:
    files = [file for file in sources if file is not None]
    if len(files) < len(sources):
        raise ConfigError(f"{folder} is a folder, in which the translation of standard input has no name; name a file")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is no folder, which several files need; choose another --output")
    if len({file.name for file in files}) < len(files):
        raise ConfigError(f"two of the files have the same name, and one translation in {folder} would replace another")
    return [Job(file, _not_itself(file, folder / file.name)) for file in files]


def _not_itself(file: Path | None, target: Path | None) -> Path | None:
    if file is not None and target is not None and target.is_file() and target.samefile(file):
        raise ConfigError(f"{target}: the translation would replace its source; choose another --output")
    return target


def count_texts(jobs: Sequence[Job]) -> int | None:
    """Count the texts there are to translate; None if that cannot be told without reading what can be read only once.

    Raises:
        DataError: a file cannot be read.

    """
    files = [job.source for job in jobs if job.source is not None and job.source.is_file()]
    return sum(map(count_lines, files)) if len(files) == len(jobs) else None


def translate_files(
    translator: "Translator",
    jobs: Sequence[Job],
    console: Console,
    form: Callable[["Translation"], str],
    tally: Tally,
) -> None:
    """Translate files in bounded memory, one line of output for each line of input, with memory and glossary.

    Args:
        translator: a model, loaded.
        jobs: see ``plan_jobs``; a file is written whole or not at all.
        console: standard input and output, for jobs without a file.
        form: makes the line that is written for a translation.
        tally: counts what is done while it is done, for whoever watches.

    Raises:
        DataError: a line is not UTF-8, or the memory or glossary cannot be read.
        ConfigError: the memory or glossary is none, or does not go with the way to search.
        TranslationError: a text cannot be translated; see ``Translator.translate``.

    """
    from ferryman.documents.translating import languages_of, open_tools

    tools = open_tools(translator, languages_of(translator, None), translator.config.documents)
    for job in jobs:
        with ExitStack() as stack:
            write = console.write if job.target is None else _sink(job.target, stack)
            for translation in _translations(tools, job, console):
                tally.add(translation)
                write(form(translation))


def _translations(tools: "Tools", job: Job, console: Console) -> Iterator["Translation"]:
    """Translate in large chunks; for a person who types, line by line."""
    texts, first = iter(_texts(job, console)), 1
    size = 1 if job.source is None and console.typed else LINES_AT_ONCE
    while chunk := list(islice(texts, size)):
        yield from tools.translations(chunk, first)
        first += len(chunk)


def _texts(job: Job, console: Console) -> Iterable[str]:
    lines = stream_lines(console.read, Path("standard input")) if job.source is None else raw_lines(job.source)
    return (line.text() for line in lines)


def _sink(target: Path, stack: ExitStack) -> Write:
    file = stack.enter_context(stack.enter_context(replacing(target)).open("w", encoding="utf-8", newline="\n"))
    return lambda line: file.write(f"{line}\n")
