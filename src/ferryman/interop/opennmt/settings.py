"""What a checkpoint says of its network, and our settings for the same."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from ferryman.config import ModelConfig
from ferryman.errors import ConversionError

LAYOUTS = {"SinusoidalInterleaved": "interleaved", "SinusoidalConcat": "fairseq"}
ATTENTION = ("linear_query", "linear_keys", "linear_values")  # in the order in which ours are stacked


@dataclass(frozen=True)
class Settings:
    """Values by name; ``prefix`` stands before the names in messages."""

    values: Mapping[str, Any]
    where: Path
    prefix: str = ""

    def inside(self, name: str) -> "Settings":
        """Return what stands under a name; of a missing one, nothing.

        Raises:
            ConversionError: something else stands there.

        """
        values = self.values.get(name) or {}
        if not isinstance(values, Mapping):
            raise self.refused(name, "expected settings under it")
        return Settings(values, self.where, f"{self.prefix}{name}.")

    def corpora(self) -> list[Mapping[str, Any]]:
        """Return the settings of each corpus it was trained on, as far as they are told."""
        data = self.values.get("data")
        return [each for each in data.values() if isinstance(each, Mapping)] if isinstance(data, Mapping) else []

    def languages(self) -> tuple[str, str]:
        """Return the languages of source and target, told by the names of the texts: ``train.en``; else nothing."""
        for corpus in self.corpora():
            found = [Path(str(corpus.get(f"path_{side}") or "")).suffix[1:] for side in ("src", "tgt")]
            if all(re.fullmatch("[a-z]{2}", code) for code in found) and found[0] != found[1]:
                return found[0], found[1]
        return "", ""

    def refused(self, name: str, reason: str) -> ConversionError:
        """Say what is wrong with a setting."""
        return ConversionError(f"{self.where}: {self.prefix}{name} is {self.values.get(name)!r}; {reason}")

    def check(self, allowed: Mapping[str, tuple[Any, ...]]) -> None:
        """Check that settings which are there have values of which ours is capable.

        Raises:
            ConversionError: one has another.

        """
        for name, values in allowed.items():
            if name in self.values and self.values[name] not in values:
                raise self.refused(name, f"ours can only be {' or '.join(map(repr, values))}")

    def number(self, name: str) -> int:
        """Return a setting that must be a whole number.

        Raises:
            ConversionError: it is none, or missing.

        """
        value = self.values.get(name)
        if type(value) is not int or value < 0:
            raise self.refused(name, "expected a whole number")
        return value

    def rate(self, name: str, default: float) -> float:
        """Return a number, or the first of a list, which is how theirs changes it while training."""
        value = self.values.get(name, default)
        value = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refused(name, "expected a number")
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a setting that must be true or false.

        Raises:
            ConversionError: it is neither.

        """
        value = self.values.get(name, default)
        if not isinstance(value, bool | int):
            raise self.refused(name, "expected true or false")
        return bool(value)

    def choice(self, name: str, known: Mapping[str, str], default: str) -> str:
        """Return our name for a value.

        Raises:
            ConversionError: ours has none.

        """
        value = self.values.get(name, default)
        if not isinstance(value, str) or value not in known:
            raise self.refused(name, f"ours has {', '.join(known)}")
        return known[value]


@dataclass(frozen=True)
class Network:
    """A network of theirs that ours can be."""

    shape: ModelConfig
    share_embeddings: bool
    """Whether the tables of both sides are one, whatever the output's is."""
    without_bias: frozenset[str]
    """Linear layers that have none, by the last part of their names; ours has zeros there."""


def make_network(
    where: Path,
    *,
    share_embeddings: bool,
    share_output: bool,
    without_bias: Iterable[Iterable[str]],
    **shape: Any,
) -> Network:
    """Build the value.

    Raises:
        ConversionError: no network of ours has such a shape.

    """
    tie: Literal["three-way", "two-way", "none"] = "three-way" if share_embeddings else "two-way"
    try:
        config = ModelConfig(norm_order="pre", source_end=False, tie=tie if share_output else "none", **shape)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConversionError(
            f"{where}: no network of ours: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error
    return Network(config, share_embeddings, frozenset(name for names in without_bias for name in names))
