"""The words of the phrasebook: tables to read, and the entries made of them.

The ``.txt`` files beside this module are the lexicon; each says in its head what its columns mean.
"""

from ferryman.corpus.phrasebook.lexicon.entries import Adjective, Name, Noun, Saying, Token, Verb
from ferryman.corpus.phrasebook.lexicon.tables import ADJECTIVES, FIXED_VERBS, NAMES, NOUNS, TIMES, VERBS, noun, nouns

__all__ = [
    "ADJECTIVES",
    "FIXED_VERBS",
    "NAMES",
    "NOUNS",
    "TIMES",
    "VERBS",
    "Adjective",
    "Name",
    "Noun",
    "Saying",
    "Token",
    "Verb",
    "noun",
    "nouns",
]
