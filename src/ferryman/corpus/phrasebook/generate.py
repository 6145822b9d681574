"""Generate sentence pairs from the patterns."""

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate

from ferryman.corpus.phrasebook.dice import Dice
from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from ferryman.corpus.phrasebook.pair import AlignedPair, join, links
from ferryman.corpus.phrasebook.patterns import PATTERNS
from ferryman.corpus.phrasebook.phrases import Scene
from ferryman.corpus.phrasebook.splits import SPLITS, combination, split_of
from ferryman.corpus.phrasebook.template import LANGUAGES, Pattern, realise
from ferryman.errors import ConfigError

TARGET_LANGUAGES = ("de", "zh")
LIMITS = {"train": 2_000_000, "valid": 100_000, "test": 100_000}
_STEPS = tuple(accumulate(pattern.weight for pattern in PATTERNS))


def generate(target_language: str, split: str, count: int, *, seed: int = 0) -> Iterator[AlignedPair]:
    """Yield distinct sentence pairs, the same ones for the same arguments.

    The English sides do not depend on the target language. Raise ConfigError for an unknown language or split, and for
    a count beyond ``LIMITS`` (the grammar has more, but they come ever more slowly).
    """
    check(target_language, split, count)
    return _generate(target_language, split, count, seed)


def check(target_language: str, split: str, count: int) -> None:
    """Raise ConfigError for what the phrasebook does not have."""
    if target_language not in TARGET_LANGUAGES:
        known = ", ".join(TARGET_LANGUAGES)
        raise ConfigError(f"the phrasebook has no target language {target_language!r}; choose one of {known}")
    if split not in SPLITS:
        raise ConfigError(f"the phrasebook has no split {split!r}; choose one of {', '.join(SPLITS)}")
    if not 0 <= count <= LIMITS[split]:
        limit = LIMITS[split]
        raise ConfigError(f"{count} phrasebook pairs asked for, but {split} has between 0 and {limit}; ask for fewer")


def _generate(target_language: str, split: str, count: int, seed: int) -> Iterator[AlignedPair]:
    dice, seen = Dice(f"{split} {seed}"), set[str]()
    while len(seen) < count:
        pattern, scene = draw(dice)
        if scene is None or split_of(combination(scene)) != split:
            continue
        made = translate(pattern, scene, target_language)
        if made.source not in seen:
            seen.add(made.source)
            yield made


def describe() -> dict[str, int]:
    """Count the sentence patterns and, by language, the content words (nouns, verbs, adjectives, names)."""
    nouns = [(noun.english, noun.german, noun.chinese) for noun in NOUNS.values()]
    adjectives = [(entry.english[0], entry.german[0], entry.chinese) for entry in ADJECTIVES]
    verbs = [(verb.lexemes[0], verb.german_particle + verb.german[0], verb.chinese) for verb in VERBS]
    names = [(name.english, name.german, name.chinese) for name in NAMES]
    sides = zip(*nouns, *adjectives, *verbs, *names, strict=True)
    words = {language: len(set(side)) for language, side in zip(LANGUAGES, sides, strict=True)}
    return {"patterns": len(PATTERNS), **words}


def draw(dice: Dice) -> tuple[Pattern, Scene | None]:
    """Draw a pattern and fill it; None where the phrases drawn do not go together."""
    pattern = PATTERNS[bisect(_STEPS, dice.fraction() * _STEPS[-1])]
    return pattern, pattern.fill(dice)


def translate(pattern: Pattern, scene: Scene, target_language: str) -> AlignedPair:
    """Put a filled pattern into English and a target language, and align the two."""
    english, other = LANGUAGES["en"], LANGUAGES[target_language]
    source = realise(pattern.sides["en"], scene, english)
    target = realise(pattern.sides[target_language], scene, other)
    return AlignedPair(
        source=join(source, english.separator),
        target=join(target, other.separator),
        source_words=tuple(word.text for word in source),
        target_words=tuple(word.text for word in target),
        alignment=links(source, target),
    )
