"""Parts of a model that training leaves as they are: they get no gradient and no optimiser state."""

import re
from collections.abc import Iterable, Sequence

from torch import nn

from ferryman.errors import ConfigError

EMBEDDINGS = ("source_table", "target_table", "source_embedding", "target_embedding")


def freeze(model: nn.Module, names: Sequence[str]) -> None:
    """Freeze the parameters whose names begin with ``names``, whole parts of the name; a tied one has several names.

    Raises:
        ConfigError: a name is no parameter's (all are listed), or nothing would be left to train.
    """
    parameters = dict(model.named_parameters(remove_duplicate=False))
    for name in names:
        prefixes = EMBEDDINGS if name == "embeddings" else (name,)
        found = [parameter for full, parameter in parameters.items() if _begins(full, prefixes)]
        if not found:
            raise ConfigError(
                f"training.freeze: there is no part {name!r}; there are: {', '.join(_parts(parameters))}; and the "
                "beginnings of all parameters' names"
            )
        for parameter in found:
            parameter.requires_grad_(False)
    if not any(parameter.requires_grad for parameter in parameters.values()):
        raise ConfigError(f"training.freeze: {', '.join(names)} is all of the model; leave out what is to be trained")


def _begins(full: str, prefixes: Sequence[str]) -> bool:
    return any(full == prefix or full.startswith(f"{prefix}.") for prefix in prefixes)


def _parts(names: Iterable[str]) -> list[str]:
    tops = dict.fromkeys(name.partition(".")[0] for name in names)
    layers = dict.fromkeys(found[0] for name in names if (found := re.match(r"\w+\.layers\.\d+", name)))
    return list(dict.fromkeys(["embeddings", *tops, *layers]))
