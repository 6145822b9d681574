"""A document through a translator: what is known already, what is new, and the file that comes of it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ferryman.config import DocumentsConfig
from ferryman.corpus.lines import read_all
from ferryman.documents.document import Document
from ferryman.documents.enforcing import Enforcer
from ferryman.documents.formats import read_document
from ferryman.documents.glossary import Glossary
from ferryman.documents.journal import Journal
from ferryman.documents.memory import Memory
from ferryman.documents.results import MOVED, REMEMBERED, Progress, Result, Summary
from ferryman.errors import ConfigError
from ferryman.files import write_bytes
from ferryman.text.directions import source_of
from ferryman.text.protected import Guard
from ferryman.translator import Translation, Translator

CHUNK = 64  # texts translated before they are written down
JOURNAL = ".journal"  # put after the name of the file that is made, until it is whole


@dataclass(frozen=True)
class Tools:
    """What the texts of documents are translated with."""

    translator: Translator
    languages: tuple[str, str]
    memory: Memory | None
    enforcer: Enforcer | None

    def translations(self, texts: Sequence[str], first: int = 1) -> list[Translation]:
        """Translate texts that belong to no document; ``first`` is the number of the first in errors.

        What the memory has is taken from it, unless several translations of a text are wanted.
        """
        remember = self.translator.config.decoding.n_best == 1
        known = [self.recall(text) if remember else None for text in texts]
        new = [text if one is None else "" for text, one in zip(texts, known, strict=True)]
        found = self.translator.translate(new, to=self.languages[1], first=first)
        if self.enforcer is not None:
            found = self.enforcer.enforce(new, found)
        return [made if one is None else one for one, made in zip(known, found, strict=True)]

    def recall(self, text: str) -> Translation | None:
        """Return the translation that the memory has of a text."""
        known = None if self.memory is None else self.memory.get(text)
        return None if known is None else Translation(known, 0.0, 0.0, (), (REMEMBERED,))

    def results(self, texts: Sequence[str]) -> list[Result]:
        """Translate texts that are not in the memory."""
        found = self.translator.translate(texts, to=self.languages[1])
        if self.enforcer is not None:
            found = self.enforcer.enforce(texts, found)
        return [checked(source, Result(one.text, one.flags)) for source, one in zip(texts, found, strict=True)]


def translate_document(
    translator: Translator,
    source: str | Path,
    destination: str | Path,
    settings: DocumentsConfig | None = None,
    *,
    to: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Translate a file and keep its form.

    What was translated when the work is interrupted is kept beside the destination, in a file that ends in
    ``.journal``; the same call goes on from there.

    Args:
        translator: a model, loaded.
        source: the file; its format is told by its name, unless the settings say it.
        destination: the file to write, whole or not at all; not the source.
        settings: what is translated, with which memory and glossary; unset: as the model's configuration says.
        to: language to translate into, of those of the model; needed if there are several.
        progress: grows while the work goes on, for whoever watches.

    Raises:
        DataError: the file cannot be read, is not what its format wants, or of other languages than the model.
        ConfigError: a format that cannot be translated, a memory or glossary that is none, or the destination is the
            source.
        TranslationError: a text cannot be translated; see ``Translator.translate``.

    """
    settings, progress = settings or translator.config.documents, progress or Progress()
    source, destination = Path(source), Path(destination)
    if destination.exists() and destination.samefile(source):
        raise ConfigError(f"{destination}: the translation would replace its source; choose another file")
    languages = languages_of(translator, to)
    document = read_document(str(source), read_all(source), settings, languages)
    journal = _journal(destination, _fingerprint(translator, languages, settings))
    results = translate_texts(document.texts, open_tools(translator, languages, settings), journal, progress)
    summary, content = finish(document, results)
    write_bytes(destination, content)
    journal.remove()
    return summary


def open_tools(translator: Translator, languages: tuple[str, str], settings: DocumentsConfig) -> Tools:
    """Load the memory and the glossary that the settings name."""
    memory = Memory(settings.memory, languages) if settings.memory else None
    glossary = Glossary(settings.glossary, languages) if settings.glossary else None
    enforcer = Enforcer(translator, glossary, languages, translator.config.decoding) if glossary else None
    return Tools(translator, languages, memory, enforcer)


def translate_texts(texts: Sequence[str], tools: Tools, journal: Journal, progress: Progress) -> list[Result]:
    """Translate texts, each that occurs several times once."""
    known: dict[str, Result] = {}
    for text in texts:
        remembered = tools.memory.get(text) if tools.memory else None
        found = Result(remembered, remembered=True) if remembered is not None else journal.get(text)
        if found is not None:
            known[text] = found
    progress.total = len(set(texts))
    progress.add(len(known))
    new = [text for text in dict.fromkeys(texts) if text not in known]
    for start in range(0, len(new), CHUNK):
        chunk = new[start : start + CHUNK]
        found_now = list(zip(chunk, tools.results(chunk), strict=True))
        journal.add(found_now)
        known.update(found_now)
        progress.add(len(chunk))
    return [known[text] for text in texts]


def finish(document: Document, results: Sequence[Result]) -> tuple[Summary, bytes]:
    """Write a document with its translations, where these are any and do not break it."""
    summary = Summary(kept=document.kept.copy())
    written: list[str | None] = []
    for segment, result in zip(document.segments, results, strict=True):
        blank = not result.text.strip()
        if blank or not segment.fits(result.text):
            summary.skipped["empty translation" if blank else "mark-up would break"] += 1
            written.append(None)
        else:
            summary.add(result)
            written.append(result.text)
    return summary, document.write(written)


def _journal(destination: Path, fingerprint: str) -> Journal:
    """Open the journal of a file; there is none beside what is no file, such as ``/dev/null``."""
    regular = destination.is_file() or not destination.exists()
    return Journal(destination.with_name(destination.name + JOURNAL) if regular else None, fingerprint)


def checked(source: str, result: Result) -> Result:
    """Flag a translation that lost mark-up of its source."""
    lost = Guard(source, ["tag"]).broken(result.text)
    return replace(result, flags=(*result.flags, MOVED)) if lost else result


def languages_of(translator: Translator, to: str | None) -> tuple[str, str]:
    """Tell the languages of a translator; of several source languages none is known."""
    target = translator.target_language(to)
    return source_of(translator.config.data, target), target


def _fingerprint(translator: Translator, languages: tuple[str, str], settings: DocumentsConfig) -> str:
    """Tell one way of translating from another: by the models, how they search, the languages, the glossary."""
    digest = hashlib.blake2b(translator.tokenizers.fingerprint.encode(), digest_size=16)
    for part in _weights(translator):
        digest.update(part)
    decoding = translator.config.decoding.model_dump(
        mode="json", exclude={"device", "threads", "workers", "batch_tokens"}
    )
    digest.update(json.dumps([decoding, languages]).encode())
    if settings.glossary:
        digest.update(read_all(settings.glossary))
    return digest.hexdigest()


def _weights(translator: Translator) -> Iterator[bytes]:
    for model in translator.searcher.models:
        for parameter in model.parameters():
            yield parameter.detach().flatten()[:256].float().cpu().numpy().tobytes()
