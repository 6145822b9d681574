"""Where what was taken out of a source belongs in its translation, told by the decoder's attention."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from ferryman.text.languages import is_unspaced
from ferryman.text.slots import Bare, Slot, has_words

_JOINERS = "'’-_\u200c\u200d"
NEAR_TOKENS = 4.0  # how fast a source token's say in where a slot belongs fades with its distance
# Of what precedes and what follows, rather after the former; numbers rather before what they count.
_LEAN = {"number": 1.5}
_USUAL_LEAN = 0.9
_DIAGONAL = 0.5  # cost of a place at the other end of the sentence; decides where attention tells little


@dataclass(frozen=True)
class Units:
    """A translation as words, punctuation marks and the white space before each (and at the end)."""

    words: list[str]
    gaps: list[str]  # one more than words
    mass: Float[np.ndarray, "words src"]  # how much each word looked at each source token


@dataclass
class Placed:
    """A slot that stands before word ``first``; a pair of tags ends before word ``last``."""

    slot: Slot
    first: int
    last: int
    inside: list["Placed"] = field(default_factory=list)


def units_of(
    text: str, ends: Sequence[int], attention: Float[np.ndarray, "tgt src"], deleted: Sequence[tuple[int, int]]
) -> Units:
    """Cut a translation into units, without the parts of it that are deleted.

    Args:
        text: the translation.
        ends: for each target token, how many characters there are up to its end.
        attention: what each target token looked at.
        deleted: parts of the text, in order.

    """
    words: list[str] = []
    gaps, rows, last = [""], [], 0
    starts = [0, *ends[:-1]]
    for start, end in _unit_places(text, ends):
        between = text[last:start]
        gaps[-1] = gaps[-1] or ("" if not words else between)
        last = end
        if any(start < right and end > left for left, right in deleted):
            continue
        tokens = [i for i, (left, right) in enumerate(zip(starts, ends, strict=True)) if left < end and right > start]
        words.append(text[start:end])
        rows.append(attention[tokens or [0]].mean(axis=0))
        gaps.append("")
    gaps[-1] = ""
    return Units(words, gaps, np.array(rows).reshape(len(words), attention.shape[1]))


def _unit_places(text: str, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Find words and marks; a script without spaces is cut where the tokens are."""
    places: list[tuple[int, int]] = []
    token_ends, last = set(ends), "space"
    for at in range(len(text)):
        kind = _kind(text, at)
        if kind in ("word", "unspaced") and kind == last and not (kind == "unspaced" and at in token_ends):
            places[-1] = (places[-1][0], at + 1)
        elif kind != "space":
            places.append((at, at + 1))
        last = kind
    return places


def _kind(text: str, at: int) -> str:
    character = text[at]
    if character.isspace():
        return "space"
    if is_unspaced(character):
        return "unspaced"
    inside = 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
    if unicodedata.category(character)[0] in "LMN" or (character in _JOINERS and inside):
        return "word"
    return "mark"


