"""Terms of the glossary that a translation lacks are asked for; where that goes wrong, they are put in.

The search can be made to say a phrase, but not where. So it is checked, by the decoder's attention, that the phrase
comes from the term. Otherwise the words that come from the term are replaced by what the glossary says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ferryman.config import DecodingConfig
from ferryman.documents.glossary import Glossary, Term, missing
from ferryman.documents.results import TERM_MISSING
from ferryman.errors import ConfigError
from ferryman.text.languages import word_separator
from ferryman.text.protected import Guard
from ferryman.text.slots import take_out
from ferryman.translator import Translation, Translator
from ferryman.translator.running import join

_ENDED = re.compile(r"[.!?。！？]\s*$")
_MARKS = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True)
class Enforcer:
    """Sees to it that terms are translated as the glossary says, where that costs no protected span."""

    translator: Translator
    glossary: Glossary
    languages: tuple[str, str]
    decoding: DecodingConfig
    """How the translations were searched for."""

    def __post_init__(self) -> None:
        """Refuse a way of searching that cannot be asked for phrases."""
        if self.decoding.sampling or self.decoding.beam_groups > 1:
            raise ConfigError("documents.glossary: needs an ordinary beam, without decoding.sampling or beam_groups")

    def enforce(self, sources: Sequence[str], translations: Sequence[Translation]) -> list[Translation]:
        """Return the translations with their terms; those in which some are missing still are flagged."""
        return [self._of(source, one) for source, one in zip(sources, translations, strict=True)]

    def _of(self, source: str, translation: Translation) -> Translation:
        best = self._by_sentence(source, translation) if self._missing(source, translation.text) else translation
        others = tuple(self._flagged(source, other) for other in best.alternatives)
        return self._flagged(source, replace(best, alternatives=others) if others else best)

    def _flagged(self, source: str, translation: Translation) -> Translation:
        lacking = self._missing(source, translation.text)
        return replace(translation, flags=(*translation.flags, TERM_MISSING)) if lacking else translation

    def _missing(self, source: str, translation: str) -> list[Term]:
        return missing(self.glossary.find(source), translation, self.languages[1])

    def _by_sentence(self, source: str, translation: Translation) -> Translation:
        """Enforce the terms of each sentence, as sentences are what models translate."""
        target = self.languages[1]
        parts = self.translator.split(source, self.decoding, to=target)
        if len(parts.texts) == 1:
            return self._enforced(source, translation)
        simple = self.decoding.model_copy(update={"split_sentences": False})
        plain = self.translator.translate(parts.texts, simple, to=target)
        return join([self._enforced(*each) for each in zip(parts.texts, plain, strict=True)], parts, target, simple)

    def _enforced(self, sentence: str, translation: Translation) -> Translation:
        terms = self._missing(sentence, translation.text)
        if not terms:
            return translation
        guard = Guard(sentence, self.decoding.protect)
        asked = self._aligned(sentence, [term.targets[0] for term in terms])
        if not guard.broken(asked.text) and all(self._comes_from(term, sentence, asked) for term in terms):
            return asked if self.decoding.alignment != "none" else replace(asked, alignment=None)
        bare = take_out(sentence, guard.spans).text
        plain = self._aligned(bare, [])
        text = translation.text
        for term in terms:
            said = self._said_for(term, bare, plain)
            changed = _replaced(text, said, term.targets[0], _is_spaced(self.languages[1])) if said else text
            text = text if guard.broken(changed) else changed
        return translation if text == translation.text else replace(translation, text=text, alignment=None)

    def _aligned(self, text: str, phrases: list[str]) -> Translation:
        decoding = self.decoding.model_copy(update={"alignment": "hard", "split_sentences": False})
        (found,) = self.translator.translate([text], decoding, to=self.languages[1], constraints=[phrases])
        return found

    def _comes_from(self, term: Term, source: str, translation: Translation) -> bool:
        """Tell whether the first translation of a term is said for it, and not added behind the sentence."""
        at, asked = translation.text.find(term.targets[0]), source.lower().find(term.source.lower())
        end = at + len(term.targets[0])
        if at < 0 or (_ENDED.search(translation.text[:at]) and not _ENDED.search(source[: max(asked, 0)])):
            return False
        return any(start < end and at < stop for start, stop in self._words_for(term, source, translation))

    def _said_for(self, term: Term, source: str, translation: Translation) -> str:
        """Return the words that are said for a term, if they stand together; without punctuation around them."""
        words = sorted(self._words_for(term, source, translation))
        text = translation.text[words[0][0] : words[-1][1]] if words else ""
        together = len(list(_words(text, _is_spaced(self.languages[1])))) == len(words)
        return _MARKS.sub("", text) if together else ""

    def _words_for(self, term: Term, source: str, translation: Translation) -> list[tuple[int, int]]:
        """Find the words of a translation that come from a term of its source."""
        here, there = (
            list(_words(text, _is_spaced(language)))
            for text, language in zip((source, translation.text), self.languages, strict=True)
        )
        alignment, at = translation.alignment, source.lower().find(term.source.lower())
        if alignment is None or alignment.words != (len(here), len(there)) or at < 0:
            return []
        end = at + len(term.source)
        wanted = {number for number, (start, stop) in enumerate(here) if start < end and at < stop}
        return [there[target] for word, target in alignment.links if word in wanted]


def _words(text: str, spaced: bool) -> Iterator[tuple[int, int]]:
    """Give the places of words, as alignments count them."""
    return (found.span() for found in re.finditer(r"\S+" if spaced else r"\S", text))


def _is_spaced(language: str) -> bool:
    return not language or word_separator(language) == " "


def _replaced(text: str, said: str, target: str, spaced: bool) -> str:
    """Write something else for words that occur once."""
    around = (r"(?<!\w)", r"(?!\w)") if spaced else ("", "")
    found = list(re.finditer(around[0] + re.escape(said) + around[1], text))
    return text[: found[0].start()] + target + text[found[0].end() :] if len(found) == 1 else text
