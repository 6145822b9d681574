"""From decoder steps to tokens: searches that know no model, only the stepper protocol."""

from ferryman.decoding.beam import beam_search
from ferryman.decoding.candidates import BeamStep
from ferryman.decoding.greedy import greedy_search
from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.mbr import CharacterOverlap, consensus
from ferryman.decoding.rules import Rule, forbid, forbid_beginning, minimum_length
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper

__all__ = [
    "BeamStep",
    "CharacterOverlap",
    "Hypothesis",
    "Rule",
    "Stepper",
    "beam_search",
    "consensus",
    "forbid",
    "forbid_beginning",
    "greedy_search",
    "minimum_length",
    "penalty",
]
