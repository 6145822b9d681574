"""What a checkpoint says of its model and its texts: ``args`` up to version 0.10, ``cfg`` after it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from ferryman.config import DecodingConfig, ModelConfig
from ferryman.errors import ConversionError
from ferryman.interop.fairseq.checkpoint import group

OFFSET = 2  # its positions are counted from the padding's id and one more
EPSILON = 1e-5  # of its layer norms; no setting
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "silu"}
ARCHITECTURES = (
    "transformer",
    "transformer_tiny",
    "transformer_iwslt_de_en",
    "transformer_wmt_en_de",
    "transformer_vaswani_wmt_en_de_big",
    "transformer_vaswani_wmt_en_fr_big",
    "transformer_wmt_en_de_big",
    "transformer_wmt_en_de_big_t2t",
    "transformer_align",
    "transformer_wmt_en_de_big_align",
)
_NESTED = ("encoder", "decoder", "quant_noise")
_NOT_OURS = (  # each changes what the network computes, and most add no weights by which it could be told
    "adaptive_input",
    "adaptive_softmax_cutoff",
    "base_layers",
    "char_inputs",
    "cross_self_attention",
    "decoder_layers_to_keep",
    "decoder_xformers_att_config",
    "encoder_layers_to_keep",
    "encoder_xformers_att_config",
    "layernorm_embedding",
    "merge_src_tgt_embed",
    "no_cross_attention",
    "no_decoder_final_norm",
    "no_token_positional_embeddings",
    "quant_noise_pq",
    "quant_noise_scalar",
    "tie_adaptive_weights",
)


@dataclass(frozen=True)
class Settings:
    """All settings by the names of the command line's options; ``arch``, ``task``, ``bpe`` and ``tokenizer`` too."""

    values: Mapping[str, Any]
    where: Path

    @classmethod
    def of(cls, state: Mapping[str, Any], where: Path) -> "Settings":
        """Take them out of what a checkpoint holds.

        Raises:
            ConversionError: there are none.

        """
        if args := group(state.get("args")):
            return cls(args, where)
        config = group(state.get("cfg"))
        if not group(config.get("model")):
            raise ConversionError(f"{where}: neither args nor cfg.model in it, which say what the model is")
        return cls(_flat(config), where)

    @property
    def pair(self) -> tuple[str, str]:
        """The languages by the names that the dictionaries have.

        Raises:
            ConversionError: they are not told.

        """
        source, target = self.text("source_lang"), self.text("target_lang")
        for name, language in (("source_lang", source), ("target_lang", target)):
            if not language or "/" in language or "\\" in language:
                raise self.refuse(name, "expected a language as it is named in dict.LANGUAGE.txt")
        return source, target

    def of_pair(self, pair: tuple[str, str]) -> "Settings":
        """Return the same settings with the languages told."""
        return replace(self, values={**self.values, "source_lang": pair[0], "target_lang": pair[1]})

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting; of one that is missing or none, the default."""
        value = self.values.get(name)
        return default if value is None else value

    def refuse(self, name: str, reason: str) -> ConversionError:
        """Make the error that a setting, by its name and value, is none of ours."""
        return ConversionError(f"{self.where}: {name} is {self.values.get(name)!r}; {reason}")

    def model_config(self, positions: int) -> ModelConfig:
        """Return our settings for the same network.

        Args:
            positions: rows of its tables of learned positions, if it has any.

        Raises:
            ConversionError: ours has no such network; the message names the setting and its value.

        """
        self._check_supported()
        width = self._both("encoder_embed_dim", "decoder_embed_dim", 512)
        for name in ("decoder_input_dim", "decoder_output_dim"):
            if self._number(name, width) != width:
                raise self.refuse(name, f"ours has one width, here {width}")
        learned = self._both_flags("learned_pos")
        try:
            return ModelConfig(
                d_model=width,
                d_ff=self._both("encoder_ffn_embed_dim", "decoder_ffn_embed_dim", 2048),
                heads=self._both("encoder_attention_heads", "decoder_attention_heads", 8),
                encoder_layers=self._number("encoder_layers", 6),
                decoder_layers=self._number("decoder_layers", 6),
                norm_order="pre" if self._both_flags("normalize_before") else "post",
                norm_epsilon=EPSILON,
                activation=ACTIVATIONS[self.choice("activation_fn", ACTIVATIONS, "relu")],  # type: ignore[arg-type]
                dropout=float(self.get("dropout", 0.1)),
                attention_dropout=float(self.get("attention_dropout", 0.0)),
                feed_forward_dropout=float(self.get("activation_dropout", 0.0) or self.get("relu_dropout", 0.0)),
                tie=self._tie(),
                positions="learned" if learned else "sinusoidal",
                sinusoid_layout="fairseq",
                position_offset=OFFSET,
                max_positions=max(1, positions - OFFSET) if learned else ModelConfig().max_positions,
                scale_embedding=not self.flag("no_scale_embedding"),
                start_symbol="eos",
            )
        except (ValidationError, TypeError, ValueError) as error:
            problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise ConversionError(f"{self.where}: no network of ours: {problem}") from error

    def decoding_config(self) -> DecodingConfig:
        """Return how to search: as its own search does where ours differs, sources as long as the model knows."""
        most = self._number("max_source_positions", DecodingConfig().max_source_tokens + 1) - 1  # one is the end's
        longest = max(1, min(most, DecodingConfig().max_source_tokens))
        return DecodingConfig(min_length=1, max_source_tokens=longest)

    def text(self, name: str, default: str = "") -> str:
        """Return a setting; raise ``ConversionError`` where it is no text."""
        value = self.get(name, default)
        if not isinstance(value, str):
            raise self.refuse(name, "expected a text")
        return value

    def choice(self, name: str, known: Collection[str], default: str = "") -> str:
        """Return a setting that is one of several texts, or missing; raise ``ConversionError`` where it is neither."""
        value = self.get(name, default)
        if value != default and (not isinstance(value, str) or value not in known):
            raise self.refuse(name, f"known are {', '.join(known)}")
        return str(value)

    def flag(self, name: str) -> bool:
        """Return whether a setting is on; raise ``ConversionError`` where it is something else than on or off."""
        value = self.get(name, False)
        if not isinstance(value, bool):
            raise self.refuse(name, "expected True or False")
        return value

    def _check_supported(self) -> None:
        if self.get("arch", "") not in ARCHITECTURES:
            raise self.refuse(
                "arch",
                f"those that can be read are {', '.join(ARCHITECTURES)}; if it is one of these in all but its sizes, "
                "store the checkpoint again with that name as arch",
            )
        if self.get("task", "translation") != "translation":
            raise self.refuse("task", "only models of the task translation, of one pair of languages, can be read")
        for name in _NOT_OURS:
            if self.get(name):
                raise self.refuse(name, "ours has no such part")

    def _tie(self) -> Literal["three-way", "two-way", "none"]:
        if self.flag("share_all_embeddings"):
            return "three-way"
        return "two-way" if self.flag("share_decoder_input_output_embed") else "none"

    def _number(self, name: str, default: int) -> int:
        value = self.get(name, default)
        if type(value) is not int or value < 1:
            raise self.refuse(name, "expected a whole number")
        return value

    def _both(self, encoder: str, decoder: str, default: int) -> int:
        first = self._number(encoder, default)
        if self._number(decoder, first if "_dim" in decoder else default) != first:
            raise self.refuse(decoder, f"{encoder} is {first}, and ours has one value for both")
        return first

    def _both_flags(self, name: str) -> bool:
        encoder, decoder = self.flag(f"encoder_{name}"), self.flag(f"decoder_{name}")
        if encoder != decoder:
            raise self.refuse(f"decoder_{name}", f"encoder_{name} is {encoder}, and ours has one value for both")
        return encoder


def _flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Name the settings of ``cfg`` as the older versions do, which know no groups."""
    parts = {name: group(config.get(name)) for name in ("tokenizer", "bpe", "task", "model")}
    found = {key: value for part in parts.values() for key, value in part.items()}
    for name in _NESTED:
        found |= {f"{name}_{key}": value for key, value in group(parts["model"].get(name)).items()}
    found |= {name: part.get("_name", part.get(name)) for name, part in parts.items()}
    return found | {"arch": parts["model"].get("arch", found["model"])}
