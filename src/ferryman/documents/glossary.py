"""A glossary: terms that are to be translated in a given way, wherever they occur."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ferryman.documents.pairs import read_pairs
from ferryman.text.languages import word_separator
from ferryman.translator.wishes import contains

_KEY = 2  # first characters of a term by which it is looked up


@dataclass(frozen=True)
class Term:
    """A term and its translations: each is right, the first is taken where none is there."""

    source: str
    targets: tuple[str, ...]


class Glossary:
    """Finds terms in texts."""

    def __init__(self, path: Path, languages: tuple[str, str]) -> None:
        """Read the terms.

        Raises:
            ConfigError, DataError: see ``read_pairs``.

        """
        targets: dict[str, dict[str, None]] = {}
        for source, target in read_pairs(path, languages, "documents.glossary"):
            targets.setdefault(source, {})[target] = None
        self._terms: dict[str, list[Term]] = defaultdict(list)
        for source in sorted(targets, key=len, reverse=True):
            self._terms[source.lower()[:_KEY]].append(Term(source, tuple(targets[source])))
        self._spaced = not languages[0] or word_separator(languages[0]) == " "

    def find(self, text: str) -> list[Term]:
        """Find the terms of a text, the longest where several begin at one place.

        A term in small letters is found in any, another as it is written; where words stand apart, only whole words.
        """
        found: dict[str, Term] = {}
        at = 0
        while at < len(text):
            start = text[at : at + _KEY].lower()
            candidates = [*self._terms.get(start, ()), *(self._terms.get(start[:1], ()) if len(start) > 1 else ())]
            term = next((term for term in candidates if self._stands(term.source, text, at)), None)
            if term is not None:
                found[term.source] = term
            at += len(term.source) if term else 1
        return list(found.values())

    def _stands(self, term: str, text: str, at: int) -> bool:
        end = at + len(term)
        said = text[at:end]
        if said != term and not (term == term.lower() and said.lower() == term):
            return False
        return not self._spaced or not (
            _joined(text[at - 1 : at] if at else "", said[:1]) or _joined(said[-1:], text[end : end + 1])
        )


def _joined(one: str, other: str) -> bool:
    return one.isalnum() and other.isalnum()


def missing(terms: Sequence[Term], translation: str, language: str) -> list[Term]:
    """Return the terms of its source that a translation does not say as the glossary does."""
    spaced = not language or word_separator(language) == " "
    return [term for term in terms if not any(contains(translation, each, spaced=spaced) for each in term.targets)]
