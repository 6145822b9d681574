"""From decoder steps to tokens: searches that know no model, only the stepper protocol."""

from ferryman.decoding.beam import beam_search
from ferryman.decoding.candidates import BeamStep
from ferryman.decoding.constraints import Phrases
from ferryman.decoding.diverse import Diversity, diverse_beam_search
from ferryman.decoding.greedy import greedy_search
from ferryman.decoding.hypothesis import Attention, Hypothesis
from ferryman.decoding.mbr import CharacterOverlap, consensus
from ferryman.decoding.rules import (
    Rule,
    forbid,
    forbid_beginning,
    forbid_phrases,
    force_prefix,
    minimum_length,
    no_repeat_ngram,
    repetition_penalty,
    whole_characters,
)
from ferryman.decoding.sampling import Sharpening, chances, sample_search
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper

__all__ = [
    "Attention",
    "BeamStep",
    "CharacterOverlap",
    "Diversity",
    "Hypothesis",
    "Phrases",
    "Rule",
    "Sharpening",
    "Stepper",
    "beam_search",
    "chances",
    "consensus",
    "diverse_beam_search",
    "forbid",
    "forbid_beginning",
    "forbid_phrases",
    "force_prefix",
    "greedy_search",
    "minimum_length",
    "no_repeat_ngram",
    "penalty",
    "repetition_penalty",
    "sample_search",
    "whole_characters",
]
