"""The data doctor on the files that a command names."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.config_file import load_config
from ferryman.corpus import Report, examine
from ferryman.workflows.plan import corpus_settings


def check_corpus(words: Sequence[str], settings: Sequence[str]) -> Report:
    """Examine two aligned files or one file of pairs; languages are told by file names or ``data.*`` settings.

    Raises:
        DataError: the files cannot be read at all, or their line counts differ.

    """
    data = load_config(None, [*corpus_settings(words), *settings]).data
    return examine(
        [Path(word) for word in words],
        languages=(data.source_language, data.target_language),
        columns=data.columns,
        fields=data.fields,
        rules=data.cleaning,
    )
