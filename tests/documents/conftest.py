"""Documents written down in tests, read and translated by something that needs no model."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ferryman.config import DocumentsConfig
from ferryman.documents.document import Document
from ferryman.documents.formats import read_document

FORMATS = Path(__file__).parents[2] / ".." / "shared" / "data" / "formats"


def upper(text: str) -> str:
    """Write words in capitals, in the opposite order, and leave tags and placeholders as they are."""
    return re.sub(
        r"<[^>]*>|%\w|\{\w*\}|\w+", lambda found: found[0] if found[0][0] in "<%{" else found[0].upper(), text
    )


@pytest.fixture
def shared() -> Path:
    if not FORMATS.is_dir():
        pytest.skip("needs ../shared/data/formats, files of other programs")
    return FORMATS


@pytest.fixture
def read() -> Callable[..., Document]:
    """Read a file from English into German; keywords are settings."""

    def read(name: str, data: str | bytes, **settings: object) -> Document:
        content = data if isinstance(data, bytes) else data.encode()
        return read_document(name, content, DocumentsConfig(**settings), ("en", "de"))

    return read


@pytest.fixture
def translate(read: Callable[..., Document]) -> Callable[..., str]:
    """Translate a file into capitals, or with a function of one's own; first see that nothing changes without."""

    def translate(name: str, data: str | bytes, how: Callable[[str], str] = upper, **settings: object) -> str:
        content = data if isinstance(data, bytes) else data.encode()
        document = read(name, content, **settings)
        assert document.write([None] * len(document.segments)) == content
        return document.write([how(text) for text in document.texts]).decode()

    return translate
