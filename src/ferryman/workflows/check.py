"""The data doctor on the files, or the configuration, that a command names."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ferryman.config import DataConfig
from ferryman.config_file import is_config, load_config
from ferryman.corpus import HeldOut, Pair, ReadingReport, Report, examine, read_pairs, resolve
from ferryman.errors import ConfigError
from ferryman.workflows.plan import corpus_settings

HEEDED = ("source_language", "target_language", "directory", "train", "valid", "test", "columns", "fields", "cleaning")


def check_corpus(words: Sequence[str], settings: Sequence[str]) -> Report:
    """Examine a training corpus as training would meet it, against its validation and test sets.

    Args:
        words: two aligned files or one file of pairs, whose names tell the languages; or a configuration.
        settings: ``data.key=value``; ``data.valid`` and ``data.test`` name what must not be trained on.

    Raises:
        ConfigError: a setting is unknown or has no effect here, or there are too many files.
        DataError: a file is missing, or a validation or test set cannot be read.

    """
    data = _data(words, settings)
    languages = data.source_language, data.target_language

    def read(names: Sequence[str]) -> Iterator[Pair]:
        paths = resolve(data.directory, names, languages)
        report = ReadingReport()
        return read_pairs(paths, languages=languages, columns=data.columns, fields=data.fields, report=report)

    return examine(
        resolve(data.directory, data.train, languages),
        languages=languages,
        columns=data.columns,
        fields=data.fields,
        rules=data.cleaning,
        held_out=HeldOut.of(*(read(names) for names in (data.valid, data.test) if names)),
    )


def _data(words: Sequence[str], settings: Sequence[str]) -> DataConfig:
    by_config = _is_config(words)
    if by_config and len(words) > 1:
        raise ConfigError(f"{words[1]}: expected only settings (data.key=value) after the configuration {words[0]}")
    config = load_config(words[0], settings) if by_config else load_config(None, [*corpus_settings(words), *settings])
    for setting in settings:
        key = setting.partition("=")[0]
        section, name = key.split(".")[:2]
        if section != "data" or name not in HEEDED:
            raise ConfigError(f"{key} has no effect on a check; what has: {', '.join(f'data.{one}' for one in HEEDED)}")
        if name == "train" and not by_config:
            raise ConfigError(f"data.train: the files are named already: {' '.join(words)}; leave out one or the other")
    return config.data


def _is_config(words: Sequence[str]) -> bool:
    """Tell a configuration, or a word that can be nothing else, from corpus files."""
    first = words[0]
    return is_config(first) or (len(words) == 1 and bool(re.fullmatch(r"[\w-]+", first)) and not Path(first).exists())
