"""From corpus files to tokenizers and a token store; done once, and found again when nothing has changed."""

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ferryman.checkpoint import Tokenizers, load_tokenizers
from ferryman.config import Config, DataConfig
from ferryman.config_data import MAIN
from ferryman.corpus import CleaningReport, Pair
from ferryman.data.folders import finishing
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.errors import ConfigError, DataError
from ferryman.files import write_text
from ferryman.text import TokenizerRecipe, train_tokenizer
from ferryman.text.directions import Direction, directions
from ferryman.text.prefix import check_prefixes, control_symbols, prefix
from ferryman.text.tokenizer_training import Sample
from ferryman.wording import counted
from ferryman.workflows.corpora import Corpora
from ferryman.workflows.selection import SET_ASIDE, Selection
from ferryman.workflows.valid_pairs import read_valid, write_valid

CHUNK_PAIRS = 10_000
TRAINING_THREADS = 4  # whatever the machine has: what a tokenizer learns may depend on it
REPORT, VALID, STORE = "report.json", "valid.jsonl", "store"
TOO_MANY_TOKENS = "too many tokens"


@dataclass(frozen=True)
class Prepared:
    """A corpus ready to train on."""

    folder: Path  # named by the fingerprint of all it depends on
    store: TokenStore
    tokenizers: Tokenizers
    valid_by_direction: dict[Direction, list[Pair]]
    report: dict[str, Any]
    reused: bool

    @property
    def valid(self) -> list[Pair]:
        """All pairs to validate on."""
        return [pair for pairs in self.valid_by_direction.values() for pair in pairs]

    @property
    def summary(self) -> str:
        """Say in a line what became of the corpus."""
        return f"{_counts(self.report['cleaning'])}; {counted(len(self.valid), 'pair')} to validate on"

    def describe(self, data: DataConfig) -> Iterator[str]:
        """Say in a line each what became of several corpora; nothing of a single one."""
        for name, report in self.report.get("corpora", {}).items():
            about = data.every_corpus[name]
            how = f"{Direction.of(about)}, weight {about.weight:g}" + (f", tag {about.tag}" if about.tag else "")
            valid = counted(report["valid"], "pair")
            yield f"corpus {name} ({how}): {_counts(report['cleaning'])}; {valid} to validate on"

    def weights(self, data: DataConfig) -> list[tuple[int, float]] | None:
        """Tell for each corpus, in the order of the store, how many pairs it has and how often they come."""
        weights = {name: corpus.weight for name, corpus in data.every_corpus.items()}
        stretches = self.store.stretches or [(MAIN, len(self.store))]
        return [(pairs, weights[name]) for name, pairs in stretches]


def prepare(config: Config, folder: Path, *, check: Callable[[str], None] = lambda _: None) -> Prepared:
    """Read, clean and tokenise the corpus of a configuration, or find it prepared under ``folder``.

    Args:
        config: the resolved configuration.
        folder: holds one folder a fingerprint; processes may share it, also at the same time.
        check: is told the fingerprint before any work, and may refuse it.

    Raises:
        DataError: the corpus cannot be read or nothing of it is left.
        TokenizerError: no tokenizer can be trained on it.
        ConfigError: the tokenizer of ``training.start_from`` lacks a language or a tag; or none is there and the kind
            that is asked for cannot be trained.

    """
    corpora = Corpora(config)
    start, normal_form = config.training.start_from, config.tokenizer.normal_form
    given = load_tokenizers(start, normal_form) if start else None
    if start and given:
        _check_given(given, config.data, start)
    fingerprint = corpora.fingerprint(given)
    check(fingerprint)
    place = folder / fingerprint
    reused = _is_whole(place)
    if not reused:
        _prepare(corpora, given, place)
    return open_prepared(place, config, reused=reused)


def open_prepared(place: Path, config: Config, *, reused: bool = True, verify: bool = True) -> Prepared:
    """Open what ``prepare`` made of a configuration's corpus in the folder ``place``.

    Raises:
        DataError: it is not there, or damaged, which ``verify`` looks for.
    """
    if not _is_whole(place):
        raise DataError(
            f"{place}: there is no prepared corpus in it; processes on several machines need the run's folder, or "
            "data.prepared, on a file system that all of them see under this name"
        )
    report = _read_report(place / REPORT)
    return Prepared(
        folder=place,
        store=TokenStore(place / STORE, verify=verify),
        tokenizers=load_tokenizers(place, config.tokenizer.normal_form),
        valid_by_direction=read_valid(place / VALID, list(directions(config.data)), report.get("valid")),
        report=report,
        reused=reused,
    )


def _is_whole(place: Path) -> bool:
    return (place / REPORT).exists()


def _read_report(path: Path) -> dict[str, Any]:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path}: damaged ({error}); delete {path.parent} to prepare it again") from error
    if not isinstance(report, dict) or "cleaning" not in report:
        raise DataError(f"{path}: not a report on a corpus; delete {path.parent} to prepare it again")
    return report


