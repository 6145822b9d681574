"""Phrases that a translation must contain: beam search with its places shared out by how much of them is said.

After Post and Vilar (2018), dynamic beam allocation. Differs from them: how much is said is read off the history at
every step, so phrases may overlap, and a phrase that goes on as part of a longer word counts as not said.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from ferryman.decoding.candidates import continuations
from ferryman.decoding.rules import Rows

_ANY, _NONE = -1, -2  # in a phrase: fits every token; after a history: fits none


@dataclass(frozen=True)
class Phrases:
    """The required phrases of every sentence, as tokens.

    ``joins`` tells of each token whether it goes on with the word before it: one that directly follows a phrase makes
    it part of another word.
    """

    tokens: Int[Tensor, "sentences phrases longest"]
    length: Int[Tensor, "sentences phrases"]  # 0: no phrase
    joins: Bool[Tensor, "vocab"]
    eos: int

    @classmethod
    def make(
        cls, phrases: Sequence[Sequence[Sequence[int]]], joins: Bool[Tensor, "vocab"], eos: int, device: torch.device
    ) -> "Phrases":
        """Put the phrases of each sentence into a table; a sentence may have none."""
        most = max([1, *(len(each) for each in phrases)])
        longest = max([1, *(len(phrase) for each in phrases for phrase in each)])
        tokens = torch.full((len(phrases), most, longest), _ANY)
        length = torch.zeros((len(phrases), most), dtype=torch.long)
        for sentence, each in enumerate(phrases):
            for place, phrase in enumerate(each):
                tokens[sentence, place, : len(phrase)] = torch.tensor(phrase)
                length[sentence, place] = len(phrase)
        return cls(tokens.to(device), length.to(device), joins.to(device), eos)

    def of(self, sentences: Int[Tensor, "batch"]) -> "Phrases":
        """Return those of these sentences alone."""
        return Phrases(self.tokens[sentences], self.length[sentences], self.joins, self.eos)

    def said(
        self, history: Int[Tensor, "sentences each past"]
    ) -> tuple[Bool[Tensor, "sentences each phrases"], Int[Tensor, "sentences each phrases"]]:
        """Tell which phrases each history (start symbol first) has, and of the others how many tokens it ends with."""
        longest = self.tokens.size(2)
        windows = pad(history[:, :, 1:], (0, longest), value=_NONE).unfold(2, longest, 1)
        wanted = self.tokens[:, None, :, None]
        fits = ((windows[:, :, None] == wanted) | (wanted == _ANY)).all(dim=4)  # (sentences, each, phrases, place)
        following = self._follower(history, fits.size(3))
        met = (fits & ~self.joins[following]).any(dim=3) | (self.length == 0)[:, None]
        begun = torch.zeros_like(self.length)[:, None].repeat(1, history.size(1), 1)
        for count in range(1, min(longest, history.size(2))):
            same = (history[:, :, None, -count:] == self.tokens[:, None, :, :count]).all(dim=3)
            begun = torch.where(same & (self.length > count)[:, None], count, begun)
        return met, begun.masked_fill(met, 0)

    def _follower(
        self, history: Int[Tensor, "sentences each past"], windows: int
    ) -> Int[Tensor, "sentences each phrases windows"]:
        """Return the token after each phrase, were it to begin at each place; the end symbol after the last."""
        place = 1 + torch.arange(windows, device=history.device) + self.length[:, None, :, None]
        last = history.size(2)
        known = pad(history, (0, 1), value=self.eos)
        place = place.clamp(max=last).expand(-1, history.size(1), -1, -1)
        return known[:, :, None].expand(-1, -1, place.size(2), -1).gather(3, place)


def constrained_continuations(
    phrases: Phrases, rows: Rows, live: Float[Tensor, "batch beam"], log_probs: Float[Tensor, "rows vocab"]
) -> tuple[Float[Tensor, "batch candidates"], Int[Tensor, "batch candidates"], Int[Tensor, "batch candidates"]]:
    """Return ``2 * beam`` continuations as ``continuations`` does, in the order in which they are given a place.

    The hypotheses that lack nothing are a beam of their own: of their likeliest ``beam`` continuations those that end
    come first of all. The others that go on share the places. They are the likeliest continuations of all hypotheses
    and of those that lack nothing, and for every hypothesis its likeliest token and those that go on with a phrase it
    lacks. The ones that have said equally much of their phrases are a bank: the best of every bank come first, then the
    second of every bank, and so on; among them those that have said most.
    """
    batch, beam = live.shape
    phrases = phrases.of(rows.sentences)
    history = rows.history.view(batch, beam, -1)
    met, begun = phrases.said(history)
    lacking = ~met.all(dim=2)
    log_probs = log_probs.view(batch, beam, -1)
    log_probs[:, :, phrases.eos] = log_probs[:, :, phrases.eos].masked_fill(lacking, -math.inf)
    wanted = phrases.tokens[:, None].expand(-1, beam, -1, -1).gather(3, begun[..., None]).squeeze(3)
    wanted = torch.cat([wanted.masked_fill(met, _ANY), log_probs.argmax(dim=2, keepdim=True)], dim=2)

    more = _wanted(wanted, live, log_probs)
    complete = continuations(live.masked_fill(lacking, -math.inf), log_probs.flatten(0, 1).clone())
    parts = (complete, continuations(live, log_probs.flatten(0, 1)), more)
    total, token, origin = (torch.cat(columns, dim=1) for columns in zip(*parts, strict=True))
    is_eos, rank = token == phrases.eos, torch.arange(token.size(1), device=live.device)
    ending = is_eos & (rank < min(beam, complete[0].size(1))) & (total > -math.inf)
    name = torch.where(total > -math.inf, origin * log_probs.size(2) + token, -1 - rank)  # what is impossible: its own
    going = total.masked_fill(is_eos | _again(name), -math.inf)

    paths = torch.cat([history.gather(1, origin[..., None].expand(-1, -1, history.size(2))), token[..., None]], dim=2)
    met, begun = phrases.said(paths)
    bank = (met * phrases.length[:, None]).sum(dim=2) + begun.amax(dim=2)
    order = _places(going, bank, ending)[:, : 2 * beam]
    total = torch.where(ending, total, going)
    return total.gather(1, order), token.gather(1, order), origin.gather(1, order)


def _wanted(
    tokens: Int[Tensor, "batch beam each"], live: Float[Tensor, "batch beam"], log_probs: Float[Tensor, "batch beam _"]
) -> tuple[Float[Tensor, "batch more"], Int[Tensor, "batch more"], Int[Tensor, "batch more"]]:
    """Return the continuations with these tokens as ``continuations`` does, impossible where there is no token."""
    total = live[:, :, None] + log_probs.gather(2, tokens.clamp(min=0))
    origin = torch.arange(live.size(1), device=live.device)[:, None].expand_as(tokens)
    return total.masked_fill(tokens < 0, -math.inf).flatten(1), tokens.clamp(min=0).flatten(1), origin.flatten(1)


def _again(keys: Int[Tensor, "batch each"]) -> Bool[Tensor, "batch each"]:
    """Tell which keys stand earlier in their row already."""
    return (keys[:, :, None] == keys[:, None]).tril(diagonal=-1).any(dim=2)


def _places(
    total: Float[Tensor, "batch each"], bank: Int[Tensor, "batch each"], ending: Bool[Tensor, "batch each"]
) -> Int[Tensor, "batch each"]:
    """Order candidates: those that end, then by their rank inside their bank, then the fullest bank first.

    The impossible come last.
    """
    by_total = total.sort(dim=1, descending=True, stable=True).indices
    sorted_bank = bank.gather(1, by_total)
    rank = (sorted_bank[:, :, None] == sorted_bank[:, None]).tril(diagonal=-1).sum(dim=2)
    key = rank * (bank.amax() + 1) - sorted_bank + bank.amax()
    key = key.masked_fill(total.gather(1, by_total) == -math.inf, torch.iinfo(torch.long).max)
    key = key.masked_fill(ending.gather(1, by_total), -1)
    return by_total.gather(1, key.sort(dim=1, stable=True).indices)
