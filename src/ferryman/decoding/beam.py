"""Beam search: the ``beam`` likeliest beginnings of every sentence, side by side."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.functional import pad

from ferryman.decoding.alone import Alone, search_alone
from ferryman.decoding.candidates import BeamStep, continuations
from ferryman.decoding.constraints import Phrases, constrained_continuations
from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.live import Live
from ferryman.decoding.pool import Pool, in_input_order, places, worth_leaving
from ferryman.decoding.rules import Rows, Rule, apply
from ferryman.decoding.scoring import penalty
from ferryman.decoding.stepper import Stepper, start


@torch.inference_mode()
def beam_search(  # noqa: PLR0913 - each is a separate choice of the caller
    stepper: Stepper,
    *,
    beam: int,
    n_best: int | None = None,
    max_lengths: Int[Tensor, "batch"],
    bos: int,
    eos: int,
    length_penalty: float = 0.0,
    rules: Sequence[Rule] = (),
    phrases: Phrases | None = None,
    observe: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """Return up to ``n_best`` finished hypotheses a sentence (unset: ``beam``), best score first.

    At every step the ``2 * beam`` likeliest continuations of a sentence are its candidates: those that end among the
    best ``beam`` are finished, and the best ``beam`` that do not end go on. A sentence is over when nothing that lives
    could still enter its best ``n_best`` finished ones, or at its own maximum length. It gets one unfinished
    hypothesis, the likeliest, if it has no finished one by then (without a token if not even the first had a
    probability).
    A beam of one is greedy search whatever the length penalty: the first hypothesis that ends is its answer.

    ``max_lengths``, on the stepper's device, bounds each sentence's tokens, the end symbol counted. ``phrases`` are
    what must be said before the end; a sentence for which that fails has an unfinished hypothesis. ``observe`` is
    called with every step.

    Raises ``ConfigError`` if the beam or a maximum length is less than 1 or the length penalty is negative, and
    ``TranslationError`` if a log-probability is not a number.
    """
    batch = start(stepper, beam, max_lengths)
    n_best = beam if n_best is None else n_best
    live = Live.begin(max_lengths, beam, bos, length_penalty)
    if batch == 1 and max_lengths.device.type == "cpu" and phrases is None and observe is None:
        state = Alone(beam, n_best, int(max_lengths), eos, length_penalty, live.history[0], live.log_prob[0])
        return [search_alone(stepper, rules, state)]
    pool = Pool.empty(batch, beam, max_lengths.device)
    done, ended = [], [False] * batch
    while len(live.sentences) > 0:
        step = _consider(live, stepper, rules, phrases, eos, length_penalty)
        if observe is not None:
            observe(step)
        before, (live, pool) = live, live.follow(step, pool)
        over = [now and not earlier for now, earlier in zip(live.over(pool, n_best).tolist(), ended, strict=True)]
        if any(over):
            gone = places(over, pool.score.device)
            rest = unfinished(before.take(gone), live.take(gone), length_penalty)
            done.append((live.sentences[gone], complete(pool.take(gone), rest)))
            ended = [one or other for one, other in zip(over, ended, strict=True)]
            if observe is not None or worth_leaving(ended):
                left = places([not flag for flag in ended], pool.score.device)
                live, pool, ended = live.take(left), pool.take(left), [False] * len(left)
                if len(left) > 0:
                    stepper.keep(left)
        if beam > 1 and len(live.sentences) > 0:
            stepper.reorder(live.rows())
    return [hypotheses[:n_best] for hypotheses in in_input_order(done, eos)]


def _consider(
    live: Live, stepper: Stepper, rules: Sequence[Rule], phrases: Phrases | None, eos: int, alpha: float
) -> BeamStep:
    """Ask the model for the next tokens and choose among the candidates."""
    history = live.history.flatten(0, 1)
    rows = Rows(history, live.sentences)
    log_probs = apply(rules, rows, stepper.step(history[:, -1]))
    if phrases is None:
        candidates = continuations(live.log_prob, log_probs)
    else:
        candidates = constrained_continuations(phrases, rows, live.log_prob, log_probs)
    return live.step(alpha, eos, *candidates)


def unfinished(before: Live, after: Live, alpha: float) -> Pool:
    """Return the likeliest unfinished hypothesis of each sentence, a step earlier where nothing lives now."""
    length = after.history.size(2) - 1
    stuck = after.log_prob[:, :1] == -math.inf
    return Pool(
        score=torch.where(
            stuck, before.log_prob[:, :1] / penalty(length - 1, alpha), after.log_prob[:, :1] / penalty(length, alpha)
        ),
        log_prob=torch.where(stuck, before.log_prob[:, :1], after.log_prob[:, :1]),
        length=length - stuck.long(),
        tokens=torch.where(stuck[:, :, None], pad(before.history, (0, 1)), after.history)[:, :1, 1:],
    )


def complete(pool: Pool, rest: Pool) -> Pool:
    """Give the sentences without a finished hypothesis their unfinished one."""
    has_finished = pool.score[:, :1] > -math.inf
    return pool.merge(replace(rest, score=rest.score.masked_fill(has_finished, -math.inf)))
