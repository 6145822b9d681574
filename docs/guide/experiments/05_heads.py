"""Chapter 5: how many heads, and how many of them can be taken away afterwards."""

import torch
from torch import Tensor

from ferryman.model.attention import MultiHeadAttention
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.training import exact, loss
from lab.translator import COMPARED_STEPS, compared_model, encoded, tokenizers, translator

COUNTS = (1, 2, 4, 8)


def run(short: bool) -> dict[str, float]:
    """Train with 1, 2, 4 and 8 heads of the same total width; take heads away from the guide's translator."""
    symbols, test = tokenizers().symbols("bos"), encoded("test", 20 if short else 300)
    results: dict[str, float] = {}
    for heads in COUNTS:
        model = compared_model(short, heads=heads)
        results[f"loss_{heads}"] = loss(model, test, symbols)
        results[f"exact_{heads}"] = exact(model, test, symbols)
    trained = translator(short).model
    whole = loss(trained, test, symbols)
    harm = {name: loss(without_head(trained, name), test, symbols) - whole for name in heads_of(trained)}
    ordered = sorted(harm, key=harm.__getitem__)
    results |= {
        "whole_loss": whole,
        "whole_exact": exact(trained, test, symbols),
        "heads": len(harm),
        "harmless": sum(more < 0.05 for more in harm.values()),
        "harmless_encoder": sum(more < 0.05 for name, more in harm.items() if "encoder" in name),
        "least_harm": harm[ordered[0]],
        "most_harm": harm[ordered[-1]],
    }
    half = trained
    for count, name in enumerate(ordered[: len(ordered) // 2], start=1):
        half = without_head(half, name)
        if count in (len(ordered) // 4, len(ordered) // 2):
            results[f"exact_without_{count}"] = exact(half, test, symbols)
    if not short:
        draw(results, harm)
    return results


def heads_of(model: Transformer) -> list[str]:
    """Name every head of a model: its attention and its number, counted from 0."""
    attentions = {name: part for name, part in model.named_modules() if isinstance(part, MultiHeadAttention)}
    return [f"{name} {head}" for name, attention in attentions.items() for head in range(attention.heads)]


@torch.no_grad()
def without_head(model: Transformer, name: str) -> Transformer:
    """Copy a model and let the output projection hear nothing of one head."""
    copy = Transformer(model.source_table.size(0), model.target_table.size(0), model.config)
    copy.load_state_dict(model.state_dict())
    place, _, head = name.partition(" ")
    weight: Tensor = copy.get_submodule(place).out_projection.weight
    width = weight.size(1) // model.config.heads
    weight[:, int(head) * width : (int(head) + 1) * width] = 0.0
    return copy.eval()


def draw(results: dict[str, float], harm: dict[str, float]) -> None:
    """Draw the loss by number of heads, and the harm of taking each away."""
    figure, axes = panels(2, width=4.6, height=4.0)
    axes[0].bar([str(count) for count in COUNTS], [results[f"loss_{count}"] for count in COUNTS], color="#0b6e8f")
    axes[0].set(
        title=f"trained for {COMPARED_STEPS} steps",
        xlabel="heads (d_model is the same)",
        ylabel="test loss, nats/token",
    )
    places = {"encoder": "#0b6e8f", "self": "#3c8031", "cross": "#c4541a"}
    labels = {
        "encoder": "encoder self-attention",
        "self": "decoder self-attention",
        "cross": "encoder–decoder attention",
    }
    ordered = sorted(harm, key=harm.__getitem__)
    kinds = ["encoder" if "encoder" in name else "cross" if "cross" in name else "self" for name in ordered]
    for kind, colour in places.items():
        at = [index for index, one in enumerate(kinds) if one == kind]
        axes[1].barh(at, [harm[ordered[index]] for index in at], color=colour, label=labels[kind])
    axes[1].set(
        title="one head taken away", xlabel="loss it adds, nats/token", yticks=[], ylabel="heads, least harmful first"
    )
    axes[1].legend(fontsize=8, loc="lower right")
    save(figure, "05-heads")
