"""``config.yaml`` of a run, and our settings for the same."""

import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ferryman.config import DecodingConfig, ModelConfig
from ferryman.errors import ConversionError

CONFIG = "config.yaml"
EPSILON = 1e-6  # of its layer norms; no setting
VERSIONS = ("1", "2")
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "silu"}
MOST = 1000  # hypotheses of a beam that is meant
T = TypeVar("T", int, float, bool, str)
_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


@dataclass(frozen=True)
class Settings:
    """What the file says; keys are written with dots, such as ``model.encoder.type``."""

    tree: dict[str, Any]
    where: Path

    @classmethod
    def read(cls, path: Path) -> "Settings":
        """Read them.

        Raises:
            ConversionError: the file is damaged, of a later version, or its model is no Transformer.

        """
        settings = cls(_read_yaml(path), path)
        if settings.version.partition(".")[0] not in (*VERSIONS, ""):
            raise settings.refusal("joeynmt_version", f"those that can be read are {' and '.join(VERSIONS)}")
        for side in ("encoder", "decoder"):
            if settings.value(f"model.{side}.type", str, "recurrent") != "transformer":
                raise settings.refusal(f"model.{side}.type", "only 'transformer' can be read", unset="recurrent")
        return settings

    @property
    def version(self) -> str:
        """Return the version it was written for, as far as it is said, which 1.x does not."""
        return str(self.find("joeynmt_version") or "")

    def value(self, key: str, kind: type[T], default: T) -> T:
        """Return a setting, or Joey NMT's default for it.

        Raises:
            ConversionError: it is of another kind.

        """
        value = self.find(key)
        if value is None:
            return default
        if kind is float and type(value) is int:
            return kind(value)
        if type(value) is not kind:
            raise self.refusal(key, f"expected {_NAMES[kind]}")
        return value

    def find(self, key: str) -> Any:
        """Return whatever stands under a key; None if nothing does."""
        value: Any = self.tree
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def refusal(self, key: str, reason: str, unset: object = None) -> ConversionError:
        """Make the error that says what a key is, and what is wrong with that."""
        value = self.find(key)
        return ConversionError(f"{self.where}: {key} is {reprlib.repr(unset if value is None else value)}; {reason}")

    @property
    def tied_embeddings(self) -> bool:
        """Whether source and target have one table of embeddings."""
        return self.value("model.tied_embeddings", bool, False)

    @property
    def tied_output(self) -> bool:
        """Whether the output's matrix is the target's table."""
        return self.value("model.tied_softmax", bool, False)

    @property
    def residual_weight(self) -> float:
        """What the input of each sub-layer is multiplied by before its output is added to it (``alpha``)."""
        return self._same("alpha", float, 1.0)

    def model_config(self, norm_order: Literal["pre", "post"]) -> ModelConfig:
        """Return our settings for the same network.

        Its dropout is the encoder's; where the decoder's is another one, that is not kept.

        Args:
            norm_order: of the weights; 1.x has no key for it.

        Raises:
            ConversionError: ours has no such network.

        """
        said = self._same("layer_norm", str, norm_order)
        if said != norm_order:
            raise self.refusal("model.encoder.layer_norm", f"its weights are those of {norm_order}-norm")
        alpha = self.residual_weight
        if alpha != 1 and (norm_order == "pre" or alpha <= 0):
            raise self.refusal("model.encoder.alpha", f"with {norm_order}-norm, ours weighs residuals by 1")
        activation = self._same("activation", str, "relu")
        if activation not in ACTIVATIONS:
            raise self.refusal("model.encoder.activation", f"known are {', '.join(ACTIVATIONS)}")
        dropout = self.value("model.encoder.dropout", float, 0.1)
        try:
            return ModelConfig(
                d_model=self._width(),
                d_ff=self._same("ff_size", int, 2048),
                heads=self._same("num_heads", int, (4, 8)),
                encoder_layers=self.value("model.encoder.num_layers", int, 8),
                decoder_layers=self.value("model.decoder.num_layers", int, 4),
                norm_order=norm_order,
                norm_epsilon=EPSILON / alpha**2,
                activation=ACTIVATIONS[activation],  # type: ignore[arg-type]
                dropout=dropout,
                attention_dropout=dropout,
                feed_forward_dropout=dropout,
                tie="none" if not self.tied_output else "three-way" if self.tied_embeddings else "two-way",
                scale_embedding=self._scale(),
            )
        except ValidationError as error:
            raise ConversionError(f"{self.where}: no network of ours: {error.errors()[0]['msg']}") from error

    def decoding_config(self) -> DecodingConfig:
        """Return how to search, as far as it is said and means the same: the beam, its length penalty, a least length.

        1.x calls the penalty's exponent ``alpha``; -1 is none.
        """
        beam = self.value("testing.beam_size", int, 1)
        alpha = self.value("testing.beam_alpha", float, self.value("testing.alpha", float, -1.0))
        return DecodingConfig(
            beam=max(beam, 1) if beam <= MOST else DecodingConfig().beam,  # 0 is greedy search too
            length_penalty=min(max(alpha, 0.0), 10.0),
            min_length=max(self.value("testing.min_output_length", int, 1 if self.version else 0), 0),
        )

    def _width(self) -> int:
        width = self._same("hidden_size", int, 512)
        for side in ("encoder", "decoder") if not self.tied_embeddings else ("encoder",):
            if self.value(f"model.{side}.embeddings.embedding_dim", int, 64) != width:
                raise self.refusal(f"model.{side}.embeddings.embedding_dim", f"hidden_size is {width}", unset=64)
        return width

    def _scale(self) -> bool:
        if self.tied_embeddings:
            return self.value("model.encoder.embeddings.scale", bool, False)
        return self._same("embeddings.scale", bool, False)

    def _same(self, name: str, kind: type[T], default: T | tuple[T, T]) -> T:
        """Return a setting of encoder and decoder, which have different ones in ours nowhere."""
        defaults = default if isinstance(default, tuple) else (default, default)
        one, other = (
            self.value(f"model.{side}.{name}", kind, each)
            for side, each in zip(("encoder", "decoder"), defaults, strict=True)
        )
        if one != other:
            raise ConversionError(
                f"{self.where}: model.encoder.{name} is {one!r} and model.decoder.{name} {other!r}; ours has one value "
                "for both"
            )
        return one


def _read_yaml(path: Path) -> dict[str, Any]:
    """Read keys and their values, by the rules of YAML 1.1, as Joey NMT does; nothing is made but plain data."""
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    try:
        value = yaml.load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConversionError(f"{path}: cannot read it: {error.strerror}") from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConversionError(f"{path}, line {line}: not YAML: {error.problem}") from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise ConversionError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        raise ConversionError(f"{path}: expected keys and their values, found a {type(value).__name__}")
    return value
