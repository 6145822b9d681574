"""A trace: what happened inside one translation, as plain values.

Log-probabilities and scores are natural logarithms, entropies are in bits. Positions and words count from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import InstanceOf

Fate = Literal["kept", "finished", "dropped"]
BUDGET_BYTES = 4_500_000  # of a trace as JSON, so that a page that holds it stays under 5 MB


@dataclass(frozen=True)
class ModelFacts:
    """What model it was."""

    name: str
    source_language: str  # empty if it translates from several
    target_language: str
    d_model: int
    d_ff: int
    heads: int
    d_k: int
    encoder_layers: int
    decoder_layers: int
    norm_order: str
    positions: str
    activation: str
    source_vocab: int
    target_vocab: int
    parameters: int
    tie: str
    embedding_scale: float  # by which embeddings are multiplied: the square root of d_model, or 1


@dataclass(frozen=True)
class SearchFacts:
    """How the translation was searched for."""

    beam: int
    length_penalty: float
    max_length: int  # tokens, the end symbol counted
    engine: str  # what computed the search; the tensors are always those of the model itself, in torch
    exact: bool  # whether engine and model agree up to rounding: not where the engine has eight-bit matrices


@dataclass(frozen=True)
class Token:
    """A token: its id, its piece as the tokenizer names it and what it adds to the text."""

    id: int
    piece: str
    text: str


@dataclass(frozen=True)
class Source:
    """What was translated: the text as it was given, and the tokens as the encoder read them, end symbol last."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[tuple[int, ...], ...]  # places of each word's tokens; control symbols belong to none


@dataclass(frozen=True)
class Target:
    """The translation, as ``translate`` returns it, and what the decoder read and said at each position."""

    text: str
    tokens: tuple[Token, ...]  # said; the end symbol last, unless it was never said
    inputs: tuple[Token, ...]  # read: the start symbol, then the tokens up to the last but one
    words: tuple[tuple[int, ...], ...]
    log_prob: float
    score: float
    token_log_probs: tuple[float, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A token that could come next."""

    id: int
    piece: str
    text: str
    log_prob: float  # of this token alone


@dataclass(frozen=True)
class Step:
    """What the model thought at one position of the translation: its likeliest next tokens, likeliest first."""

    candidates: tuple[Candidate, ...]
    chosen: int
    entropy_bits: float  # of the whole distribution


@dataclass(frozen=True)
class BeamCandidate:
    """A continuation that the search weighed."""

    key: int  # its own number
    parent: int | None  # the key of what it continues; None: nothing
    id: int
    piece: str
    text: str
    log_prob: float  # of all tokens so far
    score: float
    fate: Fate


@dataclass(frozen=True)
class BeamLevel:
    """All candidates of one step of the search, likeliest first."""

    length: int  # tokens, this one counted
    candidates: tuple[BeamCandidate, ...]


@dataclass(frozen=True)
class Finished:
    """A hypothesis that ended."""

    key: int
    text: str
    log_prob: float
    score: float
    rank: int  # by score, from 1


@dataclass(frozen=True)
class Beam:
    """The tree of a beam search; empty where the translation was sampled or searched for in groups."""

    steps: tuple[BeamLevel, ...]
    finished: tuple[Finished, ...]  # best first
    best: int | None  # the key of what was taken
    path: tuple[int, ...]  # the keys from the first token to that


@dataclass(frozen=True)
class WordLinks:
    """Which source word each target word comes from."""

    links: tuple[tuple[int, int], ...]  # (source word, target word)
    told_by: str  # which attention, in words
    layer: int  # the same: the decoder layer, from 0
    aer: float | None  # alignment error rate, where the right links are known


@dataclass(frozen=True)
class Residual:
    """Mean and variance over the features, at each position: of the sum around a sub-layer, and of its norm."""

    mean: tuple[float, ...]
    variance: tuple[float, ...]
    norm_mean: tuple[float, ...]
    norm_variance: tuple[float, ...]


@dataclass(frozen=True)
class Trace:
    """What happened inside one translation.

    ``tensors`` have the names of ``ferryman.model.observe`` and no batch axis: attention is (heads, queries, keys);
    queries, keys, values and heads are (heads, positions, d_k); others (positions, features). They come from one pass
    of the model over the best path, all positions at once. A trace read from a file may hold means over bins of
    features: ``summarised`` tells from how many features, by name.
    """

    model: ModelFacts
    decoding: SearchFacts
    source: Source
    target: Target
    tensors: Mapping[str, InstanceOf[np.ndarray]]
    steps: tuple[Step, ...]  # one for each target token
    beam: Beam
    alignment: WordLinks
    entropy_bits: Mapping[str, tuple[tuple[float, ...], ...]]  # of each head and query, by attention
    residual: Mapping[str, Residual]  # by sub-layer, from the bottom up; the last norm of a stack, if there is one
    summarised: Mapping[str, int] = field(default_factory=dict)

    def to_json(self, budget_bytes: int = BUDGET_BYTES) -> str:
        """Write as JSON in about so many bytes; see ``ferryman.explain.files``."""
        from ferryman.explain.files import dump_trace

        return dump_trace(self, budget_bytes)

    def save(self, path: str | Path, budget_bytes: int = BUDGET_BYTES) -> None:
        """Write ``to_json`` to a file, whole or not at all."""
        from ferryman.files import write_text

        write_text(Path(path), self.to_json(budget_bytes))
