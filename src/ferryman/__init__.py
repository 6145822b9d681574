"""Ferryman: train, see into and ship encoder-decoder Transformers.

>>> import ferryman
>>> translator = ferryman.load("runs/en-de")
>>> translator.translate(["The river is wide."])[0].text
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ferryman.config import (
        Config,
        CorpusConfig,
        DataConfig,
        DecodingConfig,
        DocumentsConfig,
        ModelConfig,
        TokenizerConfig,
        TrainingConfig,
    )
    from ferryman.config_file import load_config
    from ferryman.documents.translating import translate_document
    from ferryman.errors import FerrymanError
    from ferryman.model.transformer import Transformer
    from ferryman.translator import Translation, Translator
    from ferryman.workflows.convert import convert
    from ferryman.workflows.load import load
    from ferryman.workflows.plan import plan
    from ferryman.workflows.run import TrainingRun
    from ferryman.workflows.teaching import back_translate, distill

__version__ = "0.1.0"
__all__ = [
    "Config",
    "CorpusConfig",
    "DataConfig",
    "DecodingConfig",
    "DocumentsConfig",
    "FerrymanError",
    "ModelConfig",
    "TokenizerConfig",
    "TrainingConfig",
    "TrainingRun",
    "Transformer",
    "Translation",
    "Translator",
    "back_translate",
    "convert",
    "distill",
    "load",
    "load_config",
    "plan",
    "translate_document",
]

_HOMES = {
    "ferryman.config": (
        "Config",
        "CorpusConfig",
        "DataConfig",
        "DecodingConfig",
        "DocumentsConfig",
        "ModelConfig",
        "TokenizerConfig",
        "TrainingConfig",
    ),
    "ferryman.config_file": ("load_config",),
    "ferryman.documents.translating": ("translate_document",),
    "ferryman.errors": ("FerrymanError",),
    "ferryman.model.transformer": ("Transformer",),
    "ferryman.translator": ("Translation", "Translator"),
    "ferryman.workflows.convert": ("convert",),
    "ferryman.workflows.load": ("load",),
    "ferryman.workflows.plan": ("plan",),
    "ferryman.workflows.run": ("TrainingRun",),
    "ferryman.workflows.teaching": ("back_translate", "distill"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package is quick."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'ferryman' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
