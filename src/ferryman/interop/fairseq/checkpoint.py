"""A checkpoint file as plain data: what it holds of classes that are not here is looked into, and never run."""

import re
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ferryman.errors import ConversionError
from ferryman.interop.stored import pickle_operations, read_pickle

NESTED = 8  # nodes around a value, at most
_STANDS_FOR = re.compile(
    r"(fairseq|omegaconf)\..+"  # meters of the training, settings as OmegaConf keeps them and their classes
    r"|numpy\.(_?core\.multiarray\.(_reconstruct|scalar)|dtype|ndarray)"  # figures of a validation
    r"|collections\.defaultdict|typing\.\w+|_?operator\.getitem"  # and types of those settings:
    r"|builtins\.(bool|dict|float|int|list|str|tuple)"
)


class Opaque:
    """Stands for an object of a class that is not here: what it was made of and its state; nothing is run."""

    args: tuple[Any, ...]
    state: Any = None

    def __new__(cls, *args: Any) -> Self:
        """Take the place of a class, or of a function, that is called."""
        made = super().__new__(cls)
        made.args = args
        return made

    def __setstate__(self, state: Any) -> None:
        self.state = state


def read_checkpoint(path: Path) -> Mapping[str, Any]:
    """Read a checkpoint file; see ``read_pickle``.

    Raises:
        ConversionError: it is damaged, holds what might run code, or is no checkpoint.

    """
    named = sorted(name for name in _globals_of(path) if _STANDS_FOR.fullmatch(name))
    state = read_pickle(path, allowed=(Namespace, *((Opaque, name) for name in named)))
    if not isinstance(state, dict) or not isinstance(state.get("model"), dict):
        raise ConversionError(f"{path}: no fairseq checkpoint: there is no model in it")
    return state


def plain(value: Any) -> Any:
    """Take a value out of the nodes of OmegaConf and of enumerations; what it only refers to is none."""
    for _ in range(NESTED):
        if not isinstance(value, Opaque):
            break
        node = value.state if isinstance(value.state, dict) else {}
        value = node.get("_content", node.get("_val", value.args[0] if value.args else None))
    refers = isinstance(value, Opaque) or (isinstance(value, str) and value.startswith("${"))
    return None if refers else value


def group(value: Any) -> dict[str, Any]:
    """Look into a group of settings: a mapping, a ``Namespace``, or the mere name of what is chosen."""
    value = plain(value)
    if isinstance(value, str):
        return {"_name": value}
    found = vars(value) if isinstance(value, Namespace) else value if isinstance(value, Mapping) else {}
    return {name: plain(each) for name, each in found.items() if isinstance(name, str)}


def _globals_of(path: Path) -> set[str]:
    """Name the classes and functions that a file refers to, as Python 3 does; PyTorch writes the names of Python 2."""
    found = (str(argument).partition(" ") for name, argument in pickle_operations(path) if name == "GLOBAL")
    return {
        ".".join(NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name)))
        for module, _, name in found
    }
