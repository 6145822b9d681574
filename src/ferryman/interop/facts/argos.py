"""What an Argos package holds: it is looked into where it is, without unpacking."""

import json
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from ferryman.errors import ConversionError
from ferryman.interop.facts.common import LIMIT, ONLY_WRITTEN
from ferryman.interop.facts.ctranslate2 import MODEL, model_facts, read_specification, vocabulary_facts

_METADATA = "metadata.json"
_DENSEST = 100  # bytes that one byte may unpack to; numbers of a network do not shrink like this
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, RuntimeError)


def argos_facts(path: Path) -> dict[str, Any]:
    """Say what a package holds.

    Raises:
        ConversionError: it is damaged, none, or would unpack to far more than it is.

    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _facts(archive, path)
    except _BROKEN as error:
        raise ConversionError(f"{path}: not an Argos package, or a damaged one: {error}") from error


def _facts(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    members = {one.filename: one for one in archive.infolist()}
    root = next((PurePosixPath(name).parent for name in members if PurePosixPath(name).name == _METADATA), None)
    if root is None:
        raise ConversionError(f"{path}: not an Argos package: no {_METADATA} in it")

    def read(name: str) -> bytes | None:
        member = members.get(str(root / name))
        if member is None:
            return None
        if member.file_size > LIMIT:
            raise ConversionError(
                f"{path}: {member.filename} has {member.file_size:,} bytes; {LIMIT:,} at most are read"
            )
        return archive.read(member)

    about = _metadata(read(_METADATA) or b"", path)
    model = members.get(str(root / "model" / MODEL))
    facts: dict[str, Any] = {}
    if model is not None:
        if model.file_size > LIMIT and model.file_size > _DENSEST * model.compress_size:
            raise ConversionError(f"{path}: {model.filename} would unpack to {model.file_size:,} bytes; it is not read")
        with archive.open(model) as file:
            facts = model_facts(read_specification(file, f"{path}: {model.filename}"))
        facts["format"] = f", CTranslate2's {facts.pop('specification')} in it"
        facts |= vocabulary_facts(lambda name: read(f"model/{name}"), path)
    said = {name: about[key] for name, key in (("licence", "license"), ("version", "package_version")) if key in about}
    return {
        "path": str(path),
        "format": f"Argos package{facts.pop('format', '')}",
        "translates": ONLY_WRITTEN,
        "languages": f"{about.get('from_code', '?')} → {about.get('to_code', '?')}",
        **{name: str(value) for name, value in said.items()},
        **facts,
        "bytes": path.stat().st_size,
    }


def _metadata(content: bytes, path: Path) -> dict[str, Any]:
    try:
        about = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"{path}: {_METADATA} is not JSON: {error}") from error
    if not isinstance(about, dict):
        raise ConversionError(f"{path}: {_METADATA} holds no object in braces")
    return about
