"""What the format has no place for: kept in ``config.json`` under ``ferryman``, so that the way back loses nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import ConfigDict, Field, ValidationError

from ferryman.config import Config, CorpusConfig, DataConfig, DecodingConfig, TokenizerConfig
from ferryman.config_base import Section
from ferryman.errors import ConversionError
from ferryman.text.directions import Direction, directions

KEY = "ferryman"
UNDETERMINED = "und"  # BCP 47 for a language that nobody told
NAMES = DataConfig().train  # every corpus must name files, though these are nowhere


class Extras(Section):
    """What only we read."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    directions: tuple[tuple[str, str], ...] = ()
    interleaved: bool = False
    """Whether the features were reordered for its sinusoids; see ``tables.to_halves``."""
    merged: int | None = Field(default=None, ge=1)
    """Rows of the target's vocabulary, if the source's stands behind it in the same table."""
    tokenizer: TokenizerConfig | None = None
    decoding: DecodingConfig | None = None

    @classmethod
    def of(cls, config: Config, *, interleaved: bool, merged: int | None) -> Self:
        """Note what is to be remembered of a model."""
        pairs = tuple((each.source, each.target) for each in directions(config.data))
        return cls(
            directions=pairs,
            interleaved=interleaved,
            merged=merged,
            tokenizer=config.tokenizer,
            decoding=config.decoding,
        )

    @classmethod
    def read(cls, config: Mapping[str, Any], where: object) -> Self:
        """Read it from ``config.json``; of another toolkit's model: nothing.

        Raises:
            ConversionError: it was changed to something that is not ours.

        """
        try:
            return cls.model_validate(config.get(KEY) or {})
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, (KEY, *first["loc"])))
            raise ConversionError(f"{where}: {key}: {first['msg']}, found {first['input']!r}") from error


def data_config(pairs: Sequence[tuple[str, str]]) -> DataConfig:
    """Describe the corpora of a model of which only the directions are known, one each; a source may be empty."""
    first, *others = [Direction(source, target or UNDETERMINED) for source, target in pairs]
    corpora = {
        direction.target if direction.source == first.source else direction.name: CorpusConfig(
            train=NAMES,
            source_language="" if direction.source == first.source else direction.source,
            target_language=direction.target,
        )
        for direction in others
    }
    return DataConfig(source_language=first.source, target_language=first.target, corpora=corpora)
