"""Tables of invertible renames: which of our tensors are which of theirs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ferryman.errors import ConversionError

SHOWN = 5


@dataclass(frozen=True)
class Rename:
    """A tensor of ours; of theirs it is one, or several one below the other."""

    ours: str
    theirs: tuple[str, ...]
    copies: tuple[str, ...] = ()
    """More names under which theirs may be kept, whole, besides or instead."""
    as_row: bool = False
    """Theirs is a matrix of one row."""

    def outward(self, tensor: Tensor) -> dict[str, Tensor]:
        """Give it their names."""
        parts = tensor.chunk(len(self.theirs)) if len(self.theirs) > 1 else (tensor,)
        named = zip(self.theirs, parts, strict=True)
        return {name: (part[None] if self.as_row else part).clone() for name, part in named}

    def inward(self, weights: Mapping[str, Tensor], where: object) -> Tensor | None:
        """Give it our name; None if it is missing."""
        if len(self.theirs) > 1:
            parts = [weights[name] for name in self.theirs if name in weights]
            fits = len(parts) == len(self.theirs) and len({part.shape for part in parts}) == 1 and parts[0].dim() > 0
            return torch.cat(parts) if fits else None
        found = [name for name in (*self.theirs, *self.copies) if name in weights]
        for other in found[1:]:
            if not torch.equal(weights[found[0]], weights[other]):
                raise ConversionError(f"{where}: {found[0]} and {other} differ, but its settings say they are one")
        if not found:
            return None
        tensor = weights[found[0]]
        return tensor.reshape(tensor.shape[1:]) if self.as_row and tensor.shape[:1] == (1,) else tensor


def outward(weights: Mapping[str, Tensor], table: Iterable[Rename]) -> dict[str, Tensor]:
    """Give all our weights their names."""
    return {name: part for rename in table for name, part in rename.outward(weights[rename.ours]).items()}


def inward(
    weights: Mapping[str, Tensor], table: Sequence[Rename], shapes: Mapping[str, torch.Size], where: object
) -> dict[str, Tensor]:
    """Give all their weights our names, in float32.

    Args:
        weights: theirs, without those that the format has and a model does not need.
        table: one rename for each of our tensors.
        shapes: of our tensors.
        where: names the file in errors.

    Raises:
        ConversionError: names the weights that are missing, left over, of another shape or no numbers.

    """
    found: dict[str, Tensor] = {}
    known = {name for rename in table for name in (*rename.theirs, *rename.copies)}
    problems = [f"{name} is left over" for name in weights if name not in known]
    for rename in table:
        tensor, names = rename.inward(weights, where), " + ".join(rename.theirs)
        if tensor is None:
            missing = [name for name in rename.theirs if name not in weights]
            shaped = ", ".join(f"{name} {tuple(weights[name].shape)}" for name in rename.theirs if name in weights)
            problems += [f"{name} is missing" for name in missing] or [f"{shaped}: these do not fit together"]
        elif tensor.shape != shapes[rename.ours]:
            problems.append(f"{names} is {tuple(tensor.shape)}, expected {tuple(shapes[rename.ours])}")
        elif not tensor.is_floating_point():
            problems.append(f"{names} holds {tensor.dtype}, no floating-point numbers")
        else:
            found[rename.ours] = tensor.float().contiguous()
    if problems:
        more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise ConversionError(
            f"{where}: the weights do not fit the settings beside them: {'; '.join(sorted(problems)[:SHOWN])}{more}"
        )
    return found
