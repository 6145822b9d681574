"""Minimum Bayes risk: of many candidates, the one that agrees best with the others.

Kumar and Byrne (2004), "Minimum Bayes-Risk Decoding for Statistical Machine Translation"; Eikema and Aziz (2020), "Is
MAP Decoding All You Need?".
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence

Utility = Callable[[str, str], float]  # of a candidate, if another were the right translation; higher is better
ORDERS = 6  # chrF's longest character n-grams


def expected_utilities(candidates: Sequence[str], utility: Utility) -> list[float]:
    """Return each candidate's mean utility over all the others, each as likely as the next; 0 if there is no other.

    A candidate does not vouch for itself: otherwise one that stands alone would be chosen where all differ much.
    """
    others = len(candidates) - 1
    return [
        math.fsum(utility(one, other) for place, other in enumerate(candidates) if place != here) / max(1, others)
        for here, one in enumerate(candidates)
    ]


def consensus(candidates: Sequence[str], utility: Utility) -> list[int]:
    """Order candidates by expected utility, best first; those of equal utility stay in the order they came in.

    Returns the places that they have in ``candidates``. Two candidates stay as they are, as there is no majority.
    """
    if len(candidates) < 3:
        return list(range(len(candidates)))
    gains = expected_utilities(candidates, utility)
    return sorted(range(len(candidates)), key=lambda place: -gains[place])


class CharacterOverlap:
    """Sentence chrF with beta 1 (Popović, 2015), which takes both sides alike: 0 to 1.

    Differs from the paper: beta is 1, not 2, as there is no reference of which to ask for more. Everything else is as
    sacreBLEU does it: n-grams of 1 to 6 characters, white space left out, orders without n-grams on a side not counted.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[Counter[str]]] = {}

    def __call__(self, candidate: str, other: str) -> float:
        """Return the F-score of one text's character n-grams against the other's; two equal texts have 1."""
        if candidate == other:
            return 1.0
        precision, recall, orders = 0.0, 0.0, 0
        for mine, others in zip(self._grams(candidate), self._grams(other), strict=True):
            if mine and others:
                shared = sum(min(count, others[gram]) for gram, count in mine.items() if gram in others)
                precision += shared / mine.total()
                recall += shared / others.total()
                orders += 1
        together = precision + recall
        return 2 * precision * recall / (together * orders) if together else 0.0

    def _grams(self, text: str) -> list[Counter[str]]:
        if text not in self._known:
            joined = "".join(text.split())
            self._known[text] = [
                Counter(joined[start : start + order] for start in range(len(joined) - order + 1))
                for order in range(1, ORDERS + 1)
            ]
        return self._known[text]
