"""In which of a few languages a text is written.

By py3langid: pure Python and NumPy, five megabytes, no network; of the sentences of the built-in phrasebook it takes
all for what they are, among five languages.
"""

import copy
from collections.abc import Sequence
from functools import cache

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from ferryman.text.languages import base_language

ENOUGH = 2000  # characters that tell the language


@cache
def _load() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


class Detector:
    """Tells languages apart; the first one loads the model, which takes a second."""

    def __init__(self, languages: Sequence[str]) -> None:
        """Set up for the languages there can be, as BCP-47 codes; of a language in several forms, the first."""
        self.languages = list(languages)
        model = copy.copy(_load())  # of which others may want other languages
        by_base: dict[str, str] = {}
        for code in languages:
            by_base.setdefault(base_language(code), code)
        self._known = {base: code for base, code in by_base.items() if base in model.labels}
        if self._known:
            model.set_languages(list(self._known))
        self._model = model

    def rank(self, text: str, among: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return languages and their probabilities, likeliest first.

        What has no letters, and languages that the detector does not know, have the probability 0.

        Args:
            text: in one language.
            among: which of the languages to choose from; unset: all.

        """
        chosen = self.languages if among is None else list(among)
        found = self._probabilities(text)
        total = float(np.sum([found.get(code, 0.0) for code in chosen]))
        ranked = [(code, found.get(code, 0.0) / total if total else 0.0) for code in chosen]
        return sorted(ranked, key=lambda one: -one[1])

    def _probabilities(self, text: str) -> dict[str, float]:
        beginning = text[:ENOUGH]
        if not self._known or not any(character.isalpha() for character in beginning):
            return {}
        return {self._known[base]: probability for base, probability in self._model.rank(beginning)}
