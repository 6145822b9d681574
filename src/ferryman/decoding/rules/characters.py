"""Characters that are said in bytes: each is said to its end, and no byte stands where it makes none."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.decoding.rules.rule import Rows, Rule

LONGEST = 4  # bytes of a character
_FIRST = range(0xC2, 0xF5)  # of a character of several bytes
_TAIL = range(0x80, 0xC0)  # the others; after some first bytes not all of them:
_NARROWER = {0xE0: range(0xA0, 0xC0), 0xED: range(0x80, 0xA0), 0xF0: range(0x90, 0xC0), 0xF4: range(0x80, 0x90)}


def whole_characters(tokens: Sequence[bytes], device: torch.device) -> Rule | None:
    """Never say bytes that are not UTF-8 (The Unicode Standard, table 3-7), nor end within a character.

    Args:
        tokens: what each token stands for; those of a single byte from 0x80 on are parts of characters.
        device: where the search runs.

    Returns:
        The rule; None where no token is a part of a character.

    """
    parts = [(token, spelled[0]) for token, spelled in enumerate(tokens) if len(spelled) == 1 and spelled[0] >= 0x80]
    if not parts:
        return None
    after, fits = _tables(parts, len(tokens))
    tails = torch.tensor([token for token, _ in parts], device=device)
    after, fits = after.to(device), fits.to(device)

    part = (after != 0).any(dim=0)
    never_first = tails[~fits[0]]

    def rule(rows: Rows, log_probs: Float[Tensor, "rows vocab"]) -> Float[Tensor, "rows vocab"]:
        latest = rows.history[:, 1:][:, 1 - LONGEST :]  # a whole character before leaves no trace
        if device.type == "cpu" and not part[latest].any():
            return log_probs.index_fill_(1, never_first, -math.inf)  # as nearly always: all are between characters
        state = torch.zeros_like(rows.history[:, 0])
        for token in latest.unbind(dim=1):
            state = after[state, token]
        ruled = log_probs[:, tails].masked_fill_(~fits[state], -math.inf)
        inside = state > 0
        if device.type != "cpu" or inside.any():  # rare; to ask a GPU would take longer than the work
            log_probs.masked_fill_(inside[:, None], -math.inf)
        log_probs[:, tails] = ruled
        return log_probs

    return rule


def _tables(
    parts: Sequence[tuple[int, int]], vocab: int
) -> tuple[Int[Tensor, "states vocab"], Bool[Tensor, "states parts"]]:
    """Return the state after each state and token, and which of the parts may be said in each state.

    State 0 is that between characters. Any other is known by the bytes that may come next and how many are missing.
    """
    states: list[tuple[range, int]] = [(_FIRST, 0)]
    for first in _FIRST:
        missing = _missing(first)
        begun = [(_NARROWER.get(first, _TAIL), missing), *((_TAIL, fewer) for fewer in range(1, missing))]
        states += [state for state in begun if state not in states]
    after = torch.zeros((len(states), vocab), dtype=torch.long)
    fits = torch.zeros((len(states), len(parts)), dtype=torch.bool)
    for number, (allowed, missing) in enumerate(states):
        for place, (token, byte) in enumerate(parts):
            if byte in allowed:
                fits[number, place] = True
                left = missing - 1 if number else _missing(byte)
                after[number, token] = states.index((_NARROWER.get(byte, _TAIL), left)) if left else 0
    return after, fits


def _missing(first: int) -> int:
    """Tell how many bytes a character has after its first."""
    return 1 + (first >= 0xE0) + (first >= 0xF0)
