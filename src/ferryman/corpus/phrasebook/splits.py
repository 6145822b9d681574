"""Which sentences are for training, which for validation and which for testing.

The *combination* of a sentence is the set of its content words: the nouns, names, verbs and adjectives that its slots
were filled with, whatever the pattern, number, tense, determiner or time. A hash of the combination decides the split,
so a combination that is tested is never trained on, in no pattern at all. One combination in twenty is for testing and
one for validation. A sentence with fewer than two content words combines nothing, and is for training.
"""

from hashlib import blake2b

from ferryman.corpus.phrasebook.phrases import Scene

SPLITS = ("train", "valid", "test")
SHARES = 20  # one in so many for each of valid and test


def combination(scene: Scene) -> tuple[str, ...]:
    """Return the content words of a sentence, sorted."""
    return tuple(sorted({lexeme for phrase in scene.values() for lexeme in phrase.lexemes}))


def split_of(words: tuple[str, ...]) -> str:
    """Return the split that a combination belongs to."""
    if len(words) < 2:
        return "train"
    bucket = int.from_bytes(blake2b("+".join(words).encode(), digest_size=8).digest(), "big") % SHARES
    return {0: "test", 1: "valid"}.get(bucket, "train")
