"""Rules that take choices away from a search; see ``ferryman.decoding.rules.rule``."""

from ferryman.decoding.rules.automaton import Automaton, build_automaton
from ferryman.decoding.rules.characters import whole_characters
from ferryman.decoding.rules.masking import forbid, forbid_beginning, minimum_length
from ferryman.decoding.rules.phrases import forbid_phrases
from ferryman.decoding.rules.prefix import force_prefix
from ferryman.decoding.rules.repetition import no_repeat_ngram, repetition_penalty
from ferryman.decoding.rules.rule import Rows, Rule, apply

__all__ = [
    "Automaton",
    "Rows",
    "Rule",
    "apply",
    "build_automaton",
    "forbid",
    "forbid_beginning",
    "forbid_phrases",
    "force_prefix",
    "minimum_length",
    "no_repeat_ngram",
    "repetition_penalty",
    "whole_characters",
]
