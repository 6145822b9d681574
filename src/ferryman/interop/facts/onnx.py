"""What a folder of ONNX graphs holds, without ONNX: only the sizes of the weights are read, which stay on disk."""

import math
import mmap
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ferryman.checkpoint import load_tokenizers
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.facts.common import ONLY_WRITTEN, size_of, vocabulary_size
from ferryman.interop.protobuf import fields, packed

_PRODUCER, _PRODUCER_VERSION, _GRAPH, _OPSET = 2, 3, 7, 8  # fields of a model
_DOMAIN, _VERSION = 1, 2  # of an opset
_INITIALIZER, _DIMS, _TYPE = 5, 1, 2  # of a graph, and of a tensor
_TYPES = {1: "float32", 2: "uint8", 3: "int8", 10: "float16", 11: "float64", 16: "bfloat16"}  # that weights have


class Graph(NamedTuple):
    """One file."""

    producer: str
    opset: int | None
    weights: Counter[str]
    """How many numbers of each type."""


def onnx_facts(folder: Path) -> dict[str, Any]:
    """Say what a folder holds.

    Raises:
        ConversionError: a graph is damaged.

    """
    graphs = {path.name: read_graph(path) for path in sorted(folder.glob("*.onnx"))}
    first = next(iter(graphs.values()))
    kinds = sum((graph.weights for graph in graphs.values()), Counter[str]())
    opset = f", opset {first.opset}" if first.opset else ""
    facts: dict[str, Any] = {
        "path": str(folder),
        "format": f"ONNX{opset}" + (f", written by {first.producer}" if first.producer else ""),
        "translates": ONLY_WRITTEN,
        **_vocabulary(folder),
        "parameters and constants": {name: graph.weights.total() for name, graph in graphs.items()},
        "numbers": ", ".join(kind for kind, _ in kinds.most_common()),
        "bytes": size_of(folder),
    }
    return {name: value for name, value in facts.items() if value}


def _vocabulary(folder: Path) -> dict[str, str]:
    """Count the tokens, if the tokenizers lie there, as they do beside graphs that we wrote."""
    try:
        return {"vocabulary": vocabulary_size(load_tokenizers(folder, "identity"))}
    except FerrymanError:
        return {}


def read_graph(path: Path) -> Graph:
    """Read the sizes of a graph's weights.

    Raises:
        ConversionError: it is damaged.

    """
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _read(memoryview(content))
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except ValueError as error:  # of an empty file, too
        raise ConversionError(f"{path}: damaged, or no ONNX graph") from error


def _read(message: memoryview) -> Graph:
    found = _parts(message)
    producer = [
        bytes(part).decode(errors="replace") for number in (_PRODUCER, _PRODUCER_VERSION) for part in found[number]
    ]
    graphs = found[_GRAPH]
    if not graphs:
        raise ValueError("no graph in it")
    weights: Counter[str] = Counter()
    for tensor in _parts(graphs[0])[_INITIALIZER]:
        weights += _count(tensor)
    return Graph(" ".join(producer), _opset(found[_OPSET]), weights)


def _parts(message: memoryview) -> dict[int, list[memoryview]]:
    """Sort the fields of a message that are no numbers."""
    found: defaultdict[int, list[memoryview]] = defaultdict(list)
    for field in fields(message):
        if isinstance(field.value, memoryview):
            found[field.number].append(field.value)
    return found


def _opset(imports: Iterable[memoryview]) -> int | None:
    for one in imports:
        about = {field.number: field.value for field in fields(one)}
        version = about.get(_VERSION)
        if not about.get(_DOMAIN) and isinstance(version, int):
            return version
    return None


def _count(tensor: memoryview) -> Counter[str]:
    shape, kind = [], None
    for field in fields(tensor):
        if field.number == _DIMS:
            shape += [field.value] if isinstance(field.value, int) else list(packed(field.value))
        elif field.number == _TYPE and isinstance(field.value, int):
            kind = _TYPES.get(field.value)
    return Counter({kind: math.prod(shape)} if kind and shape else {})
