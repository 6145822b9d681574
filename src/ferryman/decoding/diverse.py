"""Diverse beam search: groups of beams that keep out of each other's way. Vijayakumar et al. (2018)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Int
from torch import Tensor

from ferryman.decoding.beam import complete, unfinished
from ferryman.decoding.candidates import BeamStep, continuations, going_on
from ferryman.decoding.hypothesis import Hypothesis
from ferryman.decoding.live import Live
from ferryman.decoding.pool import Pool, in_input_order, places
from ferryman.decoding.rules import Rows, Rule, apply
from ferryman.decoding.stepper import Stepper, start
from ferryman.errors import ConfigError


@dataclass(frozen=True)
class Diversity:
    """Into how many groups a beam is divided, and how much it costs to say what an earlier group says."""

    groups: int
    strength: float


@torch.inference_mode()
def diverse_beam_search(  # noqa: PLR0913 - each is a separate choice of the caller
    stepper: Stepper,
    *,
    beam: int,
    diversity: Diversity,
    max_lengths: Int[Tensor, "batch"],
    bos: int,
    eos: int,
    length_penalty: float = 0.0,
    rules: Sequence[Rule] = (),
) -> list[list[Hypothesis]]:
    """Return the best hypothesis of every group, best score first, then the second of every group, and so on.

    The groups of a sentence step together, the first as in ``beam_search`` with a beam of ``beam / groups``. When a
    later one chooses its candidates, a token counts ``strength`` less for each hypothesis of an earlier group that says
    it in this step. That steers the choice alone: log-probabilities and scores stay the model's. A hypothesis that
    several groups find is returned once; an unfinished one only if no group has a finished one.

    Raises ``ConfigError`` and ``TranslationError`` as ``beam_search`` does, and if the groups do not divide the beam.
    """
    groups = diversity.groups
    if beam % groups:
        raise ConfigError(f"beam_groups: {groups} groups do not divide a beam of {beam} evenly")
    start(stepper, beam, max_lengths)
    # Each group is a sentence of its own to all that follows, but for the stepper.
    live = Live.begin(max_lengths.repeat_interleave(groups), beam // groups, bos, length_penalty)
    pool = Pool.empty(len(live.sentences), beam // groups, max_lengths.device)
    done = []
    while len(live.sentences) > 0:
        step = _consider(live, stepper, rules, eos, length_penalty, diversity)
        before, (live, pool) = live, live.follow(step, pool)
        rested = live.over(pool, beam // groups)
        over = rested.view(-1, groups).all(dim=1).repeat_interleave(groups).tolist()
        if any(over):
            gone, left = (places([flag == wanted for flag in over], rested.device) for wanted in (True, False))
            rest = unfinished(before.take(gone), live.take(gone), length_penalty)
            done.append((live.sentences[gone], complete(pool.take(gone), rest)))
            live, pool, rested = live.take(left), pool.take(left), rested[left]
            if len(left) > 0:
                stepper.keep(left[::groups] // groups)
        if len(live.sentences) > 0:
            live = replace(live, log_prob=live.log_prob.masked_fill(rested[:, None], -math.inf))
            stepper.reorder(live.rows())
    found = in_input_order(done, eos)
    return [_merge(found[first : first + groups]) for first in range(0, len(found), groups)]


def _consider(
    live: Live, stepper: Stepper, rules: Sequence[Rule], eos: int, alpha: float, diversity: Diversity
) -> BeamStep:
    """Ask the model for the next tokens and let the groups choose in turn."""
    groups, beam = diversity.groups, live.history.size(1)
    history = live.history.flatten(0, 1)
    log_probs = apply(rules, Rows(history, live.sentences[::groups] // groups), stepper.step(history[:, -1]))
    by_group = log_probs.view(-1, groups, beam, log_probs.size(1))
    said = torch.zeros_like(by_group[:, 0, 0])  # (batch, vocab): how many hypotheses of the groups so far say a token
    chosen = []
    for past, following in zip(live.log_prob.view(-1, groups, beam).unbind(1), by_group.unbind(1), strict=True):
        steered = following - diversity.strength * said[:, None]
        _, token, origin = continuations(past, steered.flatten(0, 1))
        log_prob = past.gather(1, origin) + following.flatten(1).gather(1, origin * following.size(2) + token)
        kept = going_on(token == eos, beam)
        said = said.scatter_add(1, token.gather(1, kept), (log_prob.gather(1, kept) > -math.inf).to(said.dtype))
        chosen.append((log_prob, token, origin))
    return live.step(alpha, eos, *(torch.stack(part, dim=1).flatten(0, 1) for part in zip(*chosen, strict=True)))


def _merge(groups: Sequence[Sequence[Hypothesis]]) -> list[Hypothesis]:
    """Take turns among the groups."""
    ranked = [(rank, hypothesis) for group in groups for rank, hypothesis in enumerate(group)]
    if any(hypothesis.finished for _, hypothesis in ranked):
        ranked = [(rank, hypothesis) for rank, hypothesis in ranked if hypothesis.finished]
    ranked.sort(key=lambda item: (item[0], -item[1].score))
    return list({hypothesis.tokens: hypothesis for _, hypothesis in reversed(ranked)}.values())[::-1]
