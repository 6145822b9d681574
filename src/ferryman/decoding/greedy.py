"""Greedy search: the likeliest token, again and again."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.largest import likeliest
from ferryman.decoding.pool import Pool, in_input_order, places, worth_leaving
from ferryman.decoding.rules import Rows, Rule, apply
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper, start


@torch.inference_mode()
def greedy_search(
    stepper: Stepper,
    *,
    max_lengths: Int[Tensor, "batch"],
    bos: int,
    eos: int,
    length_penalty: float = 0.0,
    rules: Sequence[Rule] = (),
) -> list[Hypothesis]:
    """Return one hypothesis a sentence, taking the likeliest token at every step (the lowest id among equals).

    ``max_lengths``, on the stepper's device, bounds each sentence's tokens, the end symbol counted. The length penalty
    only sets the score. A sentence stops unfinished at its bound, or, with the tokens it has, where the model and the
    rules leave no token at all.

    Raises ``ConfigError`` if a maximum length is less than 1 or the length penalty is negative, and
    ``TranslationError`` if a log-probability is not a number.
    """
    batch = start(stepper, 1, max_lengths)
    device = max_lengths.device
    sentences, limits = torch.arange(batch, device=device), max_lengths
    history = torch.full((batch, 1), bos, device=device)
    log_prob = torch.zeros(batch, device=device)
    done, ended = [], [False] * batch
    while len(sentences) > 0:
        best, token = likeliest(apply(rules, Rows(history, sentences), stepper.step(history[:, -1])))
        history = torch.cat([history, token[:, None]], dim=1)
        stuck = best == -math.inf
        log_prob = torch.where(stuck, log_prob, log_prob + best)
        now = (stuck | (token == eos) | (history.size(1) > limits)).tolist()
        over = [flag and not earlier for flag, earlier in zip(now, ended, strict=True)]
        if not any(over):
            continue
        gone = places(over, device)
        done.append((sentences[gone], _settle(history[gone], log_prob[gone], stuck[gone], length_penalty)))
        ended = [one or other for one, other in zip(over, ended, strict=True)]
        if not worth_leaving(ended):
            continue
        left = places([not flag for flag in ended], device)
        sentences, limits, history, log_prob = sentences[left], limits[left], history[left], log_prob[left]
        ended = [False] * len(left)
        if len(left) > 0:
            stepper.keep(left)
    return [hypotheses[0] for hypotheses in in_input_order(done, eos)]


def _settle(
    history: Int[Tensor, "kept past"], log_prob: Float[Tensor, "kept"], stuck: Bool[Tensor, "kept"], alpha: float
) -> Pool:
    """Score rows that are over; where the search got stuck, the last token is none."""
    length = history.size(1) - 1
    score = torch.where(stuck, log_prob / penalty(length - 1, alpha), log_prob / penalty(length, alpha))
    return Pool(score[:, None], log_prob[:, None], length - stuck[:, None].long(), history[:, None, 1:])
