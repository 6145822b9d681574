"""Every error that Ferryman raises on purpose.

    FerrymanError
    ├── ConfigError        a setting is unknown, of the wrong type or impossible
    ├── DataError          a corpus file cannot be read as what it claims to be
    ├── TokenizerError     a tokenizer cannot be trained or does not fit the model
    ├── CheckpointError    a model folder or a training state is missing or damaged
    ├── ConversionError    another toolkit's model cannot be converted
    ├── TrainingError      a run cannot start or cannot go on
    ├── TranslationError   a text cannot be translated as asked
    └── ServiceError       the translation service cannot answer

A message says what was found, where, what the limit is and what to do about it.
"""


class FerrymanError(Exception):
    """Base of all errors meant for people."""


class ConfigError(FerrymanError):
    """A setting is unknown, of the wrong type or impossible."""


class DataError(FerrymanError):
    """A corpus file cannot be read as what it claims to be."""


class TokenizerError(FerrymanError):
    """A tokenizer cannot be trained or does not fit the model."""


class CheckpointError(FerrymanError):
    """A model folder or a training state is missing or damaged."""


class ConversionError(FerrymanError):
    """Another toolkit's model cannot be converted."""


class TrainingError(FerrymanError):
    """A run cannot start or cannot go on."""


class TranslationError(FerrymanError):
    """A text cannot be translated as asked."""


class ServiceError(FerrymanError):
    """The translation service cannot answer."""

    code = "request"
    """Of what kind it is, for programs."""
