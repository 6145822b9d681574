"""From corpus files to tokenizers and a token store; done once, and found again when nothing has changed."""

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferryman.checkpoint import Tokenizers, load_tokenizers
from ferryman.config import Config
from ferryman.corpus import CleaningReport, Pair
from ferryman.data.folders import finishing
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.errors import DataError
from ferryman.files import write_text
from ferryman.text import TokenizerRecipe, train_tokenizer
from ferryman.text.tokenizer_training import Sample
from ferryman.wording import counted
from ferryman.workflows.corpora import Corpora
from ferryman.workflows.selection import SET_ASIDE, Selection

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
    valid: list[Pair]
    report: dict[str, Any]
    reused: bool

    @property
    def summary(self) -> str:
        """Say in a line what became of the corpus."""
        return f"{_counts(self.report['cleaning'])}; {counted(len(self.valid), 'pair')} to validate on"


def prepare(config: Config, folder: Path, *, check: Callable[[str], None] = lambda _: None) -> Prepared:
    """Read, clean and tokenise the corpus of a configuration, or find it prepared under ``folder``.

    Args:
        config: the resolved configuration.
        folder: holds one folder a fingerprint; processes may share it, also at the same time.
        check: is told the fingerprint before any work, and may refuse it.

    Raises:
        DataError: the corpus cannot be read or nothing of it is left.
        TokenizerError: no tokenizer can be trained on it.

    """
    corpora = Corpora(config)
    start, normal_form = config.training.start_from, config.tokenizer.normal_form
    given = load_tokenizers(start, normal_form) if start else None
    fingerprint = corpora.fingerprint(given)
    check(fingerprint)
    place = folder / fingerprint
    reused = _is_whole(place)
    if not reused:
        _prepare(corpora, given, place)
    return Prepared(
        folder=place,
        store=TokenStore(place / STORE),
        tokenizers=load_tokenizers(place, normal_form),
        valid=_read_valid(place / VALID),
        report=json.loads((place / REPORT).read_text(encoding="utf-8")),
        reused=reused,
    )


def _is_whole(place: Path) -> bool:
    return (place / REPORT).exists()


def _prepare(corpora: Corpora, given: Tokenizers | None, place: Path) -> None:
    """Read the corpus twice: to select pairs and draw a sample for the tokenizer, and to write the tokens."""
    recipe, sentences = _recipe(corpora.config), corpora.config.tokenizer.sentences
    sample = Sample(recipe, 0 if given else max(1, sentences // 2 if corpora.config.tokenizer.joint else sentences))
    selection = Selection(corpora, lambda pair: sample.add(pair.source, pair.target))
    tokenizers = given or _train_tokenizers(corpora, selection, sample)
    with finishing(place, keep=_is_whole) as unfinished:
        tokenizers.save(unfinished)
        _write_store(corpora.config, tokenizers, selection, unfinished / STORE)
        if not selection.cleaning.kept:
            raise _nothing_left(corpora, selection.cleaning)
        _write_valid(unfinished / VALID, selection.valid)
        report = {
            "reading": selection.reading.to_json(),
            "cleaning": selection.cleaning.to_json(),
            "valid": len(selection.valid),
        }
        write_text(unfinished / REPORT, json.dumps(report, indent=1, ensure_ascii=False))


def _recipe(config: Config) -> TokenizerRecipe:
    return TokenizerRecipe(
        kind=config.tokenizer.kind,
        vocab_size=config.tokenizer.vocab_size,
        normal_form=config.tokenizer.normal_form,
        character_coverage=config.tokenizer.character_coverage,
        max_sentences=config.tokenizer.sentences,
        seed=config.training.seed,
        threads=TRAINING_THREADS,
    )


def _nothing_left(corpora: Corpora, cleaning: CleaningReport) -> DataError:
    files = ", ".join(map(str, corpora.train))
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
        deque(selection.pairs(), maxlen=0)  # for the counts
        raise _nothing_left(corpora, selection.cleaning)
    recipe = sample.recipe
    if corpora.config.tokenizer.joint:
        both = train_tokenizer((text for pair in _drain(texts) for text in pair), recipe)
        return Tokenizers(both, both)
    source = train_tokenizer((source for source, _ in texts), recipe)
    return Tokenizers(source, train_tokenizer((target for _, target in _drain(texts)), recipe))


def _drain(items: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Give away the items, each forgotten as soon as it is given."""
    while items:
        yield items.pop()


def _write_store(config: Config, tokenizers: Tokenizers, selection: Selection, place: Path) -> None:
    largest = max(tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    threads = _allowed_cores()
    with TokenStoreWriter(place, vocab_size=largest) as writer:
        for chunk in _chunks(selection.pairs()):
            sources = tokenizers.source.encode_batch([pair.source for pair in chunk], threads=threads)
            targets = tokenizers.target.encode_batch([pair.target for pair in chunk], threads=threads)
            for source, target in zip(sources, targets, strict=True):
                if max(len(source), len(target)) > config.data.max_tokens:
                    selection.drop(TOO_MANY_TOKENS)
                else:
                    writer.add(source, target)


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


def _write_valid(path: Path, pairs: list[Pair]) -> None:
    rows = (json.dumps({"source": pair.source, "target": pair.target}, ensure_ascii=False) for pair in pairs)
    write_text(path, "".join(f"{row}\n" for row in rows))


def _read_valid(path: Path) -> list[Pair]:
    rows = path.read_text(encoding="utf-8").split("\n")[:-1]
    values = [json.loads(row) for row in rows]
    return [Pair(value["source"], value["target"], str(path), line) for line, value in enumerate(values, start=1)]
