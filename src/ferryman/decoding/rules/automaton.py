"""Where in a text phrases occur, told token by token: the automaton of Aho and Corasick (1975) over bytes."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ferryman.errors import ConfigError

LARGEST = 1 << 26  # entries of the tables, states times tokens: some 200 MB


@dataclass(frozen=True)
class Automaton:
    """Which phrases a text ends with, or is in the middle of, however it is cut into tokens.

    State 0 is that of a text of which nothing matters any more.
    """

    after: Tensor  # (states, vocab): the state after each token
    hits: Tensor  # (states, vocab): whether the token makes some phrase whole
    reach: int  # bytes that a state remembers at most; so many tokens decide the state


def build_automaton(phrases: Sequence[bytes], tokens: Sequence[bytes]) -> Automaton:
    """Make the automaton of some phrases for the tokens that stand for these bytes.

    Raises ``ConfigError`` if the phrases are so long in all that its tables would take too much memory.
    """
    step, whole = _byte_automaton(phrases)
    if len(step) * len(tokens) > LARGEST:
        raise ConfigError(
            f"decoding.forbidden_phrases: {sum(map(len, phrases)):,} bytes of phrases are too many for a vocabulary of "
            f"{len(tokens):,}; {LARGEST // len(tokens):,} are the most"
        )
    lengths = np.array([len(token) for token in tokens])
    spelled = np.zeros((len(tokens), lengths.max(initial=1)), dtype=np.uint8)
    for index, token in enumerate(tokens):
        spelled[index, : len(token)] = list(token)
    after = np.repeat(np.arange(len(step), dtype=np.int32)[:, None], len(tokens), axis=1)
    hits = np.zeros(after.shape, dtype=bool)
    for place in range(spelled.shape[1]):
        (longer,) = (lengths > place).nonzero()
        state = step[after[:, longer], spelled[longer, place]]
        after[:, longer] = state
        hits[:, longer] |= whole[state]
    return Automaton(torch.from_numpy(after), torch.from_numpy(hits), max(map(len, phrases), default=1) - 1)


def _byte_automaton(phrases: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return the state after each state and byte, and which states end with a phrase."""
    children: list[dict[int, int]] = [{}]
    whole = [False]
    for phrase in phrases:
        state = 0
        for byte in phrase:
            if byte not in children[state]:
                children[state][byte] = len(children)
                children.append({})
                whole.append(False)
            state = children[state][byte]
        whole[state] = True
    step = np.zeros((len(children), 256), dtype=np.int32)
    shorter, waiting = [0] * len(children), deque([0])  # the state of the longest proper ending that is a state too
    while waiting:
        state = waiting.popleft()
        if state:
            step[state] = step[shorter[state]]
            whole[state] |= whole[shorter[state]]
        for byte, child in children[state].items():
            shorter[child] = int(step[state, byte])
            step[state, byte] = child
            waiting.append(child)
    return step, np.array(whole)
