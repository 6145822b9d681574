"""Files, translated with their form kept."""

import asyncio
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from ferryman.config import DocumentsConfig
from ferryman.documents.docx import DAMAGED
from ferryman.documents.formats import SUFFIXES, read_document
from ferryman.documents.results import REMEMBERED, Result, Summary
from ferryman.documents.translating import checked, finish
from ferryman.errors import ConfigError, DataError
from ferryman.serving.models import keeping_tags
from ferryman.serving.refusals import FileError, LaterError, TooLargeError
from ferryman.serving.service import Order, Service
from ferryman.translator import Translation
from ferryman.translator.running import join

WINDOW = 8  # a file has at most one part in so many of the queue
UNPACKED = 16  # times as large as a file may be is what a packed one may hold
MOST_TAGS = 1_000_000  # of a packed file, each of which takes a third of a kilobyte
_LINE_END = re.compile(r"(\r\n|\n|\r)")


def translated_name(name: str, target: str) -> str:
    """Name the translation of a file: ``notes.txt`` gives ``notes.de.txt``."""
    path = PurePath(PurePath(name).name)
    return f"{path.stem}.{target}{path.suffix}"


@dataclass(frozen=True)
class Upload:
    """A file that a client sent."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Texts:
    """What is to be translated of a file, and how to make a file of its translations."""

    sources: list[str]
    write: Callable[[Sequence[Translation]], "Written"]


@dataclass(frozen=True)
class Written:
    """A translated file, and what was done with it."""

    content: bytes
    summary: Summary


async def translate_file(service: Service, file: Upload, client: str, source: str, target: str) -> Written:
    """Translate a file of any format that documents can have, and keep its form.

    It takes its turn with what others ask, and waits while the service is busy.

    Args:
        service: what translates.
        file: of a format that its name tells.
        client: who waits in line.
        source: language of the file, one of those served; empty: find out.
        target: language to translate into, one of those served.

    Raises:
        FileError: a file of another format, one that is not what its name says, or of other languages; or a sentence
            longer than a request may be.
        TooLargeError: it unpacks to more than a server should hold.

    """
    check_format(file, service.config.max_file_bytes)
    if not source:
        found = await asyncio.to_thread(read_texts, file, ("", target), DocumentsConfig())
        source = service.detect("\n".join(found.sources), target)[0]
    hops = service.fleet.route(source, target)
    if not hops:
        return Written(file.content, Summary())
    model = hops[-1].model.translator
    texts = await asyncio.to_thread(read_texts, file, (source, target), model.config.documents)
    order = Order(client, hops, keeping_tags(hops))
    known = await _translated(service, list(dict.fromkeys(texts.sources)), order)
    return await asyncio.to_thread(_written, texts, [known[text] for text in texts.sources])


def check_format(file: Upload, most_bytes: int) -> None:
    """Refuse a file that is of no known format, or that is small only as it is packed.

    Raises:
        FileError: its name ends in nothing that is known.
        TooLargeError: it unpacks to more than ``UNPACKED`` times ``most_bytes``.

    """
    suffix = PurePath(file.name).suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(f"{suffix or 'a file without ending'}: not supported; there are: {', '.join(SUFFIXES)}")
    if suffix == ".docx":
        _check_packed(file.content, UNPACKED * most_bytes)


def _check_packed(content: bytes, most: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            if (size := sum(info.file_size for info in infos)) > most:
                raise TooLargeError(f"the file unpacks to {size:,} bytes; at most {most:,} are allowed")
            if sum(archive.read(info).count(b"<") for info in infos if info.filename.endswith(".xml")) > MOST_TAGS:
                raise TooLargeError(f"the file unpacks to more than {MOST_TAGS:,} tags")
    except DAMAGED:  # the reader tells what is wrong
        return


def read_texts(file: Upload, languages: tuple[str, str], settings: DocumentsConfig) -> Texts:
    """Read a file whose format is known; plain text line by line.

    Args:
        file: the file.
        languages: source and target; empty if unknown.
        settings: what of a document is translated, whether it is marked; the rest is not for a server.

    Raises:
        FileError: the file is not what its name says, or of other languages.

    """
    if PurePath(file.name).suffix.lower() == ".txt":
        return _lines(file.content)
    try:
        document = read_document(file.name, file.content, settings.model_copy(update={"format": "auto"}), languages)
    except (DataError, ConfigError) as error:
        raise FileError(str(error)) from error

    def write(found: Sequence[Translation]) -> Written:
        summary, content = finish(document, [_result(*each) for each in zip(document.texts, found, strict=True)])
        return Written(content, summary)

    return Texts(document.texts, write)


def _result(source: str, found: Translation) -> Result:
    flags = tuple(flag for flag in found.flags if flag != REMEMBERED)
    return checked(source, Result(found.text, flags, remembered=flags != found.flags))


def _lines(content: bytes) -> Texts:
    """Take text in lines, whose ends stay as they are, and so do empty lines."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"the file is not UTF-8 at byte {error.start}") from error
    pieces = _LINE_END.split(text)
    lines, ends = pieces[0::2], [*pieces[1::2], ""]
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""

    def write(found: Sequence[Translation]) -> Written:
        summary = Summary()
        for line, one in zip(lines, found, strict=True):
            if line.strip():
                summary.add(_result(line, one))
        return Written(mark + "".join(one.text + end for one, end in zip(found, ends, strict=True)).encode(), summary)

    return Texts(lines, write)


def _written(texts: Texts, found: Sequence[Translation]) -> Written:
    try:
        return texts.write(found)
    except DataError as error:  # the file's encoding lacks a character
        raise FileError(str(error)) from error


def _windows(texts: list[str], most: int) -> Iterator[list[str]]:
    """Take as many texts together as have so many characters, at least one."""
    window: list[str] = []
    characters = 0
    for text in texts:
        if window and characters + len(text) > most:
            yield window
            window, characters = [], 0
        window.append(text)
        characters += len(text)
    yield window


async def _translated(service: Service, texts: list[str], order: Order) -> dict[str, Translation]:
    """Translate texts, a part of the queue at a time; of one that is longer than that, its sentences."""
    known = dict[str, Translation]()
    most = service.config.queue_tokens // WINDOW
    for window in _windows(texts, most):
        if len(window) == 1 and len(window[0]) > most:
            known[window[0]] = await _by_sentence(service, window[0], order, most)
        else:
            known.update(zip(window, await _patiently(service, window, order), strict=True))
    return known


async def _by_sentence(service: Service, text: str, order: Order, most: int) -> Translation:
    first, last, longest = order.hops[0], order.hops[-1], service.config.max_characters
    parts = await asyncio.to_thread(first.model.translator.split, text, to=first.target)
    for part in parts.texts:
        if len(part) > longest:
            raise FileError(
                f"the file has a sentence of {len(part):,} characters, of which {longest:,} are allowed; it begins "
                f"with {part[:40]!r}"
            )
    simple = replace(order, changes={**order.changes, "split_sentences": False})
    found: list[Translation] = []
    for window in _windows(list(parts.texts), most):
        found += await _patiently(service, window, simple)
    return join(found, parts, last.target, service.manner(last, simple.changes).decoding)


async def _patiently(service: Service, texts: list[str], order: Order) -> list[Translation]:
    while True:
        try:
            return await service.translate(texts, order)
        except LaterError as error:
            if service.queue.closed:
                raise
            await asyncio.sleep(min(error.retry_seconds, 5))
