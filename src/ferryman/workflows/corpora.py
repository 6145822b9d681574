"""The corpora that a configuration names: where their files are, how they are read, and what they hold as a hash."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, CorpusConfig, DataConfig
from ferryman.corpus import Pair, ReadingReport, expand, read_pairs, resolve
from ferryman.data.store import VERSION
from ferryman.errors import DataError
from ferryman.text import check_language
from ferryman.text.directions import Direction, directions

PREPARATION = 2
"""Counts up when the same files are prepared in another way."""


@dataclass
class Corpus:
    """One training corpus, with the validation and test corpus that belong to it."""

    name: str
    about: CorpusConfig  # with nothing unset
    directory: Path
    direction: Direction = field(init=False)
    train: list[Path] = field(init=False)
    valid: list[Path] = field(init=False)
    test: list[Path] = field(init=False)

    def __post_init__(self) -> None:
        for key in ("source_language", "target_language"):
            language = getattr(self.about, key)
            if not language:
                raise DataError(f"data.{key} is not set; give a language code such as en: data.{key}=en")
            check_language(language)
        self.direction = Direction.of(self.about)
        self.train, self.valid, self.test = (
            resolve(self.directory, names, self._languages) if names else []
            for names in (self.about.train, self.about.valid, self.about.test)
        )

    @property
    def _languages(self) -> tuple[str, str]:
        return self.about.source_language, self.about.target_language

    def read(self, paths: list[Path], report: ReadingReport | None = None) -> Iterator[Pair]:
        """Read its training, validation or test corpus; nothing if there are no files of it."""
        if not paths:
            return iter(())
        columns, fields = self.about.columns, self.about.fields
        assert columns and fields  # nothing is unset
        return read_pairs(
            paths,
            languages=self._languages,
            columns=columns,
            fields=fields,
            report=ReadingReport() if report is None else report,
        )


@dataclass
class Corpora:
    """All training corpora of a configuration, the main one first."""

    config: Config
    all: list[Corpus] = field(init=False)

    def __post_init__(self) -> None:
        data = self.config.data
        self.all = [Corpus(name, about, data.directory) for name, about in data.every_corpus.items()]

    @property
    def directions(self) -> list[Direction]:
        """From which language into which there are pairs."""
        return list(directions(self.config.data))

    def fingerprint(self, tokenizers: Tokenizers | None) -> str:
        """Hash everything that the prepared corpus depends on: what the files hold, settings, formats.

        Args:
            tokenizers: those to be used, wherever they lie; None if they are to be trained on the corpus.
        """
        digest = hashlib.blake2b(digest_size=8)
        tokenizer = self.config.tokenizer.model_dump(mode="json")
        about = [VERSION, PREPARATION, _settings(self.config.data), tokenizer, self.config.training.seed]
        digest.update(json.dumps(about, sort_keys=True).encode())
        for given in () if tokenizers is None else (tokenizers.source, tokenizers.target):
            digest.update(given.content)
        for corpus in self.all:
            for path in (*corpus.train, *corpus.valid, *corpus.test):
                for file in expand(path):
                    with file.open("rb") as stream:
                        digest.update(hashlib.file_digest(stream, "blake2b").digest())
        return digest.hexdigest()


def _settings(data: DataConfig) -> dict[str, object]:
    """Give the settings that preparation depends on: not the weights; and of a single corpus, as ever."""
    settings = data.model_dump(mode="json", exclude={"directory": True, "prepared": True, "weight": True})
    corpora = settings.pop("corpora")
    for corpus in corpora.values():
        del corpus["weight"]
    return {**settings, "corpora": list(corpora.items())} if corpora else settings
