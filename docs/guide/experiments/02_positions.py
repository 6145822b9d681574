"""Chapter 2: what is lost without positions, and what is not."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ferryman.model.positions import sinusoids
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.tasks import VOCAB, backwards, pairs, tiny_model
from lab.training import exact, train

LENGTHS, LONGER = range(3, 11), range(11, 15)
VARIANTS = {"both": (), "no_encoder": ("source",), "no_decoder": ("target",), "none": ("source", "target")}


class NoPositions(nn.Module):
    """Says nothing of where a token stands."""

    def forward(self, first: int, length: int, like: Tensor) -> Float[Tensor, "length d_model"]:
        """Return zeros."""
        return like.new_zeros(length, like.size(-1))


def run(short: bool) -> dict[str, float]:
    """Measure; draw the sinusoids and how well sequences are turned round."""
    torch.manual_seed(1)
    results = {**shuffled(), **rotation()}
    steps, count = (2, 10) if short else (500, 300)
    data = pairs(100 if short else 20_000, LENGTHS, seed=1, answer=backwards)
    test, longer = pairs(count, LENGTHS, seed=2), pairs(count, LONGER, seed=3)
    for name, without in VARIANTS.items():
        model = tiny_model()
        remove_positions(model, without)
        train(model, data, steps)
        results[f"exact_{name}"] = exact(model, test)
        if name == "both":
            results["exact_longer"] = exact(model, longer)
    if not short:
        draw(results)
    return results


def remove_positions(model: Transformer, sides: tuple[str, ...]) -> None:
    """Take the positional encoding away from the sides ``source`` and ``target``."""
    for side in sides:
        getattr(model, f"{side}_embedding").positions = NoPositions()


@torch.inference_mode()
def shuffled() -> dict[str, float]:
    """Shuffle the source and compare: memory row by row, and what the decoder says."""
    source, target_in = torch.randint(4, VOCAB, (1, 12)), torch.randint(4, VOCAB, (1, 8))
    order = torch.randperm(12)
    results = {}
    for name, without in (("without", ("source",)), ("with", ())):
        model = tiny_model().eval()
        remove_positions(model, without)
        memory = memory_of(model, source)[:, order]
        results[f"shuffle_memory_{name}"] = (memory_of(model, source[:, order]) - memory).abs().max().item()
        logits = model(source, target_in), model(source[:, order], target_in)
        results[f"shuffle_logits_{name}"] = (logits[0] - logits[1]).abs().max().item()
    return results


def memory_of(model: Transformer, source: Tensor) -> Tensor:
    """Observe the encoder's output."""
    seen: dict[str, Tensor] = {}
    model.encode(source, observe=seen.__setitem__)
    return seen["memory"]


def rotation() -> dict[str, float]:
    """Check that the product of two encodings depends on their distance alone."""
    table = sinusoids(400, 64)
    products = [(table[start : start + 300] * table[start + 5 : start + 305]).sum(-1) for start in (0, 50)]
    spread = torch.stack(products).std().item()
    return {"same_distance_spread": spread, "distance_0": table[7].dot(table[7]).item()}


def draw(results: dict[str, float]) -> None:
    """Draw the encodings, their products by distance, and the accuracies."""
    figure, axes = panels(3, width=3.9)
    table = sinusoids(60, 64)
    image = axes[0].imshow(table, cmap="RdBu", aspect="auto", vmin=-1, vmax=1)
    axes[0].set(title="PE(pos, dimension)", xlabel="dimension", ylabel="position")
    axes[0].grid(visible=False)
    figure.colorbar(image, ax=axes[0])
    for start, style in ((0, "-"), (20, "--")):
        axes[1].plot(range(40), table[start : start + 40] @ table[start], style, label=f"pos = {start}")
    axes[1].set(title="PE(pos) · PE(pos + k)", xlabel="distance k in tokens", ylabel="dot product")
    axes[1].legend()
    bars = ("both", "no_decoder", "no_encoder", "none")
    labels = ("encoder and\ndecoder", "encoder\nonly", "decoder\nonly", "nowhere")
    axes[2].bar(labels, [results[f"exact_{name}"] for name in bars], color="#0b6e8f")
    axes[2].tick_params(axis="x", labelsize=8)
    axes[2].set(title="turning a sequence round", xlabel="positions in", ylabel="answers all right, %", ylim=(0, 100))
    save(figure, "02-positions")
