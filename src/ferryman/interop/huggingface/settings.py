"""``config.json`` and ``generation_config.json``, and our settings for the same."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from ferryman.config import DecodingConfig, ModelConfig
from ferryman.errors import ConversionError
from ferryman.interop.stored import read_json, read_json_if_there

CONFIG, GENERATION = "config.json", "generation_config.json"
EPSILON = 1e-5  # of their layer norms; no setting
POSITIONS = 1024
MAX_LENGTH = 512
BLOCKED = -1e9
MOST = 1000  # hypotheses of a beam that is meant
ACTIVATIONS = {"relu": "relu", "silu": "silu", "swish": "silu", "gelu": "gelu"}
OURS = "ferryman"  # what only we read of the file


class Family(NamedTuple):
    """What the classes of a ``model_type`` are."""

    architecture: str
    norm_order: Literal["post", "pre"]
    layout: Literal["halves", "fairseq"]


FAMILIES = {
    "marian": Family("MarianMTModel", "post", "halves"),
    "pegasus": Family("PegasusForConditionalGeneration", "pre", "halves"),
    "m2m_100": Family("M2M100ForConditionalGeneration", "pre", "fairseq"),
}


@dataclass(frozen=True)
class Settings:
    """What the JSON files of a folder say."""

    model_type: str
    config: dict[str, Any]
    generation: dict[str, Any]
    where: Path

    @classmethod
    def read(cls, folder: Path) -> "Settings":
        """Read them.

        Raises:
            ConversionError: a file is damaged, or the model is of another kind than those known.

        """
        path = folder / CONFIG
        config = read_json(path)
        kind = config.get("model_type")
        if kind not in FAMILIES:
            raise ConversionError(
                f"{path}: a model of the type {kind!r}; those that can be read are {', '.join(FAMILIES)} (NLLB's)"
            )
        return cls(kind, config, read_json_if_there(folder / GENERATION), path)

    @property
    def family(self) -> Family:
        """What the classes of its ``model_type`` are."""
        return FAMILIES[self.model_type]

    def generation_value(self, name: str) -> Any:
        """Return how to search: of the newer file, else of the older place."""
        return self.generation.get(name, self.config.get(name))

    def number(self, name: str) -> int:
        """Return a setting that must be a whole number.

        Raises:
            ConversionError: it is none, or missing.

        """
        value = self.config.get(name)
        if type(value) is not int or value < 0:
            raise ConversionError(f"{self.where}: {name} is {value!r}, expected a whole number")
        return value

    def model_config(self) -> ModelConfig:
        """Return our settings for the same network.

        Raises:
            ConversionError: ours has no such network.

        """
        self._check_supported()
        shared, tied = self._flag("share_encoder_decoder_embeddings"), self._flag("tie_word_embeddings")
        m2m = self.model_type == "m2m_100"
        try:
            return ModelConfig(
                d_model=self.number("d_model"),
                d_ff=self._equal("encoder_ffn_dim", "decoder_ffn_dim"),
                heads=self._equal("encoder_attention_heads", "decoder_attention_heads"),
                encoder_layers=self.number("encoder_layers"),
                decoder_layers=self.number("decoder_layers"),
                norm_order=self.family.norm_order,
                norm_epsilon=EPSILON,
                activation=ACTIVATIONS[self.config["activation_function"]],  # type: ignore[arg-type]
                dropout=float(self.config.get("dropout", 0.0)),
                attention_dropout=float(self.config.get("attention_dropout", 0.0)),
                feed_forward_dropout=float(self.config.get("activation_dropout", 0.0)),
                tie="none" if not tied else "three-way" if shared else "two-way",
                sinusoid_layout=self.family.layout,
                position_offset=self.number("pad_token_id") + 1 if m2m else 0,
                scale_embedding=self._flag("scale_embedding", default=False),
                language_tokens="both" if m2m else "target",
            )
        except (ValidationError, TypeError, ValueError) as error:
            problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise ConversionError(f"{self.where}: no network of ours: {problem}") from error

    def decoding_config(self) -> DecodingConfig:
        """Return how to search, as far as it is said and ours can: the beam, and lengths."""
        beam = self.generation_value("num_beams")
        return DecodingConfig(beam=beam if type(beam) is int and 0 < beam <= MOST else DecodingConfig().beam)

    def forbidden(self) -> list[int]:
        """Return the tokens that are never to be said.

        Raises:
            ConversionError: these are sequences of several, which ours has no such rule for.

        """
        words = self.generation_value("bad_words_ids") or []
        if not isinstance(words, list) or not all(isinstance(each, list) and len(each) == 1 for each in words):
            raise ConversionError(f"{self.where}: bad_words_ids: expected lists of one token each, found {words!r}")
        return [each[0] for each in words]

    def _check_supported(self) -> None:
        activation = self.config.get("activation_function")
        if activation not in ACTIVATIONS:
            raise ConversionError(
                f"{self.where}: activation_function is {activation!r}; known are {', '.join(ACTIVATIONS)}"
            )

    def _equal(self, encoder: str, decoder: str) -> int:
        if self.number(encoder) != self.number(decoder):
            raise ConversionError(
                f"{self.where}: {encoder} is {self.number(encoder)} and {decoder} {self.number(decoder)}; ours has one "
                "value for both"
            )
        return self.number(encoder)

    def _flag(self, name: str, *, default: bool = True) -> bool:
        value = self.config.get(name, default)
        if not isinstance(value, bool):
            raise ConversionError(f"{self.where}: {name} is {value!r}, expected true or false")
        return value
