"""What a second pass over finished translations tells: the search itself is not slowed down by it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.config import DecodingConfig
from ferryman.data.batch import Symbols, pad_rows
from ferryman.decoding import Attention, Hypothesis
from ferryman.engines.ensemble import mean_log_probs
from ferryman.model.transformer import Transformer
from ferryman.translator.attending import alignment_layer, attending

TOKENS = 2048  # target positions at a time; each takes a row of logits

Found = list[list[Hypothesis]]


@dataclass(frozen=True)
class Look:
    """What the models say of one finished translation."""

    log_probs: Float[Tensor, "tgt"]  # of its tokens
    attention: Float[Tensor, "tgt src"] | None  # mean over heads and models


@dataclass(frozen=True)
class SecondLook:
    """Reads translations with the models that made them, all tokens at once (teacher forcing)."""

    models: Sequence[Transformer]
    symbols: Symbols

    def revise(self, rows: Sequence[Sequence[int]], found: Found, decoding: DecodingConfig) -> Found:
        """Let log-probabilities be the models' own where a rule changed them, and scores count what is covered."""
        if decoding.repetition_penalty == 1 and not decoding.coverage_penalty:
            return found
        layer = decoding.alignment_layer if decoding.coverage_penalty else None

        def revised(row: Sequence[int], hypothesis: Hypothesis, look: Look) -> Hypothesis:
            score = hypothesis.score
            if look.attention is not None and hypothesis.tokens:
                score += decoding.coverage_penalty * _coverage(look.attention[:, : len(row)])
            return replace(hypothesis, log_prob=look.log_probs.sum().item(), score=score)

        results = self._each(rows, found, layer, revised)
        if layer is None:
            return results
        return [sorted(each, key=lambda one: (not one.finished, -one.score)) for each in results]

    def annotate(self, rows: Sequence[Sequence[int]], found: Found, decoding: DecodingConfig) -> Found:
        """Give the hypotheses that are shown what was asked for: the first of each, as many as ``n_best``."""
        if not decoding.token_log_probs and decoding.alignment == "none":
            return found
        layer = None if decoding.alignment == "none" else decoding.alignment_layer

        def annotated(row: Sequence[int], hypothesis: Hypothesis, look: Look) -> Hypothesis:
            log_probs = tuple(look.log_probs.tolist()) if decoding.token_log_probs else ()
            if look.attention is None:
                return replace(hypothesis, token_log_probs=log_probs)
            weights = tuple(tuple(weights) for weights in look.attention.tolist())
            attention = Attention(self.symbols.read(row), weights)
            return replace(hypothesis, token_log_probs=log_probs, attention=attention)

        return self._each(rows, [each[: decoding.n_best] for each in found], layer, annotated)

    def log_probs(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[float]:
        """Return the log-probability of each target, given with its end symbol."""
        return [look.log_probs.sum().item() for look in self.look(sources, targets, None)]

    def look(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], layer: int | None) -> list[Look]:
        """Read all pairs, in batches of like length; with ``layer`` (from 1; 0: the usual one) also its attention.

        Raises:
            ConfigError: a model has no such layer.

        """
        looks: list[Look | None] = [None] * len(sources)
        order = sorted(range(len(sources)), key=lambda index: -max(len(sources[index]), len(targets[index])))
        start = 0
        while start < len(order):
            longest = max(len(sources[order[start]]), len(targets[order[start]])) + 1
            chosen = order[start : start + max(1, TOKENS // longest)]
            batch = self._batch([sources[i] for i in chosen], [targets[i] for i in chosen], layer)
            for index, look in zip(chosen, batch, strict=True):
                looks[index] = look
            start += len(chosen)
        return [look for look in looks if look is not None]

    def _each(
        self,
        rows: Sequence[Sequence[int]],
        found: Found,
        layer: int | None,
        change: Callable[[Sequence[int], Hypothesis, Look], Hypothesis],
    ) -> Found:
        pairs = [(row, hypothesis) for row, each in zip(rows, found, strict=True) for hypothesis in each]
        looks = self.look([row for row, _ in pairs], [hypothesis.tokens for _, hypothesis in pairs], layer)
        changed = iter([change(*pair, look) for pair, look in zip(pairs, looks, strict=True)])
        return [[next(changed) for _ in each] for each in found]

    @torch.inference_mode()
    def _batch(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], layer: int | None
    ) -> Iterator[Look]:
        device = next(self.models[0].parameters()).device
        source, real = pad_rows(sources, pad=self.symbols.pad, last=self.symbols.source_end)
        target_in, _ = pad_rows([tokens[:-1] for tokens in targets], pad=self.symbols.pad, first=self.symbols.start)
        target_out, _ = pad_rows([tokens or [self.symbols.pad] for tokens in targets], pad=self.symbols.pad)
        source, target_in, target_out = source.to(device), target_in.to(device), target_out.to(device)
        real = None if real is None else real.to(device)
        log_probs, attention = [], []
        for model in self.models:
            layers = [] if layer is None else [alignment_layer(model, layer)]
            hidden, seen = attending(model, model.eval().encode(source, real), target_in, layers)
            every = model.project(hidden).float().log_softmax(dim=-1)
            log_probs.append(every if len(self.models) > 1 else every.gather(-1, target_out[..., None]))
            attention += [weights.mean(dim=1) for weights in seen]
        own = mean_log_probs(log_probs)
        own = (own.gather(-1, target_out[..., None]) if len(self.models) > 1 else own).squeeze(-1).cpu()
        mean = torch.stack(attention).mean(dim=0).cpu() if attention else None
        for place, (ids, tokens) in enumerate(zip(sources, targets, strict=True)):
            read = len(self.symbols.read(ids))
            yield Look(own[place, : len(tokens)], None if mean is None else mean[place, : len(tokens), :read])


def _coverage(attention: Float[Tensor, "tgt src"]) -> float:
    """Return the sum over source tokens of the logarithm of the attention each got, at most 1."""
    return attention.sum(dim=0).clamp(min=1e-9, max=1.0).log().sum().item()
