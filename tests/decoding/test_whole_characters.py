"""Bytes make whole characters or are not said: all that is said can be decoded."""

import math
import random

import pytest
import torch

from ferryman.decoding import whole_characters
from ferryman.decoding.rules import Rows

CPU = torch.device("cpu")
TOKENS = [b"", b"the", "\u4e2d\u6587".encode(), *(bytes([byte]) for byte in range(256)), b" x"]
END = 0


def allowed(said):
    """Return which tokens may follow some tokens."""
    history = torch.tensor([[END, *said]])
    rule = whole_characters(TOKENS, CPU)
    return rule(Rows(history, torch.tensor([0])), torch.zeros(1, len(TOKENS)))[0] > -math.inf


def whole_or_begun(spelled):
    """Tell whether bytes are UTF-8 as far as they go, by the standard library."""
    try:
        spelled.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


@pytest.mark.parametrize("text", ["é", "ß\u07ff", "中", "\u0800", "\ud7ff", "\uffff", "🙂", "\U00010000", "\U0010ffff"])
def test_every_byte_of_a_character_is_judged_as_python_judges_it(text):
    spelled = text.encode()
    for count in range(len(spelled) + 1):
        said = [3 + byte for byte in spelled[:count]]
        may = allowed(said)
        for token, piece in enumerate(TOKENS):
            after = spelled[:count] + (piece or b"|")  # the end cannot come within a character either
            assert bool(may[token]) == whole_or_begun(after), (text, count, token)


def test_whatever_is_drawn_can_be_decoded():
    draw = random.Random(1)
    for _ in range(30):
        said = []
        while len(said) < 12 or not allowed(said)[END]:
            likely = [token for token, fits in enumerate(allowed(said).tolist()) if fits and token != END]
            said.append(draw.choice([token for token in likely if token >= 3 + 0x80] or likely))
        b"".join(TOKENS[token] for token in said).decode()


def test_rows_are_judged_each_by_itself():
    history = torch.tensor([[END, 1], [END, 3 + 0xE4]])
    ruled = whole_characters(TOKENS, CPU)(Rows(history, torch.tensor([0])), torch.zeros(2, len(TOKENS)))
    assert ruled[0, 1] == 0
    assert ruled[1, 1] == -math.inf
    assert ruled[0, 3 + 0xB8] == -math.inf
    assert ruled[1, 3 + 0xB8] == 0


def test_a_vocabulary_without_bytes_needs_no_rule():
    assert whole_characters([b"", b"a", "é".encode()], CPU) is None
