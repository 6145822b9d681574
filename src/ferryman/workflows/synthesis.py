"""Pairs of which a model writes one side.

They go into a file of JSON lines: one file, so that an interruption cannot shift one side against the other, in
which tabs and every other character survive. Interrupted, the same call goes on where it stopped.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from ferryman.checkpoint import WEIGHTS
from ferryman.corpus.characters import is_blank, one_line
from ferryman.errors import DataError
from ferryman.evaluation.metrics import chrf
from ferryman.text.directions import Direction
from ferryman.translator import Translation, Translator
from ferryman.wording import counted
from ferryman.workflows.growing import growing

CHUNK = 1000  # texts sorted by length at a time; so many are translated anew after an interruption
BLANK, TOO_LONG, ENDLESS, EMPTY = "blank", "over decoding.max_source_tokens", "without an end", "empty translation"

Text = tuple[str, str | None]  # what is translated, and its reference if there is one


@dataclass(frozen=True)
class Counts:
    """What was done so far: always ``lines == pairs + sum(skipped.values())``."""

    lines: int = 0
    pairs: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """Lines of which no pair was made, by reason."""

    def plus(self, lines: int, pairs: int, skipped: Counter[str]) -> "Counts":
        """Count more."""
        together = dict(sorted((Counter(self.skipped) + skipped).items()))
        return Counts(self.lines + lines, self.pairs + pairs, together)


@dataclass(frozen=True)
class Task:
    """What is translated, and which side of a pair it is."""

    name: str
    texts: Callable[[], Iterator[Text]]
    given: str  # source or target
    written: str  # the other
    direction: Direction  # in which the model translates

    def survey(self) -> tuple[int, str]:
        """Read all texts once, so that what cannot be read is told before hours of work; count and hash them."""
        digest, count = hashlib.blake2b(digest_size=8), 0
        for text, reference in self.texts():
            digest.update(f"{text}\n{reference or ''}\n".encode())
            count += 1
        return count, digest.hexdigest()


class Synthesis:
    """One file of pairs in the making. Iterate over ``run()``, which tells the counts now and then."""

    def __init__(self, model: Path, translator: Translator, task: Task, output: Path) -> None:
        """Set up; reads all texts once.

        Args:
            model: the folder that the translator was loaded from.
            translator: writes the other side.
            task: what to translate.
            output: the file of pairs to make.

        Raises:
            DataError: there is no text, or one cannot be read.

        """
        self.translator = translator
        self.task = task
        self.output = output
        self.total, text = task.survey()
        if not self.total:
            raise DataError("there is no line to translate: the file is empty")
        decoding = translator.config.decoding.model_dump(mode="json", exclude={"device", "threads", "batch_tokens"})
        weights = hashlib.blake2b(translator.tokenizers.fingerprint.encode(), digest_size=8)
        with (model / WEIGHTS).open("rb") as file:
            weights.update(hashlib.file_digest(file, "blake2b").digest())
        self.job = {"task": task.name, "model": weights.hexdigest(), "decoding": decoding, "text": text}
        if translator.prefix():  # of several languages
            self.job["language"] = task.direction.target

    def run(self) -> Iterator[Counts]:
        """Translate, in bounded memory; tells the counts at the start, then after each thousand lines.

        Raises:
            ConfigError: the output is there already, or was begun with something else.
            DataError: another process is making the output, it cannot be written, or there is no pair in it.

        """
        with growing(self.output, self.job) as file:
            counts = Counts(**file.state)
            yield counts
            texts = islice(self.task.texts(), counts.lines, None)
            while chunk := list(islice(texts, CHUNK)):
                lines, skipped = self._pairs(chunk)
                counts = counts.plus(len(chunk), len(lines), skipped)
                file.add("".join(lines), asdict(counts))
                yield counts
        if not counts.pairs:
            self.output.unlink()
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts.skipped.items())
            raise DataError(
                f"no pair could be made of {counted(counts.lines, 'line')} ({reasons}), so {self.output} was not "
                "written; see whether the model translates this text at all: ferryman translate"
            )

    def _pairs(self, chunk: Sequence[Text]) -> tuple[list[str], Counter[str]]:
        skipped: Counter[str] = Counter()
        tokens = self.translator.tokenizers.source.encode_batch([text for text, _ in chunk])
        limit = self.translator.config.decoding.max_source_tokens
        chosen, lines = [], []
        for (text, reference), ids in zip(chunk, tokens, strict=True):
            if is_blank(text) or len(ids) > limit:
                skipped[BLANK if is_blank(text) else TOO_LONG] += 1
            else:
                chosen.append((text, reference))
        found = self.translator.translate([text for text, _ in chosen])
        for (text, reference), best in zip(chosen, found, strict=True):
            translation = best if reference is None else closest(best, reference)
            if reason := _flaw(translation):
                skipped[reason] += 1
            else:
                pair = {self.task.given: text, self.task.written: one_line(translation.text)}
                lines.append(json.dumps(pair, ensure_ascii=False, sort_keys=True) + "\n")
        return lines, skipped


def _flaw(translation: Translation) -> str | None:
    """Say why a translation is nothing to learn from."""
    if {"split", "cut"} & set(translation.flags):
        return TOO_LONG
    if "truncated" in translation.flags:
        return ENDLESS
    return EMPTY if is_blank(translation.text) else None


def closest(best: Translation, reference: str) -> Translation:
    """Choose, of all hypotheses that were found, the one most like the reference (Kim and Rush, 2016, section 3.3).

    Differs from the paper: likeness is chrF, which knows words of no language, not smoothed BLEU. Of equals the
    likeliest is taken.
    """
    likeness = chrf("")
    return max((best, *best.alternatives), key=lambda one: likeness.sentence_score(one.text, [reference]).score)
