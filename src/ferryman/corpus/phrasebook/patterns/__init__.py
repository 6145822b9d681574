"""The sentence patterns of the phrasebook, grouped by what they are used for."""

from ferryman.corpus.phrasebook.patterns import clauses, descriptions, questions, sayings, statements

PATTERNS = (
    *statements.PATTERNS,
    *descriptions.PATTERNS,
    *questions.PATTERNS,
    *clauses.PATTERNS,
    *sayings.PATTERNS,
)
