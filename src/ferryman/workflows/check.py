"""The data doctor on the files, or the configuration, that a command names."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ferryman.config import CorpusConfig, DataConfig
from ferryman.config_file import is_config, load_config
from ferryman.corpus import HeldOutTexts, Pair, ReadingReport, Report, examine, read_pairs, resolve
from ferryman.errors import ConfigError
from ferryman.workflows.plan import corpus_settings

HEEDED = (
    *("source_language", "target_language", "directory", "train", "valid", "test"),
    *("corpora", "columns", "fields", "cleaning"),
)


def check_corpora(words: Sequence[str], settings: Sequence[str]) -> dict[str, Report]:
    """Examine training corpora as training would meet them, against all validation and test sets; each by itself.

    Args:
        words: two aligned files or one file of pairs, whose names tell the languages; or a configuration.
        settings: ``data.key=value``; ``data.valid`` and ``data.test`` name what must not be trained on.

    Returns:
        A report for each corpus by name, ``main`` first.

    Raises:
        ConfigError: a setting is unknown or has no effect here, or there are too many files.
        DataError: a file is missing, or a validation or test set cannot be read.

    """
    data = _data(words, settings)
    texts = HeldOutTexts()
    for corpus in data.every_corpus.values():
        held_out = texts.between(*_languages(corpus))
        for names in (corpus.valid, corpus.test):
            for pair in _read(data, corpus, names):
                held_out.add(pair)
    return {
        name: examine(
            resolve(data.directory, corpus.train, _languages(corpus)),
            languages=_languages(corpus),
            columns=corpus.columns or data.columns,
            fields=corpus.fields or data.fields,
            rules=data.cleaning,
            held_out=texts.between(*_languages(corpus)),
        )
        for name, corpus in data.every_corpus.items()
    }


def _languages(corpus: CorpusConfig) -> tuple[str, str]:
    return corpus.source_language, corpus.target_language


def _read(data: DataConfig, corpus: CorpusConfig, names: Sequence[str]) -> Iterator[Pair]:
    if not names:
        return iter(())
    return read_pairs(
        resolve(data.directory, names, _languages(corpus)),
        languages=_languages(corpus),
        columns=corpus.columns or data.columns,
        fields=corpus.fields or data.fields,
        report=ReadingReport(),
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
