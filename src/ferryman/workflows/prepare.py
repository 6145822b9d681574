"""From corpus files to tokenizers and a token store; done once, and found again when nothing has changed."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferryman.checkpoint import Tokenizers, load_tokenizers
from ferryman.config import Config
from ferryman.corpus import (
    CleaningReport,
    HeldOut,
    Pair,
    ReadingReport,
    Split,
    clean,
    expand,
    read_pairs,
    resolve,
    split_off,
)
from ferryman.data.store import VERSION, TokenStore, TokenStoreWriter
from ferryman.errors import DataError
from ferryman.files import write_text
from ferryman.text import TokenizerRecipe, check_language, train_tokenizer

CHUNK_PAIRS = 10_000
REPORT, VALID = "report.json", "valid.jsonl"
TOO_MANY_TOKENS = "too many tokens"


@dataclass(frozen=True)
class Prepared:
    """A corpus ready to train on."""

    folder: Path  # named by the fingerprint of all it depends on
    store: TokenStore
    tokenizers: Tokenizers
    valid: list[Pair]
    report: dict[str, Any]
    reused: bool

    @property
    def summary(self) -> str:
        """Say in a line what became of the corpus."""
        return f"{_counts(self.report['cleaning'])}; {len(self.valid):,} pairs to validate on"


@dataclass
class _Corpora:
    """The files of a configuration, and one way to read each of them."""

    config: Config
    languages: tuple[str, str] = field(init=False)
    train: list[Path] = field(init=False)
    valid: list[Path] = field(init=False)
    test: list[Path] = field(init=False)

    def __post_init__(self) -> None:
        data = self.config.data
        for key, language in (("source_language", data.source_language), ("target_language", data.target_language)):
            if not language:
                raise DataError(f"data.{key} is not set; give a language code such as en: data.{key}=en")
            check_language(language)
        self.languages = (data.source_language, data.target_language)
        self.train, self.valid, self.test = (
            resolve(data.directory, names, self.languages) if names else []
            for names in (data.train, data.valid, data.test)
        )

    def read(self, paths: list[Path], report: ReadingReport | None = None) -> Iterator[Pair]:
        data = self.config.data
        report = ReadingReport() if report is None else report
        return read_pairs(paths, languages=self.languages, columns=data.columns, fields=data.fields, report=report)

    def fingerprint(self) -> str:
        """Hash everything that the prepared corpus depends on: file contents, settings, the store's format."""
        digest = hashlib.blake2b(digest_size=8)
        training = self.config.training
        data = self.config.data.model_dump(mode="json", exclude={"directory", "prepared"})
        about = [VERSION, data, self.config.tokenizer.model_dump(mode="json"), training.seed]
        digest.update(json.dumps(about, sort_keys=True).encode())
        given = sorted(training.start_from.glob("*.model")) if training.start_from else []
        for path in (*given, *self.train, *self.valid, *self.test):
            for file in expand(path):
                with file.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "blake2b").digest())
        return digest.hexdigest()


def prepare(config: Config, folder: Path) -> Prepared:
    """Read, clean and tokenise the corpus of a configuration, or find it prepared under ``folder``.

    Raises:
        DataError: the corpus cannot be read or nothing of it is left.
        TokenizerError: no tokenizer can be trained on it.

    """
    corpora = _Corpora(config)
    place = folder / corpora.fingerprint()
    reused = (place / REPORT).exists()
    if not reused:
        _prepare(config, corpora, place)
    return Prepared(
        folder=place,
        store=TokenStore(place / "store"),
        tokenizers=load_tokenizers(place, config.tokenizer.normal_form),
        valid=_read_valid(place / VALID),
        report=json.loads((place / REPORT).read_text(encoding="utf-8")),
        reused=reused,
    )


def _prepare(config: Config, corpora: _Corpora, place: Path) -> None:
    valid = list(corpora.read(corpora.valid)) if corpora.valid else []
    held_out = HeldOut.of(valid, corpora.read(corpora.test) if corpora.test else [])
    split = None
    if not corpora.valid and config.data.valid_pairs:
        split = split_off(_cleaned(config, corpora, held_out), config.data.valid_pairs)
        valid = list(split.pairs)
    _check_not_empty(corpora, _cleaned(config, corpora, held_out, split, cleaning=(found := CleaningReport())), found)
    tokenizers = _tokenizers(config, corpora, held_out, split)
    tokenizers.save(place)
    reading, cleaning = ReadingReport(), CleaningReport()
    pairs = _cleaned(config, corpora, held_out, split, reading, cleaning)
    _write_store(config, tokenizers, pairs, place, cleaning)
    if not cleaning.kept:
        raise _nothing_left(corpora, cleaning)
    _write_valid(place / VALID, valid)
    report = {"reading": reading.to_json(), "cleaning": cleaning.to_json(), "valid": len(valid)}
    write_text(place / REPORT, json.dumps(report, indent=1, ensure_ascii=False))


