"""Which format a file is of, and what reads it."""

import importlib
from collections.abc import Callable
from pathlib import PurePath

from ferryman.config_documents import DocumentsConfig
from ferryman.documents.document import Document, Reading
from ferryman.errors import ConfigError, DataError

LINES = "lines"
_OLE = b"\xd0\xcf\x11\xe0"  # an old Word file, or an encrypted new one

# Of each format: its module, its reader and the endings of its files.
_FORMATS = {
    "text": ("text", "read_text", (".txt",)),
    "po": ("po", "read_po", (".po", ".pot")),
    "xliff": ("xliff", "read_xliff", (".xlf", ".xliff")),
    "tmx": ("tmx", "read_tmx", (".tmx",)),
    "srt": ("subtitles", "read_subtitles", (".srt",)),
    "vtt": ("subtitles", "read_subtitles", (".vtt",)),
    "json": ("json_strings", "read_json", (".json", ".arb")),
    "yaml": ("yaml_strings", "read_yaml", (".yaml", ".yml")),
    "properties": ("properties", "read_properties", (".properties",)),
    "strings": ("properties", "read_strings", (".strings",)),
    "markdown": ("markdown", "read_markdown", (".md", ".markdown")),
    "docx": ("docx", "read_docx", (".docx",)),
    "html": ("html", "read_html", (".html", ".htm", ".xhtml")),
}
SUFFIXES = {suffix: name for name, (_, _, suffixes) in _FORMATS.items() for suffix in suffixes}
"""The format of each ending, in lower case."""
_BINARY = {".doc", ".pdf", ".odt", ".xls", ".xlsx", ".ppt", ".pptx", ".rtf", ".mo", ".epub", ".zip"}


def format_of(name: str, settings: DocumentsConfig) -> str:
    """Tell the format of a file by its name, or as the settings say; ``lines`` if it is none of those known.

    Raises:
        ConfigError: a format that is known but cannot be translated, such as PDF.

    """
    if settings.format != "auto":
        return settings.format
    suffix = PurePath(name).suffix.lower()
    if suffix in _BINARY:
        raise ConfigError(f"{name}: {suffix} files cannot be translated; there are: {', '.join(SUFFIXES)}")
    return SUFFIXES.get(suffix, LINES)


def read_document(name: str, data: bytes, settings: DocumentsConfig, languages: tuple[str, str] = ("", "")) -> Document:
    """Read a file into segments.

    Args:
        name: of the file; tells its format if the settings do not.
        data: its content.
        settings: what is to be translated.
        languages: the model's source and target language, empty if unknown; files that name others are refused.

    Raises:
        DataError: the file is not what its format wants, or of other languages.
        ConfigError: a format that cannot be translated.

    """
    kind = format_of(name, settings)
    if kind == LINES:
        kind = "text"
    if data.startswith(_OLE):
        raise DataError(
            f"{name}: an encrypted document, or one of Word before 2007; save it as .docx without a password"
        )
    module, function, _ = _FORMATS[kind]
    read: Callable[[bytes, Reading], Document] = getattr(
        importlib.import_module(f"ferryman.documents.{module}"), function
    )
    return read(data, Reading(name, *languages, fuzzy=settings.fuzzy, mark=settings.mark))
