"""From a run folder of Joey NMT to a model of ours."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError
from torch import Tensor

from ferryman.checkpoint import model_on_meta
from ferryman.config import Config
from ferryman.errors import ConversionError
from ferryman.interop.huggingface.extras import data_config
from ferryman.interop.huggingface.vocabulary import as_language
from ferryman.interop.joeynmt.settings import CONFIG, Settings
from ferryman.interop.joeynmt.tables import (
    FINAL_NORM,
    SOURCE,
    TARGET,
    check_positions,
    embedding_table,
    layer_table,
    weigh_residuals,
)
from ferryman.interop.joeynmt.vocabulary import VOCABULARIES, read_tokenizers, tokenizer_config
from ferryman.interop.renames import inward
from ferryman.interop.stored import read_pickle
from ferryman.interop.stored_model import StoredModel

SUFFIX = ".ckpt"
_USUAL = ("best.ckpt", "latest.ckpt")
_MAKE_SCALAR = np.float64(0).__reduce__()[0]
_SCALARS: list[Any] = [
    np.dtype,
    *(type(np.dtype(name)) for name in ("f4", "f8", "i8")),
    _MAKE_SCALAR,
    (_MAKE_SCALAR, "numpy.core.multiarray.scalar"),  # as NumPy 1 called it
]
"""Of NumPy's numbers, as which scores stand in checkpoints."""


def is_joeynmt(path: Path) -> bool:
    """Tell whether this is a run's folder, or a checkpoint in one."""
    folder = path.parent if path.suffix == SUFFIX and path.is_file() else path
    return (folder / CONFIG).is_file() and ((folder / VOCABULARIES["src"]).is_file() or any(folder.glob(f"*{SUFFIX}")))


def read_joeynmt(path: Path) -> StoredModel:
    """Read a run without Joey NMT: its best checkpoint, or else its latest, or the one that is named.

    Raises:
        ConversionError: it is damaged, or a model that ours cannot be.

    """
    checkpoint = _checkpoint(path)
    folder = checkpoint.parent
    settings = Settings.read(folder / CONFIG)
    weights = _weights(checkpoint)
    if wrong := check_positions(weights):
        raise ConversionError(f"{checkpoint}: {wrong} holds other than interleaved sinusoids, Joey NMT's positions")
    order: Literal["pre", "post"] = "pre" if FINAL_NORM in weights else "post"
    shape = settings.model_config(order)
    sizes = _rows(weights, SOURCE, checkpoint), _rows(weights, TARGET, checkpoint)
    if shape.tie == "three-way" and sizes[0] != sizes[1]:
        raise settings.refusal("model.tied_embeddings", f"the tables have {sizes[0]} and {sizes[1]} rows")
    tokenizers = read_tokenizers(folder, settings, sizes)
    expected = {name: tensor.shape for name, tensor in model_on_meta(shape, *sizes).named_parameters()}
    found = inward(weights, [*embedding_table(shape), *layer_table(shape)], expected, checkpoint)
    if settings.residual_weight != 1:
        found = weigh_residuals(found, settings.residual_weight)
    try:
        config = Config(
            data=data_config([_languages(settings)]),
            tokenizer=tokenizer_config(settings, tokenizers),
            model=shape,
            decoding=settings.decoding_config(),
        )
    except ValidationError as error:
        raise ConversionError(f"{settings.where}: {error.errors()[0]['msg']}") from error
    return StoredModel(found, config, tokenizers)


def about_joeynmt(path: Path) -> dict[str, str]:
    """Name the format and its version."""
    version = Settings.read(_checkpoint(path).parent / CONFIG).version
    return {"format": f"Joey NMT {version}".rstrip()}


def _checkpoint(path: Path) -> Path:
    if path.is_file():
        return path
    found = [path / name for name in _USUAL if (path / name).is_file()] or sorted(path.glob(f"*{SUFFIX}"))
    if len(found) > 1 and found[0].name not in _USUAL:
        raise ConversionError(
            f"{path}: no {' or '.join(_USUAL)} in it, but {len(found)} other checkpoints; name one, such as {found[-1]}"
        )
    if not found:
        raise ConversionError(f"{path}: no checkpoint in it; expected {' or '.join(_USUAL)}")
    return found[0]


def _weights(checkpoint: Path) -> dict[str, Tensor]:
    held = read_pickle(checkpoint, _SCALARS)
    weights = held.get("model_state") if isinstance(held, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(tensor, Tensor) for tensor in weights.values()):
        raise ConversionError(f"{checkpoint}: no model_state in it, with names and their tensors")
    return {str(name): tensor for name, tensor in weights.items()}


def _rows(weights: dict[str, Tensor], name: str, where: Path) -> int:
    table = weights.get(name)
    if table is None or table.dim() != 2:
        raise ConversionError(f"{where}: no table of embeddings {name}")
    return table.size(0)


def _languages(settings: Settings) -> tuple[str, str]:
    """Return the codes; 2.x has a section for each side, with more than its code."""
    source, target = (settings.find(f"data.{side}.lang") or settings.find(f"data.{side}") for side in VOCABULARIES)
    return _code(source), _code(target)


def _code(value: Any) -> str:
    return as_language(value) if isinstance(value, str) else ""
