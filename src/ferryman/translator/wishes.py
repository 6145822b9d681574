"""What a caller wants of single translations: how they begin, and what they contain."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ferryman.config import DecodingConfig
from ferryman.errors import TokenizerError, TranslationError
from ferryman.text.encoding import encode_texts
from ferryman.text.languages import word_separator
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.translation import Translation

_MARKS = "。，.,a1"  # one of them is a token of its own before a phrase


@dataclass(frozen=True)
class Wish:
    """What is wanted of one translation, in target tokens."""

    prefix: tuple[int, ...] = ()
    phrases: tuple[tuple[int, ...], ...] = ()
    texts: tuple[str, ...] = ()
    """The same phrases, in the tokenizer's normal form."""
    spaced: bool = True
    """Whether words stand apart in the target language."""

    @property
    def anything(self) -> bool:
        """Whether there is a wish."""
        return bool(self.prefix or self.phrases)

    def met_by(self, text: str) -> bool:
        """Tell whether a text contains the phrases."""
        return all(contains(text, phrase, spaced=self.spaced) for phrase in self.texts)

    def with_phrase(self, number: int, of: "Wish") -> "Wish":
        """Wish for one more phrase, that of this number of another wish."""
        return replace(self, phrases=(*self.phrases, of.phrases[number]), texts=(*self.texts, of.texts[number]))

    def shared(self, pieces: int) -> list["Wish"]:
        """Share it out to the pieces of a source: the first begins the translation.

        In which of several pieces a phrase belongs cannot be told yet.
        """
        if pieces == 1:
            return [self]
        return [replace(self, prefix=() if place else self.prefix, phrases=(), texts=()) for place in range(pieces)]


class Source(list[int]):
    """Token ids of a source, with what is wanted of its translation."""

    def __init__(self, ids: Iterable[int], wish: Wish) -> None:
        super().__init__(ids)
        self.wish = wish


def wish_of(row: Sequence[int]) -> Wish:
    """Return what is wanted of a source's translation; of plain ids: nothing."""
    return row.wish if isinstance(row, Source) else Wish()


@dataclass(frozen=True)
class Asked:
    """What a caller, or the configuration, asks for of each text."""

    wishes: list[Wish]
    forbidden: list[str]  # of all texts, in the tokenizer's normal form

    def checked(self, translations: Sequence[Translation]) -> list[Translation]:
        """Flag the translations, and their alternatives, that are not as they should be."""
        if not self.forbidden and not any(wish.phrases for wish in self.wishes):
            return list(translations)

        def flagged(one: Translation, wish: Wish) -> Translation:
            unmet = [] if wish.met_by(one.text) else ["unmet"]
            unclear = ["forbidden"] if any(phrase in f" {one.text} " for phrase in self.forbidden) else []
            others = tuple(flagged(other, wish) for other in one.alternatives)
            return replace(one, flags=(*one.flags, *unmet, *unclear), alternatives=others)

        return [flagged(one, wish) for one, wish in zip(translations, self.wishes, strict=True)]