def _prepare(corpora: Corpora, given: Tokenizers | None, place: Path) -> None:
    """Read the corpus twice: to select pairs and draw a sample for the tokenizer, and to write the tokens."""
    if given:
        selection, tokenizers = Selection(corpora, lambda _: None), given
    else:
        sample = _sample(corpora.config)
        selection = Selection(corpora, lambda pair: sample.add(pair.source, pair.target))
        tokenizers = _train_tokenizers(corpora, selection, sample)
    with finishing(place, keep=_is_whole) as unfinished:
        tokenizers.save(unfinished)
        _write_store(corpora.config, tokenizers, selection, unfinished / STORE)
        if not selection.cleaning.kept:
            raise _nothing_left(corpora, selection.cleaning)
        write_valid(unfinished / VALID, selection.valid)
        write_text(unfinished / REPORT, json.dumps(selection.to_json(), indent=1, ensure_ascii=False))


def _check_given(tokenizers: Tokenizers, data: DataConfig, start: Path) -> None:
    try:
        check_prefixes(tokenizers.source, data)
        for corpus in data.every_corpus.values():
            prefix(tokenizers.source, Direction.of(corpus).target, corpus.tag)
    except ConfigError as error:
        raise ConfigError(
            f"training.start_from: {start} cannot be trained further on these corpora: {error}"
        ) from error


def _sample(config: Config) -> Sample:
    if config.tokenizer.kind == "words":
        raise ConfigError(
            "tokenizer.kind: words comes with a model of another toolkit only; to train one, choose bpe or unigram"
        )
    sentences = config.tokenizer.sentences
    recipe = TokenizerRecipe(
        kind=config.tokenizer.kind,
        vocab_size=config.tokenizer.vocab_size,
        normal_form=config.tokenizer.normal_form,
        character_coverage=config.tokenizer.character_coverage,
        max_sentences=config.tokenizer.sentences,
        seed=config.training.seed,
        threads=TRAINING_THREADS,
        control_symbols=control_symbols(config.data),
    )
    return Sample(recipe, max(1, sentences // 2 if config.tokenizer.joint else sentences))


def _nothing_left(corpora: Corpora, cleaning: CleaningReport) -> DataError:
    files = ", ".join(str(path) for corpus in corpora.all for path in corpus.train)
    return DataError(f"{files}: no pair is left to train on: {_counts(cleaning.to_json())}; see ferryman check")


def _counts(cleaning: dict[str, Any]) -> str:
    aside = cleaning["dropped"].get(SET_ASIDE, 0)
    dropped = {reason: count for reason, count in cleaning["dropped"].items() if reason != SET_ASIDE}
    parts = [f"{counted(cleaning['read'], 'pair')} read", f"{cleaning['kept']:,} kept"]
    parts += [f"{aside:,} {SET_ASIDE}"] if aside else []
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    return ", ".join([*parts, f"{sum(dropped.values()):,} dropped"]) + (f" ({reasons})" if reasons else "")


def _train_tokenizers(corpora: Corpora, selection: Selection, sample: Sample) -> Tokenizers:
    texts = [pair for pair in sample.drain() if selection.admits(*pair)]
    if not texts:
        for part in selection.parts:
            deque(selection.pairs(part), maxlen=0)  # for the counts
        raise _nothing_left(corpora, selection.cleaning)
    recipe = sample.recipe
    if corpora.config.tokenizer.joint:
        both = train_tokenizer((text for pair in _drain(texts) for text in pair), recipe)
        return Tokenizers(both, both)
    source = train_tokenizer((source for source, _ in texts), recipe)
    recipe = replace(recipe, control_symbols=())  # which stand before sources only
    return Tokenizers(source, train_tokenizer((target for _, target in _drain(texts)), recipe))


def _drain(items: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Give away the items, each forgotten as soon as it is given."""
    while items:
        yield items.pop()


def _write_store(config: Config, tokenizers: Tokenizers, selection: Selection, place: Path) -> None:
    largest = max(tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    with TokenStoreWriter(place, vocab_size=largest) as writer:
        for part in selection.parts:
            if len(selection.parts) > 1:
                writer.begin(part.corpus.name)
            before = prefix(tokenizers.source, part.corpus.direction.target, part.corpus.about.tag)
            for source, target in _tokens(selection.pairs(part), tokenizers):
                if max(len(before) + len(source), len(target)) > config.data.max_tokens:
                    part.drop(TOO_MANY_TOKENS)
                else:
                    writer.add([*before, *source], target)


def _tokens(pairs: Iterator[Pair], tokenizers: Tokenizers) -> Iterator[tuple[list[int], list[int]]]:
    threads = _allowed_cores()
    for chunk in _chunks(pairs):
        sources = tokenizers.source.encode_batch([pair.source for pair in chunk], threads=threads)
        targets = tokenizers.target.encode_batch([pair.target for pair in chunk], threads=threads)
        yield from zip(sources, targets, strict=True)


def _allowed_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    chunk = []
    for pair in pairs:
        chunk.append(pair)
        if len(chunk) == CHUNK_PAIRS:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
