"""Terms of the glossary that a translation lacks are asked for; where that goes wrong, they are put in.

The search can be made to say a phrase, but not where. So it is checked, by the decoder's attention, that the phrase
comes from the term. Otherwise the words that come from the term are replaced by what the glossary says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ferryman.documents.glossary import Glossary, Term, missing
from ferryman.documents.results import TERM_MISSING, Result
from ferryman.errors import ConfigError
from ferryman.text.languages import word_separator
from ferryman.text.protected import Guard, find_spans
from ferryman.text.sentences import space_between, split_sentences
from ferryman.text.slots import take_out
from ferryman.translator import Translation, Translator

_WHOLE = ("tag", "url", "email", "placeholder")  # no sentence ends inside one
_MARKS = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True)
class Enforcer:
    """Sees to it that terms are translated as the glossary says, where that costs no protected span."""

    translator: Translator
    glossary: Glossary
    languages: tuple[str, str]

    def __post_init__(self) -> None:
        """Refuse a way of searching that cannot be asked for phrases."""
        decoding = self.translator.config.decoding
        if decoding.sampling or decoding.beam_groups > 1:
            raise ConfigError("documents.glossary: needs an ordinary beam, without decoding.sampling or beam_groups")

    def enforce(self, sources: Sequence[str], results: Sequence[Result]) -> list[Result]:
        """Return the translations with their terms; those in which some are missing still are flagged."""
        found = list(results)
        for at, (source, result) in enumerate(zip(sources, results, strict=True)):
            if self._missing(source, result.text):
                found[at] = self._by_sentence(source, result)
                if self._missing(source, found[at].text):
                    found[at] = replace(found[at], flags=(*found[at].flags, TERM_MISSING))
        return found

    def _missing(self, source: str, translation: str) -> list[Term]:
        return missing(self.glossary.find(source), translation, self.languages[1])

    def _by_sentence(self, source: str, result: Result) -> Result:
        """Enforce the terms of each sentence, as sentences are what models translate."""
        sentences = split_sentences(
            source, self.languages[0], [(span.start, span.end) for span in find_spans(source, _WHOLE)]
        )
        if len(sentences) == 1:
            return self._enforced(source, result)
        plain = self.translator.translate([sentence for sentence, _ in sentences], to=self.languages[1])
        parts = [
            self._enforced(sentence, Result(one.text, one.flags))
            for (sentence, _), one in zip(sentences, plain, strict=True)
        ]
        spaces = [space_between(space, *map(_is_spaced, self.languages)) for _, space in sentences[:-1]]
        text = "".join(part.text + space for part, space in zip(parts, [*spaces, ""], strict=True))
        return Result(text.strip(), tuple(dict.fromkeys(flag for part in parts for flag in part.flags)))

    def _enforced(self, sentence: str, result: Result) -> Result:
        terms = self._missing(sentence, result.text)
        if not terms:
            return result
        guard = Guard(sentence, self.translator.config.decoding.protect)
        asked = self._aligned(sentence, [term.targets[0] for term in terms])
        if not guard.broken(asked.text) and all(self._comes_from(term, sentence, asked) for term in terms):
            return Result(asked.text, asked.flags)
        bare = take_out(sentence, guard.spans).text
        plain = self._aligned(bare, [])
        text = result.text
        for term in terms:
            said = self._said_for(term, bare, plain)
            changed = _replaced(text, said, term.targets[0], _is_spaced(self.languages[1])) if said else text
            text = text if guard.broken(changed) else changed
        return replace(result, text=text)

    def _aligned(self, text: str, phrases: list[str]) -> Translation:
        decoding = self.translator.config.decoding.model_copy(update={"alignment": "hard"})
        (found,) = self.translator.translate([text], decoding, to=self.languages[1], constraints=[phrases])
        return found

    def _comes_from(self, term: Term, source: str, translation: Translation) -> bool:
        """Tell whether the first translation of a term is said for it."""
        at = translation.text.find(term.targets[0])
        end = at + len(term.targets[0])
        return at >= 0 and any(start < end and at < stop for start, stop in self._words_for(term, source, translation))

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
