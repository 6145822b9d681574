"""Terms of the glossary that a translation lacks are asked for, a sentence at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ferryman.documents.glossary import Glossary, missing
from ferryman.documents.results import TERM_MISSING, Result
from ferryman.errors import ConfigError
from ferryman.text.languages import word_separator
from ferryman.text.protected import Guard, find_spans
from ferryman.text.sentences import space_between, split_sentences
from ferryman.translator import Translator


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
            terms = self.glossary.find(source)
            if missing(terms, result.text, self.languages[1]):
                found[at] = self._asked(source, result)
                if missing(terms, found[at].text, self.languages[1]):
                    found[at] = replace(found[at], flags=(*found[at].flags, TERM_MISSING))
        return found

    def _asked(self, source: str, result: Result) -> Result:
        """Ask for the terms of each sentence; of two ways, take the one that keeps what must be kept."""
        spans = [(span.start, span.end) for span in find_spans(source, ("tag", "url", "email", "placeholder"))]
        sentences = split_sentences(source, self.languages[0], spans)
        if len(sentences) == 1:
            return self._with_terms(source, result)
        plain = self.translator.translate([sentence for sentence, _ in sentences], to=self.languages[1])
        parts = [
            self._with_terms(sentence, Result(one.text, one.flags))
            for (sentence, _), one in zip(sentences, plain, strict=True)
        ]
        spaced = [not language or word_separator(language) == " " for language in self.languages]
        spaces = [space_between(space, *spaced) for _, space in sentences[:-1]]
        text = "".join(part.text + space for part, space in zip(parts, [*spaces, ""], strict=True))
        flags = dict.fromkeys(flag for part in parts for flag in part.flags)
        return Result(text.strip(), tuple(flags))

    def _with_terms(self, sentence: str, result: Result) -> Result:
        wanted = missing(self.glossary.find(sentence), result.text, self.languages[1])
        if not wanted:
            return result
        (asked,) = self.translator.translate([sentence], to=self.languages[1], constraints=[wanted])
        guard = Guard(sentence, self.translator.config.decoding.protect)
        kept = not guard.broken(asked.text) and "unmet" not in asked.flags
        return Result(asked.text, asked.flags) if kept else result
