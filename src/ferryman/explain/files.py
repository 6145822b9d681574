"""A trace as JSON and back.

Tensors are base64 of raw DEFLATE (RFC 1951) of little-endian numbers: attention weights in steps of 1/65535
(``unorm16``), others ``float16``, or ``float32`` where that would overflow. What does not fit the budget of bytes is
reduced in this order: vectors become means over equal bins of their features; the raw scores of layers in the middle
are left out; then those at the ends; then vectors; then weights, from the middle. A tensor that is not there was left
out.
"""

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ferryman.errors import DataError
from ferryman.explain.values import BUDGET_BYTES, Trace

FORMAT, VERSION = "ferryman-trace", 1
BINS = (64, 32, 16)
_UNITS = 65535
_FLOAT16_MOST = 65000.0


def dump_trace(trace: Trace, budget_bytes: int = BUDGET_BYTES) -> str:
    """Write a trace as JSON in at most ``budget_bytes``, as long as what is no tensor fits in that."""
    facts = {name: value for name, value in asdict(trace).items() if name not in ("tensors", "summarised")}
    alignment = facts["alignment"]
    alignment["from"] = alignment.pop("told_by")
    document = {"format": FORMAT, "version": VERSION, **facts}
    room = budget_bytes - len(_json(document).encode())
    return _json({**document, "tensors": _packed(trace, room)})


def load_trace(path: str | Path) -> Trace:
    """Read a trace.

    Raises:
        DataError: the file is missing, no trace, damaged, or of a later version.

    """
    try:
        document = json.loads(Path(path).read_bytes())
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise DataError(f"{path}: not a trace; ferryman explain MODEL TEXT -o FILE.json writes one")
        if document["version"] != VERSION:
            raise DataError(f"{path}: a trace of version {document['version']}; this program reads {VERSION}")
        document["alignment"]["told_by"] = document["alignment"].pop("from")
        packed = document.pop("tensors")
        document["tensors"] = {name: _decoded(entry) for name, entry in packed.items()}
        document["summarised"] = {
            name: entry["summary"]["from"] for name, entry in packed.items() if entry["summary"] is not None
        }
        return _TRACE.validate_python({name: document[name] for name in document if name not in ("format", "version")})
    except OSError as error:
        raise DataError(f"{path}: cannot read it: {error.strerror}") from error
    except (ValidationError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise DataError(f"{path}: a damaged trace; write it again with ferryman explain") from error


_TRACE = TypeAdapter(Trace)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _packed(trace: Trace, room: int) -> dict[str, Any]:
    """Encode the tensors such that they take at most ``room`` bytes."""
    fixed = {name: _entry(name, values, None) for name, values in trace.tensors.items() if is_attention(name)}
    for bins in (None, *BINS):
        vectors = {
            name: _entry(name, *_binned(values, bins, trace.summarised.get(name)))
            for name, values in trace.tensors.items()
            if name not in fixed
        }
        chosen = {name: fixed.get(name) or vectors[name] for name in trace.tensors}
        if _size(chosen) <= room:
            return chosen
    size = _size(chosen)
    for name in _least_wanted(list(chosen)):
        if size <= room:
            break
        size -= _size({name: chosen.pop(name)})
    return chosen


def is_attention(name: str) -> bool:
    """Tell whether a tensor has a number for every query and key."""
    return name.endswith((".weights", ".scores"))


def _least_wanted(names: Sequence[str]) -> Iterator[str]:
    """Order tensors by how soon they are left out."""
    for end in (".scores", "", ".weights"):
        group = [name for name in names if (name.endswith(end) if end else not is_attention(name))]
        middle = (len(group) - 1) / 2
        yield from sorted(group, key=lambda name: abs(group.index(name) - middle))


def _size(entries: Mapping[str, Any]) -> int:
    return len(_json(entries).encode())


def _binned(values: np.ndarray, bins: int | None, before: int | None) -> tuple[np.ndarray, int | None]:
    """Average equal bins of features, at most ``bins`` of them over all heads; return from how many features."""
    features = values.shape[-1]
    most = features if bins is None else max(1, bins // (len(values) if values.ndim == 3 else 1))
    if features <= most:
        return values, before
    parts = next(count for count in range(most, 0, -1) if features % count == 0)
    return values.reshape(*values.shape[:-1], parts, -1).mean(axis=-1), before or features


def _entry(name: str, values: np.ndarray, features: int | None) -> dict[str, Any]:
    if name.endswith(".weights"):
        dtype, content = "unorm16", np.rint(values * _UNITS).astype("<u2")
    elif np.abs(values).max(initial=0.0) <= _FLOAT16_MOST:
        dtype, content = "float16", values.astype("<f2")
    else:
        dtype, content = "float32", values.astype("<f4")
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = base64.b64encode(press.compress(content.tobytes()) + press.flush()).decode()
    bins = int(values.shape[-1])
    summary = None if features is None else {"axis": "features", "from": features, "bins": bins, "of": "mean"}
    return {"shape": list(values.shape), "dtype": dtype, "data": data, "summary": summary}


def _decoded(entry: Mapping[str, Any]) -> np.ndarray:
    kind = {"unorm16": "<u2", "float16": "<f2", "float32": "<f4"}[entry["dtype"]]
    shape = entry["shape"]
    size = math.prod(shape) * np.dtype(kind).itemsize
    content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(base64.b64decode(entry["data"]), size + 1)
    values = np.frombuffer(content, kind).reshape(shape).astype(np.float32)
    return values / _UNITS if entry["dtype"] == "unorm16" else values
