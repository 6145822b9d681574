"""Whole files for ``ferryman translate``: which there are, how far each is, and what was done with it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from ferryman.cli.console import duration, messages, say
from ferryman.config import DocumentsConfig
from ferryman.config_file import read_settings
from ferryman.documents.formats import LINES, format_of
from ferryman.documents.results import Progress, Summary
from ferryman.errors import ConfigError
from ferryman.wording import counted

if TYPE_CHECKING:
    from ferryman.translator import Translator
    from ferryman.workflows.translate import Job


def divide(jobs: "Sequence[Job]", settings: Sequence[str], as_json: bool) -> "tuple[list[Job], list[Job]]":
    """Tell documents from files that are translated line by line, as ``.txt`` is unless another format is named.

    Raises:
        ConfigError: a document has no file to write, or is to be told as JSON; or its format cannot be translated.

    """
    wanted = DocumentsConfig.model_validate(read_settings(settings).get("documents", {}))
    documents, lines = [], []
    for job in jobs:
        if job.source is None and wanted.format not in ("auto", LINES):
            raise ConfigError(f"documents.format={wanted.format}: standard input is read line by line; name a file")
        kind = LINES if job.source is None else format_of(str(job.source), wanted)
        if kind == LINES or (kind, wanted.format) == ("text", "auto"):
            lines.append(job)
            continue
        if job.target is None:
            raise ConfigError(f"{job.source}: a document needs a file to write; name it with --output")
        if as_json:
            raise ConfigError(f"{job.source}: --json is for lines of text; set documents.format=lines, or leave it out")
        documents.append(job)
    return documents, lines


def translate_documents(translator: "Translator", jobs: "Sequence[Job]") -> None:
    """Translate documents one after the other, and say what was done with each."""
    from ferryman.documents.translating import translate_document

    for job in jobs:
        if job.source is None or job.target is None:
            continue
        progress = Progress()
        with _shown(str(job.source), progress):
            summary = translate_document(translator, job.source, job.target, progress=progress)
        say(f"{job.target}: {summarised(summary)}; {duration(progress.seconds)}")


@contextmanager
def _shown(name: str, progress: Progress) -> Iterator[None]:
    if not messages.is_terminal:
        yield
        return
    with Live(console=messages, get_renderable=lambda: Text(progress_line(name, progress)), transient=True):
        yield


def progress_line(name: str, progress: Progress) -> str:
    """Say how far a document is, and how long the rest will take."""
    parts = [f"{name}: {progress.done:,} of {counted(progress.total, 'text')}"]
    if progress.done:
        left = progress.seconds / progress.done * (progress.total - progress.done)
        parts.append(f"{duration(left)} left")
    return " · ".join(parts)


def summarised(summary: Summary) -> str:
    """Say in a line what was done with a document."""
    origins = [
        f"{count:,} {words}"
        for count, words in ((summary.remembered, "from the memory"), (summary.resumed, "from the interrupted run"))
        if count
    ]
    whence = f" ({', '.join(origins)})" if origins else ""
    said = [f"{counted(summary.translated, 'segment')} translated{whence}"]
    for name, reasons in (("kept", summary.kept), ("skipped", summary.skipped), ("flagged", summary.flags)):
        if reasons:
            said.append(f"{name}: {_listed(reasons)}")
    return "; ".join(said)


def _listed(reasons: Counter[str]) -> str:
    return ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons.most_common())
