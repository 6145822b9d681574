"""What a folder of ONNX graphs holds, without ONNX: only the sizes of the weights are read, which stay on disk."""

import math
import mmap
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from ferryman.errors import ConversionError
from ferryman.interop.facts.wording import ONLY_WRITTEN, size_of
from ferryman.interop.protobuf import fields

_TYPES = {1: "float32", 2: "uint8", 3: "int8", 10: "float16", 11: "float64", 16: "bfloat16"}  # of weights
_PRODUCER, _PRODUCER_VERSION, _GRAPH, _OPSET = 2, 3, 7, 8  # fields of a model
_INITIALIZER, _DIMS, _TYPE = 5, 1, 2  # of a graph, and of a tensor
_OPSET_DOMAIN, _OPSET_VERSION = 1, 2


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
        "parameters": {name: graph.weights.total() for name, graph in graphs.items()},
        "numbers": ", ".join(kind for kind, _ in kinds.most_common()),
        "bytes": size_of(folder),
    }
    return {name: value for name, value in facts.items() if value}


def read_graph(path: Path) -> Graph:
    """Read the sizes of a graph's weights.

    Raises:
        ConversionError: it is damaged.

    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            with memoryview(content) as message:
                return _read(message)
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except ValueError as error:  # an empty file, too
        raise ConversionError(f"{path}: damaged, or no ONNX graph") from error