def _check_not_empty(corpora: _Corpora, pairs: Iterator[Pair], cleaning: CleaningReport) -> None:
    """Read up to the first pair; without one, say why instead of leaving it to the tokenizer's training."""
    if next(pairs, None) is None:
        raise _nothing_left(corpora, cleaning)


def _nothing_left(corpora: _Corpora, cleaning: CleaningReport) -> DataError:
    files = ", ".join(map(str, corpora.train))
    return DataError(f"{files}: no pair is left to train on: {_counts(cleaning.to_json())}; see ferryman check")


def _counts(cleaning: dict[str, Any]) -> str:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in cleaning["dropped"].items())
    dropped = sum(cleaning["dropped"].values())
    return f"{cleaning['read']:,} pairs read, {cleaning['kept']:,} kept, {dropped:,} dropped" + (
        f" ({reasons})" if reasons else ""
    )


def _cleaned(
    config: Config,
    corpora: _Corpora,
    held_out: HeldOut,
    split: Split | None = None,
    reading: ReadingReport | None = None,
    cleaning: CleaningReport | None = None,
) -> Iterator[Pair]:
    cleaning = CleaningReport() if cleaning is None else cleaning
    pairs = corpora.read(corpora.train, reading)
    for pair in clean(pairs, config.data.cleaning, held_out=held_out, report=cleaning):
        if split is not None and split.holds(pair.source):
            cleaning.kept -= 1
            cleaning.dropped["set aside for validation"] += 1
        else:
            yield pair


def _tokenizers(config: Config, corpora: _Corpora, held_out: HeldOut, split: Split | None) -> Tokenizers:
    if config.training.start_from:
        return load_tokenizers(config.training.start_from, config.tokenizer.normal_form)
    settings = config.tokenizer
    recipe = TokenizerRecipe(
        kind=settings.kind,
        vocab_size=settings.vocab_size,
        normal_form=settings.normal_form,
        character_coverage=settings.character_coverage,
        max_sentences=settings.sentences,
        seed=config.training.seed,
        threads=os.cpu_count() or 1,
    )
    if settings.joint:
        pairs = _cleaned(config, corpora, held_out, split)
        both = train_tokenizer((text for pair in pairs for text in (pair.source, pair.target)), recipe)
        return Tokenizers(both, both)
    source = train_tokenizer((pair.source for pair in _cleaned(config, corpora, held_out, split)), recipe)
    target = train_tokenizer((pair.target for pair in _cleaned(config, corpora, held_out, split)), recipe)
    return Tokenizers(source, target)


def _write_store(
    config: Config, tokenizers: Tokenizers, pairs: Iterator[Pair], place: Path, cleaning: CleaningReport
) -> None:
    largest = max(tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    with TokenStoreWriter(place / "store", vocab_size=largest) as writer:
        for chunk in _chunks(pairs):
            sources = tokenizers.source.encode_batch([pair.source for pair in chunk], threads=os.cpu_count() or 1)
            targets = tokenizers.target.encode_batch([pair.target for pair in chunk], threads=os.cpu_count() or 1)
            for source, target in zip(sources, targets, strict=True):
                if max(len(source), len(target)) > config.data.max_tokens:
                    cleaning.kept -= 1
                    cleaning.dropped[TOO_MANY_TOKENS] += 1
                else:
                    writer.add(source, target)


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    chunk = []
    for pair in pairs:
        chunk.append(pair)
        if len(chunk) == CHUNK_PAIRS:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _write_valid(path: Path, pairs: list[Pair]) -> None:
    rows = (json.dumps({"source": pair.source, "target": pair.target}, ensure_ascii=False) for pair in pairs)
    write_text(path, "".join(f"{row}\n" for row in rows))


def _read_valid(path: Path) -> list[Pair]:
    rows = path.read_text(encoding="utf-8").split("\n")[:-1]
    values = [json.loads(row) for row in rows]
    return [Pair(value["source"], value["target"], str(path), line) for line, value in enumerate(values, start=1)]
