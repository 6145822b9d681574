"""What a folder of CTranslate2 holds.

model.bin    version, name and revision of the specification, number of variables; of each its name, shape, type,
size in bytes and these; then names that are other names for them (all little-endian)
*vocabulary* one of both sides, or one each: a JSON list of tokens, or one a line
"""

import json
import math
import os
import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from ferryman.errors import ConversionError
from ferryman.interop.facts.common import ONLY_WRITTEN, read_bounded, size_of

MODEL = "model.bin"
_OLDEST, _NEWEST = 4, 6  # versions of the file
_TYPES = ("float32", "int8", "int16", "int32", "float16", "bfloat16")
_WEIGHTS = ("weight", "bias", "gamma", "beta")
_SMALL = 8  # bytes of a setting
_VOCABULARIES = ("shared", "source", "target")


class Variable(NamedTuple):
    """A tensor or a setting."""

    shape: tuple[int, ...]
    kind: str
    value: int | None
    """Of a setting that is a whole number."""


class Specification(NamedTuple):
    """The head of ``model.bin``, and all that stands in it but the weights."""

    name: str
    revision: int
    variables: Mapping[str, Variable]


def ctranslate2_facts(folder: Path) -> dict[str, Any]:
    """Say what a folder holds.

    Raises:
        ConversionError: it is damaged.

    """
    try:
        with (folder / MODEL).open("rb") as file:
            facts = model_facts(read_specification(file, folder / MODEL))
    except OSError as error:
        raise ConversionError(f"{folder / MODEL}: cannot read it: {error.strerror}") from error

    def read(name: str) -> bytes | None:
        return read_bounded(folder / name) if (folder / name).is_file() else None

    facts |= vocabulary_facts(read, folder)
    return {"path": str(folder), "format": f"CTranslate2, {facts.pop('specification')}", "translates": ONLY_WRITTEN,
            **facts, "bytes": size_of(folder)}  # fmt: skip


def read_specification(file: IO[bytes], where: object) -> Specification:
    """Read ``model.bin`` and pass over the weights.

    Raises:
        ConversionError: it is damaged, or of another version.

    """
    reader = _Reader(file)
    try:
        version = reader.number("<I")
        if not _OLDEST <= version <= _NEWEST:
            raise ConversionError(
                f"{where}: of version {version}, or not CTranslate2's; known are versions {_OLDEST} to {_NEWEST}"
            )
        name, revision = reader.text(), reader.number("<I")
        variables = dict(reader.variable() for _ in range(reader.number("<I")))
        for _ in range(2 * reader.number("<I")):
            reader.text()
    except (EOFError, UnicodeDecodeError, IndexError) as error:
        raise ConversionError(f"{where}: damaged, or cut off: not a whole model of CTranslate2") from error
    return Specification(name, revision, variables)


class _Reader:
    """Reads what the file is made of; raises ``EOFError`` where it ends too soon."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def number(self, form: str) -> int:
        value: int = struct.unpack(form, self._exactly(struct.calcsize(form)))[0]
        return value

    def text(self) -> str:
        return self._exactly(self.number("<H")).rstrip(b"\0").decode()

    def variable(self) -> tuple[str, Variable]:
        name = self.text()
        shape = tuple(self.number("<I") for _ in range(self.number("<B")))
        kind, size = _TYPES[self.number("<B")], self.number("<I")
        value = None
        if size <= _SMALL:
            value = int.from_bytes(self._exactly(size), "little", signed=True)
        else:
            self.file.seek(size, os.SEEK_CUR)
        return name, Variable(shape, kind, value if kind.startswith("int") and not shape else None)

    def _exactly(self, count: int) -> bytes:
        found = self.file.read(count)
        if len(found) < count:
            raise EOFError
        return found


def model_facts(found: Specification) -> dict[str, Any]:
    """Say how large a network is, and in what numbers."""
    counts: Counter[str] = Counter()
    for name, one in found.variables.items():
        if name.rpartition("/")[2] in _WEIGHTS:
            counts[one.kind] += math.prod(one.shape)
    facts: dict[str, Any] = {"specification": f"{found.name} {found.revision}"}
    if counts:
        facts |= {"parameters": counts.total(), "numbers": ", ".join(kind for kind, _ in counts.most_common())}
    stacks = {side: _layers(found.variables, side) for side in ("encoder", "decoder")}
    if any(stacks.values()):
        facts["layers"] = ", ".join(f"{count} {side}" for side, count in stacks.items() if count) + _order(found)
    if width := _width(found):
        facts["width"] = width
    return facts


def vocabulary_facts(read: Callable[[str], bytes | None], where: object) -> dict[str, str]:
    """Count the tokens.

    Args:
        read: returns what is in a file of the folder; None if there is none.
        where: names the model in errors.

    Raises:
        ConversionError: a vocabulary is damaged.

    """
    sizes: dict[str, int] = {}
    for side in _VOCABULARIES:
        for name in (f"{side}_vocabulary.json", f"{side}_vocabulary.txt"):
            content = read(name)
            if content is None:
                continue
            try:
                text = content.decode()
                tokens = json.loads(text) if name.endswith(".json") else text.splitlines()
            except (ValueError, RecursionError) as error:
                raise ConversionError(f"{where}: {name} is damaged: {error}") from error
            if not isinstance(tokens, list):
                raise ConversionError(f"{where}: {name} holds no list of tokens")
            sizes[side] = len(tokens)
    if "shared" in sizes:
        return {"vocabulary": f"{sizes['shared']} joint"}
    return {"vocabulary": ", ".join(f"{count} {side}" for side, count in sizes.items())} if sizes else {}


def _layers(variables: Mapping[str, Variable], side: str) -> int:
    layers = (re.match(rf"{side}/layer_(\d+)/", name) for name in variables)
    return len({found[1] for found in layers if found})


def _order(found: Specification) -> str:
    pre = found.variables.get("encoder/pre_norm", found.variables.get("decoder/pre_norm"))
    return "" if pre is None or pre.value is None else f", {'pre' if pre.value else 'post'}-norm"


def _width(found: Specification) -> str:
    sizes = {}
    for name, one in found.variables.items():
        if re.fullmatch(r"(en|de)coder/embeddings(_\d+)?/weight", name) and len(one.shape) == 2:
            sizes["d_model"] = f"d_model {one.shape[1]}"
        elif name.endswith("/ffn/linear_0/weight") and len(one.shape) == 2:
            sizes["d_ff"] = f"d_ff {one.shape[0]}"
        elif name.endswith("coder/num_heads") and one.value:
            sizes["heads"] = f"{one.value} heads"
    return ", ".join(sizes[key] for key in ("d_model", "d_ff", "heads") if key in sizes)
