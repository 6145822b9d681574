"""Protected spans come back byte for byte, as often as in the source, whatever the model makes of them.

Most often a model copies them well, and nothing is done. Otherwise, in this order:

1. numbers that it wrote in another form (``1.234,50``), or nearly right, are written as in the source;
2. the best of its other hypotheses that keeps every span is taken;
3. the source is translated again without the spans that were lost, or if need be without any, and these are put where
   the decoder's attention says: among the words that come from what stood around them.

A text with nothing but spans and punctuation is copied; of numbers alone, only if the model makes words of them or
loses one: their order may be what it has learned.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import partial

import numpy as np
from jaxtyping import Float

from ferryman.config import DecodingConfig
from ferryman.text.protected import Guard, find_spans
from ferryman.text.slots import Bare, has_words, take_out
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.assembling import assemble
from ferryman.translator.placing import Placer, units_of
from ferryman.translator.translation import Translation
from ferryman.translator.wishes import Wish

PROTECTED = "protected"
LIKENESS = 0.6  # how like another a number must be to be a wrong copy of it
_SYNTAX = re.compile(r"[\d<>{}%$@#&=\"]\S*")  # what can begin a span

Attention = Float[np.ndarray, "tgt src"]


@dataclass(frozen=True)
class Sentence:
    """A text to translate, the number that errors give it, and what is wanted of its translation."""

    text: str
    number: int
    wish: Wish = field(default_factory=Wish)


@dataclass(frozen=True)
class Tools:
    """What it takes to translate, and to see where words come from."""

    translate: Callable[[Sequence[Sentence], DecodingConfig], list[Translation]]
    attend: Callable[[Sequence[int], Sequence[int]], Attention]
    """How much each of some target ids looked at each of some source ids."""
    source: Tokenizer
    target: Tokenizer
    spaced: bool
    """Whether the target language writes spaces between words."""


@dataclass
class _Task:
    """A sentence, what must not be lost of it, and what was found for it, best first."""

    sentence: Sentence
    guard: Guard
    lost: set[str] = field(default_factory=set)
    found: list[Translation] = field(default_factory=list)


def translate_protected(sentences: Sequence[Sentence], decoding: DecodingConfig, tools: Tools) -> list[Translation]:
    """Translate sentences, each by itself, and keep their protected spans; ``protected`` flags what was changed.

    Tokens and scores are those of the translation that the model made.
    """
    if not decoding.protect:
        return tools.translate(sentences, decoding)
    tasks = [_Task(sentence, Guard(sentence.text, decoding.protect)) for sentence in sentences]
    for task in tasks:
        if _is_wordless(task.guard) and not task.guard.only_numbers:
            task.found = [_copy(task.guard)]
    todo = [task for task in tasks if not task.found and task.guard.text.strip()]
    whole = decoding.model_copy(update={"n_best": decoding.width})
    _translate_with(todo, decoding, tools)
    if decoding.n_best < whole.n_best:  # another of the beam may have kept what the first has lost
        _translate_with([task for task in todo if not task.found], whole, tools)
    for task in todo:
        if _is_wordless(task.guard):  # numbers alone
            sane = [one for one in task.found if _is_wordless(Guard(one.text, decoding.protect))]
            task.found = sane or [_copy(task.guard)]
    for everything in (False, True):
        _translate_without([task for task in todo if not task.found], whole, decoding.n_best, tools, everything)
    return [_first_of(task.found, decoding.n_best) for task in tasks]


def _translate_with(tasks: Sequence[_Task], decoding: DecodingConfig, tools: Tools) -> None:
    """Translate sentences as they are, and take those translations that keep every span."""
    for task, best in zip(tasks, tools.translate([task.sentence for task in tasks], decoding), strict=True):
        task.found = _kept(task.guard, best)
        task.lost = set() if task.found else task.guard.broken(best.text)


def _is_wordless(guard: Guard) -> bool:
    """Tell whether a text, which is not blank, has nothing to translate."""
    ends = [0, *(span.end for span in guard.spans)]
    starts = [*(span.start for span in guard.spans), len(guard.text)]
    between = (guard.text[end:start] for end, start in zip(ends, starts, strict=True))
    return bool(guard.text.strip()) and not any(map(has_words, between))


def _copy(guard: Guard) -> Translation:
    return Translation(guard.text.strip(), 0.0, 0.0, (), (PROTECTED,))


def _first_of(found: Sequence[Translation], n_best: int) -> Translation:
    """Put translations together as one with alternatives; of none, make the empty one."""
    if not found:
        return Translation("", 0.0, 0.0, ())
    return replace(found[0], alternatives=tuple(found[1:n_best]))


def _kept(guard: Guard, best: Translation) -> list[Translation]:
    """Return those translations of a beam that keep every span, after numbers were mended."""
    kept: list[Translation] = []
    for candidate in (replace(best, alternatives=()), *best.alternatives):
        text = _mended(guard, candidate.text)
        if "cut" in candidate.flags or not guard.broken(text):
            untouched = text == candidate.text and (kept or candidate.tokens == best.tokens)
            kept.append(candidate if untouched else _changed(candidate, text))
    return kept


def _changed(translation: Translation, text: str) -> Translation:
    return replace(translation, text=text, flags=(*translation.flags, PROTECTED), alignment=None)


def _mended(guard: Guard, translation: str) -> str:
    """Write numbers as the source does where they have the same digits, or nearly."""
    found = find_spans(translation, guard.kinds, in_words=True)
    missing = Counter(span.text for span in guard.spans if span.kind == "number")
    missing -= Counter(span.text for span in found)
    waiting = [span.text for span in guard.spans if span.text in missing]
    text, last = "", 0
    for span in found if waiting else []:
        if span.kind != "number" or span.text in guard.most or not waiting:
            continue
        nearest = max(waiting, key=partial(_likeness, span.text))
        if _likeness(nearest, span.text) > LIKENESS:
            waiting.remove(nearest)
            text += translation[last : span.start] + nearest
            last = span.end
    return text + translation[last:]


def _likeness(one: str, other: str) -> float:
    """Compare the digits of two numbers: 1 if they are the same, 0 if they have none in common."""
    return SequenceMatcher(None, _digits(one), _digits(other), autojunk=False).ratio()


def _digits(number: str) -> list[int]:
    return [unicodedata.decimal(character) for character in number if character.isdecimal()]


def _translate_without(
    tasks: Sequence[_Task], searching: DecodingConfig, n_best: int, tools: Tools, everything: bool
) -> None:
    """Translate sentences without the spans that were lost, or without any, and put these back."""
    work = []
    for task in tasks:
        task.lost = {span.text for span in task.guard.spans if everything or span.text in task.lost}
        bare = take_out(task.guard.text, [span for span in task.guard.spans if span.text in task.lost])
        if has_words(bare.text):
            work.append((task, bare))
    sentences = [Sentence(bare.text, task.sentence.number) for task, bare in work]
    for (task, bare), best in zip(work, tools.translate(sentences, searching), strict=True):
        for candidate in (replace(best, alternatives=()), *best.alternatives):
            text = _refilled(task, bare, candidate, tools, (False, True))
            if text is not None and len(task.found) < n_best:
                task.found.append(_changed(candidate, text))
        if everything and not task.found:
            task.found = [_changed(replace(best, alternatives=()), _refilled(task, bare, best, tools, ()) or "")]


def _refilled(task: _Task, bare: Bare, candidate: Translation, tools: Tools, ways: Iterable[bool]) -> str | None:
    """Put spans into a translation made without them: apart from its words or not, whichever first keeps all spans.

    Without ways to try: apart, after everything that could be mistaken for a span was deleted.
    """
    ends, attention = _look(bare, candidate, tools)
    deleted = _invented(task, candidate.text)
    if not ways:
        deleted = [found.span() for found in _SYNTAX.finditer(candidate.text)]
    units = units_of(candidate.text, ends, attention, deleted)
    count, most = tools.source.encode, attention.shape[1]
    placed = Placer(bare, units, lambda at: min(most, len(count(bare.text[:at].rstrip())))).place()
    for apart in ways:
        text = assemble(units, placed, spaced=tools.spaced, apart=apart)
        if not task.guard.broken(text):
            return text
    return None if ways else assemble(units, placed, spaced=tools.spaced, apart=True)


def _invented(task: _Task, translation: str) -> list[tuple[int, int]]:
    """Find the spans in a translation that are to be put there, but for numbers that words of the source hold."""
    allowed = task.guard.most - task.guard.fewest
    invented = []
    for span in find_spans(translation, task.guard.kinds, in_words=True):
        if span.text in task.lost and allowed[span.text] <= 0:
            invented.append((span.start, span.end))
        allowed[span.text] -= 1
    return invented


def _look(bare: Bare, candidate: Translation, tools: Tools) -> tuple[list[int], Attention]:
    """Tell where in the text each target token ends, and what it looked at.

    Of a text translated in pieces it is only supposed that words keep their order.
    """
    source, tokens, length = tools.source.encode(bare.text), candidate.tokens, len(candidate.text)
    if "split" in candidate.flags or not tokens:
        targets = np.arange(1, len(tokens) + 1)[:, None] / max(1, len(tokens))
        sources = np.arange(1, len(source) + 1)[None] / max(1, len(source))
        ends = [round(length * float(place)) for place in targets[:, 0]]
        return ends, np.exp(-np.abs(targets - sources) * len(source))
    decoded = [tools.target.decode(tokens[: place + 1]) for place in range(len(tokens))]
    lead = len(decoded[-1]) - len(decoded[-1].lstrip())
    lengths = np.clip([len(text) - lead for text in decoded], 0, length)
    return np.maximum.accumulate(lengths).tolist(), tools.attend(source, tokens)
