"""The rules that a search obeys, as the configuration and the wishes say."""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor

from ferryman.config import DecodingConfig
from ferryman.decoding import (
    Phrases,
    Rule,
    forbid_phrases,
    force_prefix,
    minimum_length,
    no_repeat_ngram,
    repetition_penalty,
    whole_characters,
)
from ferryman.decoding.rules import Automaton, build_automaton
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.wishes import Wish

_SPACE = SPACE_SYMBOL.encode()


def configured_rules(
    decoding: DecodingConfig, eos: int, tokenizer: Tokenizer | None, device: torch.device
) -> list[Rule]:
    """Return the rules that hold for all sentences alike: bytes make whole characters, and what is configured."""
    rules: list[Rule] = []
    if tokenizer is not None and (whole := _characters(tokenizer, device)):
        rules.append(whole)
    if decoding.min_length:
        rules.append(minimum_length(decoding.min_length + 1, eos))
    if decoding.repetition_penalty > 1:
        rules.append(repetition_penalty(decoding.repetition_penalty))
    if decoding.no_repeat_ngram:
        rules.append(no_repeat_ngram(decoding.no_repeat_ngram))
    if decoding.forbidden_phrases:
        if tokenizer is None:
            raise ValueError("phrases need the target's tokenizer")
        automaton, opening = _automaton(decoding.forbidden_phrases, tokenizer, eos)
        rules.append(forbid_phrases(automaton, opening, device))
    return rules


def begin_with(wishes: Sequence[Wish], rules: list[Rule], device: torch.device) -> list[Rule]:
    """Let the wished prefixes come first, and the rules hold for what follows them."""
    if not any(wish.prefix for wish in wishes):
        return rules
    return [force_prefix([wish.prefix for wish in wishes], rules, device)]


def required(wishes: Sequence[Wish], eos: int, tokenizer: Tokenizer, device: torch.device) -> Phrases:
    """Return the phrases that are wished for."""
    joins, opens = _neighbours(tokenizer, wishes[0].spaced)
    return Phrases.make([wish.phrases for wish in wishes], joins, opens, eos, device)


@lru_cache(maxsize=2)
def _characters(tokenizer: Tokenizer, device: torch.device) -> Rule | None:
    return whole_characters(tokenizer.spellings, device)


@lru_cache(maxsize=2)
def _automaton(phrases: tuple[str, ...], tokenizer: Tokenizer, eos: int) -> tuple[Automaton, int]:
    """Return the automaton of phrases and its state before the first token: a text begins and ends with a space."""
    spelled = []
    for phrase in phrases:
        before, after = (_SPACE if end.isspace() else b"" for end in (phrase[0], phrase[-1]))
        spelled.append(before + tokenizer.spell(phrase) + after)
    tokens = tokenizer.spellings
    tokens[eos] = _SPACE
    automaton = build_automaton(spelled, tokens)
    return automaton, int(automaton.after[0, eos])


@lru_cache(maxsize=4)
def _neighbours(tokenizer: Tokenizer, spaced: bool) -> tuple[Tensor, Tensor]:
    """Tell of each token whether it goes on with the word before it, and whether it leaves its own open."""
    spelled = [spelling.decode(errors="replace") for spelling in tokenizer.spellings]
    follows = tokenizer.space_follows
    joins = [spaced and not follows and text[:1].isalnum() for text in spelled]
    return torch.tensor(joins), torch.tensor([spaced and follows and text[-1:].isalnum() for text in spelled])
