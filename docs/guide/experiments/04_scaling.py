"""Chapter 4: why scores are divided by sqrt(d_k), and what really happens without it."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from ferryman.model.attention import MultiHeadAttention, attention_weights
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.tasks import pairs, tiny_model
from lab.training import exact, train

WIDTHS = (4, 16, 64, 256, 1024)
KEYS = 32
LENGTHS = range(3, 9)


def run(short: bool) -> dict[str, float]:
    """Measure; draw entropy and gradients by d_k."""
    torch.manual_seed(1)
    found = {(d_k, scaled): measure(d_k, scaled) for d_k in WIDTHS for scaled in (True, False)}
    results = {
        "max_entropy": math.log2(KEYS),
        **{f"score_std_{d_k}": found[d_k, False]["std"] for d_k in WIDTHS},
        **{
            f"{name}_{'scaled' if scaled else 'unscaled'}_{d_k}": found[d_k, scaled][name]
            for name in ("entropy", "softmax", "queries", "median")
            for scaled in (True, False)
            for d_k in (16, 64, 1024)
        },
    }
    for d_k in (4, 64):
        for way in (as_it_is, unscale, unscale_and_shrink):
            results[f"exact_{way.__name__}_{d_k}"] = learn(d_k, way, short)
    if not short:
        draw(found)
    return results


def measure(d_k: int, scaled: bool, rows: int = 512) -> dict[str, float]:
    """Measure one head on random unit-variance queries and keys, as layers begin.

    ``entropy`` is in bits, ``softmax`` the gradient that gets through the softmax to the scores, ``queries`` what then
    reaches the queries, as mean norms a row; ``median`` is that of the middle row.
    """
    queries = torch.randn(1, 1, rows, d_k, requires_grad=True)
    keys, values = torch.randn(1, 1, KEYS, d_k), torch.randn(1, 1, KEYS, 64)
    asked = queries if scaled else queries * math.sqrt(d_k)  # undoes the division inside
    seen: dict[str, Tensor] = {}
    weights = attention_weights(asked, keys, observe=seen.__setitem__)
    output = weights @ values
    direction = torch.randn_like(output)
    to_scores, to_queries = torch.autograd.grad((output * direction).sum(), (seen["scaled"], queries))
    return {
        "std": (queries @ keys.transpose(-2, -1)).std().item(),
        "entropy": -(weights * weights.clamp_min(1e-30).log2()).sum(-1).mean().item(),
        "softmax": to_scores.norm(dim=-1).mean().item(),
        "queries": to_queries.norm(dim=-1).mean().item(),
        "median": to_queries.norm(dim=-1).median().item(),
    }


def learn(d_k: int, way: Callable[[Transformer], None], short: bool) -> float:
    """Train a model with heads so wide to turn sequences round; return how many of a hundred are exact."""
    model = tiny_model(d_model=64, heads=64 // d_k)
    way(model)
    train(model, pairs(100 if short else 20_000, LENGTHS, seed=1), 2 if short else 300)
    return exact(model, pairs(5 if short else 300, LENGTHS, seed=2))


def as_it_is(model: Transformer) -> None:
    """Change nothing."""


def unscale(model: Transformer) -> None:
    """Undo the division by sqrt(d_k) in every attention of a model."""

    def multiply(attention: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return inputs[0] * math.sqrt(inputs[0].size(-1)), *inputs[1:]

    for attention in attentions(model):
        attention.register_forward_pre_hook(multiply)


@torch.no_grad()
def unscale_and_shrink(model: Transformer) -> None:
    """Undo the division, and begin with a W^Q so much smaller that the untrained model is the same."""
    unscale(model)
    for attention in attentions(model):
        d_model = attention.in_projection.weight.size(1)
        attention.in_projection.weight[:d_model] /= math.sqrt(d_model / attention.heads)


def attentions(model: Transformer) -> list[MultiHeadAttention]:
    """List every attention of a model."""
    return [module for module in model.modules() if isinstance(module, MultiHeadAttention)]


def draw(found: dict[tuple[int, bool], dict[str, float]]) -> None:
    """Draw entropy, and the gradient at the scores and at the queries."""
    figure, axes = panels(3, width=3.9)
    drawn = (
        ("entropy", "entropy of attention", "bits"),
        ("softmax", "gradient at the scores", "mean norm a row"),
        ("queries", "gradient at the queries", "mean norm a row"),
    )
    for axis, (name, title, unit) in zip(axes, drawn, strict=True):
        for scaled, label in ((True, "divided by √d_k"), (False, "not divided")):
            axis.plot(WIDTHS, [found[d_k, scaled][name] for d_k in WIDTHS], "o-", label=label)
        axis.set(title=title, xlabel="d_k", ylabel=unit, xscale="log", ylim=(0, None), xticks=WIDTHS)
        axis.set_xticklabels([str(d_k) for d_k in WIDTHS])
        axis.minorticks_off()
    axes[0].legend(fontsize=8)
    save(figure, "04-scaling")