class Placer:
    """Finds the places of all slots of one bare source in one translation."""

    def __init__(self, bare: Bare, units: Units, tokens_before: Callable[[int], int]) -> None:
        """Set up; ``tokens_before`` counts the source tokens of the beginning of ``bare.text``."""
        self.bare = bare
        self.units = units
        self.tokens_before = tokens_before

    def place(self) -> list[Placed]:
        """Place every slot; pairs of tags stay well nested and nothing leaves or enters one."""
        return self._place(self.bare.slots, (0, len(self.bare.text)), (0, len(self.units.words)))

    def _place(self, slots: Sequence[Slot], source: tuple[int, int], target: tuple[int, int]) -> list[Placed]:
        """Place slots of ``source`` (characters of the bare text) within ``target`` (words)."""
        placed, free = [], [target]
        for slot in slots:
            if slot.end is None:
                continue
            first, last, home = self._range(slot, source, target, free)
            inside = self._place(slot.inside, (slot.start, slot.end), (first, last))
            placed.append(Placed(slot, first, last, inside))
            free.remove(home)
            free += [(home[0], first), (last, home[1])]
        taken = [(one.first, one.last) for one in placed]
        for slot in slots:
            if slot.end is None:
                gap = self._gap(slot, source, target, taken)
                placed.append(Placed(slot, gap, gap))
        order = {id(slot): place for place, slot in enumerate(slots)}
        return sorted(placed, key=lambda one: (one.first, one.last, order[id(one.slot)]))

    def _range(
        self, slot: Slot, source: tuple[int, int], target: tuple[int, int], free: Sequence[tuple[int, int]]
    ) -> tuple[int, int, tuple[int, int]]:
        """Choose the words that look most at what stands between two tags, and the free part they are in."""
        end = slot.start if slot.end is None else slot.end
        least, most = self._edges(source, target, slot.start, end)
        inner = slice(self.tokens_before(slot.start), self.tokens_before(end))
        mass = self.units.mass
        share = mass[:, inner].sum(axis=1) / (mass.sum(axis=1) + 1e-9)
        candidates = [part for part in free if part[0] < part[1]]
        if not candidates:
            part = min(free, key=lambda one: abs(one[0] - target[0]))
            return part[0], part[0], part
        threshold = min(0.5, max(share[left:right].max() for left, right in candidates) / 2)
        best = max(((*_heaviest(share - threshold, part), part) for part in candidates), key=lambda one: one[2])
        first, last, part = best[0], best[1], best[3]
        if least is not None and part[0] <= least < part[1]:
            first, last = least, max(last, least + 1)
        if most is not None and part[0] < most <= part[1]:
            first, last = min(first, most - 1), most
        return first, last, part

    def _gap(
        self, slot: Slot, source: tuple[int, int], target: tuple[int, int], taken: Sequence[tuple[int, int]]
    ) -> int:
        """Choose the gap that fewest words would have to cross: those that look left of the slot belong before it."""
        least, most = self._edges(source, target, slot.start, slot.start)
        gaps = [gap for gap in range(target[0], target[1] + 1) if not any(a < gap < b for a, b in taken)]
        wanted = least if least is not None else most
        if wanted is not None:
            return min(gaps, key=lambda gap: abs(gap - wanted))
        at, mass = self.tokens_before(slot.start), self.units.mass
        votes = mass / np.maximum(mass.sum(axis=0), 1.0)  # at most one vote for each source token
        places = np.arange(mass.shape[1])
        near = np.exp(-np.where(places < at, at - 1 - places, places - at) / NEAR_TOKENS)
        left = votes[:, :at] @ near[:at]
        right = votes[:, at:] @ near[at:] * _LEAN.get(slot.kind, _USUAL_LEAN)
        costs = np.concatenate([[0.0], np.cumsum(right - left)])  # of each gap, but for a constant
        usual = at / max(1, len(places))
        costs += _DIAGONAL * np.abs(np.arange(len(costs)) / max(1, len(costs) - 1) - usual)
        return min(gaps, key=lambda gap: float(costs[gap]))

    def _edges(
        self, source: tuple[int, int], target: tuple[int, int], start: int, end: int
    ) -> tuple[int | None, int | None]:
        """Tell the first and last gap that a slot must have as nothing but punctuation is before or after it."""
        before, after = self.bare.text[source[0] : start].strip(), self.bare.text[end : source[1]].strip()
        words = self.units.words[target[0] : target[1]]
        least = most = None
        if not has_words(before):
            marks = next((place for place, word in enumerate(words) if has_words(word)), 0)
            least = target[0] + (marks if before else 0)
        if not has_words(after):
            marks = next((place for place, word in enumerate(reversed(words)) if has_words(word)), 0)
            most = target[1] - (marks if after else 0)
        return least, most


def _heaviest(weights: Float[np.ndarray, "words"], part: tuple[int, int]) -> tuple[int, int, float]:
    """Return the contiguous, non-empty part of a range whose weights have the greatest sum, and that sum."""
    best, start, total = (part[0], part[0] + 1, -np.inf), part[0], 0.0
    for place in range(*part):
        if total <= 0:
            start, total = place, 0.0
        total += float(weights[place])
        if total > best[2]:
            best = (start, place + 1, total)
    return best
