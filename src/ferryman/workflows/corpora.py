"""The corpora that a configuration names: where their files are, how they are read, and what they hold as a hash."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config
from ferryman.corpus import Pair, ReadingReport, expand, read_pairs, resolve
from ferryman.data.store import VERSION
from ferryman.errors import DataError
from ferryman.text import check_language

PREPARATION = 2
"""Counts up when the same files are prepared in another way."""


@dataclass
class Corpora:
    """The training, validation and test corpus of a configuration."""

    config: Config
    train: list[Path] = field(init=False)
    valid: list[Path] = field(init=False)
    test: list[Path] = field(init=False)

    def __post_init__(self) -> None:
        data = self.config.data
        for key, language in (("source_language", data.source_language), ("target_language", data.target_language)):
            if not language:
                raise DataError(f"data.{key} is not set; give a language code such as en: data.{key}=en")
            check_language(language)
        self.train, self.valid, self.test = (
            resolve(data.directory, names, (data.source_language, data.target_language)) if names else []
            for names in (data.train, data.valid, data.test)
        )

    def read(self, paths: list[Path], report: ReadingReport | None = None) -> Iterator[Pair]:
        """Read one of the corpora; nothing if there are no files of it."""
        data = self.config.data
        if not paths:
            return iter(())
        return read_pairs(
            paths,
            languages=(data.source_language, data.target_language),
            columns=data.columns,
            fields=data.fields,
            report=ReadingReport() if report is None else report,
        )

    def fingerprint(self, tokenizers: Tokenizers | None) -> str:
        """Hash everything that the prepared corpus depends on: what the files hold, settings, formats.

        Args:
            tokenizers: those to be used, wherever they lie; None if they are to be trained on the corpus.
        """
        digest = hashlib.blake2b(digest_size=8)
        data = self.config.data.model_dump(mode="json", exclude={"directory", "prepared"})
        tokenizer = self.config.tokenizer.model_dump(mode="json")
        about = [VERSION, PREPARATION, data, tokenizer, self.config.training.seed]
        digest.update(json.dumps(about, sort_keys=True).encode())
        for given in () if tokenizers is None else (tokenizers.source, tokenizers.target):
            digest.update(given.model_bytes)
            digest.update(json.dumps(given.id_map and dict(given.id_map), sort_keys=True).encode())
        for path in (*self.train, *self.valid, *self.test):
            for file in expand(path):
                with file.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "blake2b").digest())
        return digest.hexdigest()
