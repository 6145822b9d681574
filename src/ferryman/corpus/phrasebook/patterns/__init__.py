"""The sentence patterns of the phrasebook, grouped by what they are used for."""

from ferryman.corpus.phrasebook.patterns import (
    clauses,
    facts,
    future,
    past,
    places,
    present,
    qualities,
    questions,
    sayings,
)

PATTERNS = (
    *past.PATTERNS,
    *present.PATTERNS,
    *future.PATTERNS,
    *qualities.PATTERNS,
    *places.PATTERNS,
    *facts.PATTERNS,
    *questions.PATTERNS,
    *clauses.PATTERNS,
    *sayings.PATTERNS,
)