@dataclass(frozen=True)
class Wanted:
    """What a call asks for besides the configuration, one of each for every text; None: nothing."""

    prefixes: Sequence[str] | None
    constraints: Sequence[Sequence[str]] | None

    def check(self, texts: Sequence[str], decoding: DecodingConfig) -> None:
        """Refuse what does not fit.

        Raises:
            TranslationError: there are not as many as texts, a phrase is blank, or phrases are asked for while sampling
                or with ``beam_groups``.

        """
        for name, given in (("prefixes", self.prefixes), ("constraints", self.constraints)):
            if given is not None and (isinstance(given, str) or len(given) != len(texts)):
                found = "one text" if isinstance(given, str) else str(len(given))
                raise TranslationError(f"{name}: expected {len(texts)}, one a text, found {found}")
        for number, each in enumerate(self.constraints or [], start=1):
            if (
                isinstance(each, str)
                or not isinstance(each, Iterable)
                or not all(isinstance(phrase, str) and phrase.strip() for phrase in each)
            ):
                raise TranslationError(f"constraints of text {number}: expected a list of texts, none of them blank")
        if any(self.constraints or []) and (decoding.sampling or decoding.beam_groups > 1):
            raise TranslationError("constraints: these need an ordinary beam, without sampling or beam_groups")

    def asked(self, count: int, decoding: DecodingConfig, tokenizer: Tokenizer, language: str) -> Asked:
        """Put together what the call and the configuration ask for, for so many texts.

        Raises:
            TranslationError: a prefix or phrase is no text, or not valid Unicode; or there is nothing in a phrase.

        """
        prefixes = [decoding.target_prefix] * count if self.prefixes is None else list(self.prefixes)
        phrases = [
            list(dict.fromkeys((*decoding.required_phrases, *each))) for each in self.constraints or [()] * count
        ]
        spaced = word_separator(language) == " "
        check_phrases("decoding.forbidden_phrases", decoding.forbidden_phrases, tokenizer)
        for number, each in enumerate(phrases, start=1):
            check_phrases(f"required phrases of text {number}", each, tokenizer)
        forbidden = [_normal(phrase, tokenizer) for phrase in decoding.forbidden_phrases]
        if not any(prefixes) and not any(phrases):
            return Asked([Wish(spaced=spaced)] * count, forbidden)
        wishes = [
            Wish(
                prefix=tuple(prefix),
                phrases=tuple(_tokens(phrase, tokenizer, spaced) for phrase in each),
                texts=tuple(_normal(phrase, tokenizer).strip() for phrase in each),
                spaced=spaced,
            )
            for prefix, each in zip(_prefixes(prefixes, tokenizer), phrases, strict=True)
        ]
        return Asked(wishes, forbidden)


def check_phrases(where: str, phrases: Iterable[str], tokenizer: Tokenizer) -> None:
    """Refuse phrases of which nothing is left in the tokenizer's normal form: they would be in every text.

    Raises:
        TranslationError: one is of that kind, or not valid Unicode.

    """
    for phrase in phrases:
        try:
            blank = not _normal(phrase, tokenizer).strip()
        except TokenizerError as error:
            raise TranslationError(f"{where}: {error}") from error
        if blank:
            raise TranslationError(
                f"{where}: of {phrase!r} nothing is left in the tokenizer's normal form, {tokenizer.normal_form}; "
                "leave it out"
            )


def _prefixes(prefixes: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    try:
        rows = encode_texts(tokenizer, prefixes, 1)
    except TranslationError as error:
        raise TranslationError(f"prefixes: {error}") from error
    unknown = tokenizer.never_text
    for number, row in enumerate(rows, start=1):
        if unknown.intersection(row):
            raise TranslationError(
                f"prefixes: text {number}: the model has no tokens for all of {prefixes[number - 1]!r}, so no "
                "translation can begin with it"
            )
    return rows


def contains(text: str, phrase: str, *, spaced: bool) -> bool:
    """Tell whether a phrase occurs in a text; where words stand apart, as whole words."""
    if not spaced:
        return phrase in text
    before, after = (r"(?<!\w)" if phrase[0].isalnum() else ""), (r"(?!\w)" if phrase[-1].isalnum() else "")
    return re.search(before + re.escape(phrase) + after, text) is not None


def _normal(phrase: str, tokenizer: Tokenizer) -> str:
    """Bring a phrase into the tokenizer's normal form, but keep a space at either end."""
    before, after = (" " if end.isspace() else "" for end in (phrase[0], phrase[-1]))
    return before + tokenizer.decode(tokenizer.encode(phrase)).strip() + after


def _tokens(phrase: str, tokenizer: Tokenizer, spaced: bool) -> tuple[int, ...]:
    """Cut a phrase into tokens as it stands inside a sentence: after a space, or where there are none, after a sign."""
    (alone,) = encode_texts(tokenizer, [phrase], 1)
    if spaced:
        return tuple(alone)
    wanted, spellings = tokenizer.spell(phrase), tokenizer.spellings
    for mark in _MARKS:
        ids = tokenizer.encode(mark + phrase)
        for first in range(1, len(ids)):
            if b"".join(spellings[token] for token in ids[first:]) == wanted:
                return tuple(ids[first:])
    return tuple(alone)
