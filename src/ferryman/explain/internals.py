"""One pass of the model over a translation that is known, observed from the embedding to the softmax."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ferryman.explain.values import Candidate, Residual, Step
from ferryman.explain.words import Vocabulary
from ferryman.model.transformer import Transformer

LIKELIEST = 12  # candidates told of each step
DERIVED = (".scaled", ".masked")  # these follow from the scores, d_k and the mask
_OUTPUT = ("logits", "probabilities")  # as wide as the vocabulary


@dataclass(frozen=True)
class Pass:
    """What was observed."""

    tensors: dict[str, Float[np.ndarray, "..."]]  # by name, without the batch axis
    log_probs: Float[Tensor, "tgt vocab"]  # of every next token


@torch.inference_mode()
def observe_pass(model: Transformer, source: Sequence[int], inputs: Sequence[int]) -> Pass:
    """Run the model over a source, its end symbol included, and what the decoder reads, start symbol first."""
    device = next(model.parameters()).device
    seen: dict[str, Tensor] = {}
    model.eval()
    state = model.encode(torch.tensor([list(source)], device=device), observe=seen.__setitem__)
    hidden, _ = model.decode(torch.tensor([list(inputs)], device=device), state, seen.__setitem__)
    logits = model.project(hidden, seen.__setitem__)
    tensors = {
        name: (tensor if name.endswith("_embedding.positions") else tensor[0]).float().cpu().numpy()
        for name, tensor in seen.items()
        if not name.endswith(DERIVED) and name not in _OUTPUT
    }
    return Pass(tensors, logits[0].float().log_softmax(dim=-1).cpu())


def tell_steps(
    log_probs: Float[Tensor, "tgt vocab"], said: Sequence[int], vocabulary: Vocabulary
) -> tuple[tuple[Step, ...], tuple[float, ...]]:
    """Return what the model thought at each position, and the log-probability of each token that was said."""
    entropies = -(log_probs.exp() * log_probs.clamp(min=-1e4)).sum(dim=-1) / np.log(2)
    best, ids = log_probs.topk(min(LIKELIEST, log_probs.size(1)), dim=-1)
    steps = []
    for chosen, entropy, row, tokens in zip(said, entropies.tolist(), best.tolist(), ids.tolist(), strict=True):
        candidates = (
            Candidate(token, *vocabulary.spell(token), value) for token, value in zip(tokens, row, strict=True)
        )
        steps.append(Step(tuple(candidates), chosen, _short(entropy)))
    own = log_probs.gather(1, torch.tensor(list(said))[:, None]).squeeze(1).tolist()
    return tuple(steps), tuple(own)


def attention_entropies(
    tensors: Mapping[str, Float[np.ndarray, "..."]],
) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Return the entropy in bits of each row of attention, by the name of the attention: (heads, queries)."""
    entropies = {}
    for name, weights in tensors.items():
        if name.endswith(".weights"):
            bits = -(weights * np.log2(np.maximum(weights, 1e-30))).sum(axis=-1)
            entropies[name.removesuffix(".weights")] = tuple(_listed(row) for row in bits + 0.0)
    return entropies


def residuals(tensors: Mapping[str, Float[np.ndarray, "..."]]) -> dict[str, Residual]:
    """Return mean and variance at each position of every residual sum and norm, from the bottom up.

    In pre-norm, a sub-layer's norm is the one before it; ``encoder.final_norm`` normalises the last sum of its stack.
    """
    found: dict[str, Residual] = {}
    last = None
    for name in tensors:
        scope, _, point = name.rpartition(".")
        if point == "residual":
            last = name
            found[scope] = _residual(tensors[name], tensors[f"{scope}.norm"])
        elif point == "final_norm" and last is not None:
            found[name] = _residual(tensors[last], tensors[name])
    return found


def _residual(total: np.ndarray, norm: np.ndarray) -> Residual:
    over: tuple[Callable[..., np.ndarray], ...] = (np.mean, np.var)
    return Residual(*(_listed(each(values, axis=-1)) for values in (total, norm) for each in over))


def _listed(values: np.ndarray) -> tuple[float, ...]:
    return tuple(map(_short, values.tolist()))


def _short(value: float) -> float:
    """Keep six digits: these figures are looked at, not computed with."""
    return float(f"{value:.6g}")
