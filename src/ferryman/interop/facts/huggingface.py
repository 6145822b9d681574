"""What a Hugging Face folder holds that we cannot run."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from ferryman.errors import ConversionError
from ferryman.interop.facts.common import size_of
from ferryman.interop.huggingface.card import card_facts
from ferryman.interop.huggingface.settings import CONFIG, FAMILIES
from ferryman.interop.stored import WEIGHTS, read_json

_NUMBERS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I8": "int8", "U8": "uint8"}
_WIDTHS = ("d_model", "hidden_size", "n_embd", "dim")
_LAYERS = {
    "encoder": ("encoder_layers", "num_layers"),
    "decoder": ("decoder_layers", "num_decoder_layers"),
    "": ("num_hidden_layers", "n_layer", "n_layers"),
}


def huggingface_facts(folder: Path) -> dict[str, Any] | None:
    """Say what a folder holds; None if it is a model that ours can be.

    Raises:
        ConversionError: it is damaged.

    """
    config = read_json(folder / CONFIG)
    kind = config.get("model_type")
    known, weights = kind in FAMILIES, [name for name in WEIGHTS if (folder / name).is_file()]
    if known and weights:
        return None
    classes = config.get("architectures")
    named = ", ".join(map(str, classes)) if isinstance(classes, list) else ""
    reason = "no: there are no weights of PyTorch in it" if known else f"no: those that can are {', '.join(FAMILIES)}"
    return {
        "path": str(folder),
        "format": f"Hugging Face, {kind}" + (f" ({named})" if named else ""),
        "translates": reason,
        **card_facts(folder),
        **_parameters(folder),
        **_sizes(config),
        "bytes": size_of(folder),
    }


def _sizes(config: dict[str, Any]) -> dict[str, Any]:
    def number(names: tuple[str, ...]) -> int | None:
        return next((config[name] for name in names if type(config.get(name)) is int), None)

    stacks = {side: count for side, names in _LAYERS.items() if (count := number(names))}
    if "encoder" in stacks:
        stacks.pop("", None)  # the same once more
        stacks.setdefault("decoder", stacks["encoder"])
    facts = {
        "layers": ", ".join(f"{count} {side}".rstrip() for side, count in stacks.items()),
        "width": number(_WIDTHS),
        "vocabulary": number(("vocab_size",)),
    }
    return {name: value for name, value in facts.items() if value}


def _parameters(folder: Path) -> dict[str, Any]:
    """Count the weights in files that tell their sizes."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118 - it is no mapping
                    tensor = file.get_slice(name)
                    counts[tensor.get_dtype()] += math.prod(tensor.get_shape())
        except (OSError, SafetensorError) as error:
            raise ConversionError(f"{path}: cannot read the weights: {error}") from error
    if not counts:
        return {}
    kinds = (_NUMBERS.get(kind, kind) for kind, _ in counts.most_common())
    return {"parameters": counts.total(), "numbers": ", ".join(kinds)}
