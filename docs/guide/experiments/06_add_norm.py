"""Chapter 6: gradients through a deep stack, and learning, with and without residual sum and norm."""

import torch
from torch import Tensor, nn

from ferryman.config import ModelConfig
from ferryman.model.build import build_encoder
from ferryman.model.layers import DecoderLayer, EncoderLayer
from ferryman.model.observe import Observer
from lab.figures import panels, save
from lab.tasks import TINY, as_it_is, pairs, tiny_model
from lab.training import exact, train

DEPTH, WIDTH = 12, 64
LENGTHS = range(3, 9)


class AddOnly(nn.Module):
    """x + Sublayer(x): no norm anywhere."""

    def before(self, x: Tensor, observe: Observer | None = None) -> Tensor:
        """Return x as it is."""
        return x

    def after(self, x: Tensor, sublayer: Tensor, observe: Observer | None = None) -> Tensor:
        """Add."""
        return x + sublayer


class NormOnly(nn.Module):
    """LayerNorm(Sublayer(x)): no residual sum."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)

    def before(self, x: Tensor, observe: Observer | None = None) -> Tensor:
        """Return x as it is."""
        return x

    def after(self, x: Tensor, sublayer: Tensor, observe: Observer | None = None) -> Tensor:
        """Normalise the sub-layer's output; x is forgotten."""
        normed: Tensor = self.norm(sublayer)
        return normed


class Neither(AddOnly):
    """Sublayer(x) alone."""

    def after(self, x: Tensor, sublayer: Tensor, observe: Observer | None = None) -> Tensor:
        """Return the sub-layer's output."""
        return sublayer


VARIANTS: dict[str, tuple[str, type[nn.Module] | None]] = {
    "post": ("post", None),
    "pre": ("pre", None),
    "add_only": ("post", AddOnly),
    "norm_only": ("post", NormOnly),
    "neither": ("post", Neither),
}
LABELS = {
    "post": "Add & Norm, the paper's order",
    "pre": "norm first (pre-norm)",
    "add_only": "residual sum, no norm",
    "norm_only": "norm, no residual sum",
    "neither": "neither",
}


def run(short: bool) -> dict[str, float]:
    """Measure gradients in untrained stacks and losses in training; draw both."""
    results: dict[str, float] = {}
    gradients, losses = {}, {}
    for name in VARIANTS:
        gradients[name], alike = flow(name)
        results[f"first_to_last_{name}"] = gradients[name][0] / gradients[name][-1]
        results[f"alike_{name}"] = alike
    test = pairs(20 if short else 300, LENGTHS, seed=2, answer=as_it_is)
    for name in VARIANTS:
        model = tiny_model(encoder_layers=6, decoder_layers=2, norm_order=VARIANTS[name][0])
        change(model, name)
        data = pairs(20_000, LENGTHS, seed=1, answer=as_it_is)
        losses[name] = train(model, data, 3 if short else 250, learning_rate=2e-3, batch_tokens=256)
        results[f"loss_{name}"] = sum(losses[name][-20:]) / len(losses[name][-20:])
        results[f"exact_{name}"] = exact(model, test)
    if not short:
        draw(gradients, losses)
    return results


def change(model: nn.Module, name: str) -> None:
    """Replace Add & Norm around every sub-layer."""
    kind = VARIANTS[name][1]
    if kind is None:
        return
    for layer in model.modules():
        if isinstance(layer, EncoderLayer | DecoderLayer):
            for part, _ in list(layer.named_children()):
                if part.endswith("_norm"):
                    setattr(layer, part, kind())


def flow(name: str) -> tuple[list[float], float]:
    """Measure the gradient's norm at each layer's output in an untrained encoder, and how alike its outputs are.

    The likeness is the mean cosine between the outputs of two positions.
    """
    torch.manual_seed(1)
    config = ModelConfig.model_validate({**TINY, "encoder_layers": DEPTH, "norm_order": VARIANTS[name][0]})
    encoder = build_encoder(config)
    change(encoder, name)
    x = torch.randn(16, 10, WIDTH)
    hidden = []
    for layer in encoder.layers:
        x = layer(x.requires_grad_(), None)
        x.retain_grad()
        hidden.append(x)
    (x * torch.randn_like(x)).sum().backward()
    unit = nn.functional.normalize(x.detach(), dim=-1)
    alike = (unit @ unit.transpose(1, 2)).masked_select(~torch.eye(10, dtype=torch.bool)).mean().item()
    return [one.grad.norm().item() for one in hidden if one.grad is not None], alike


def draw(gradients: dict[str, list[float]], losses: dict[str, list[float]]) -> None:
    """Draw gradients by layer and losses by step."""
    figure, axes = panels(2, width=4.8, height=3.8)
    for name, label in LABELS.items():
        axes[0].plot(range(1, DEPTH + 1), gradients[name], "o-", markersize=3, label=label)
        smooth = torch.tensor(losses[name]).unfold(0, 10, 5).mean(-1)
        axes[1].plot([5 + 5 * index for index in range(len(smooth))], smooth, label=label)
    axes[0].set(title="gradient at each layer's output, untrained", xlabel="encoder layer", ylabel="norm", yscale="log")
    axes[1].set(title="learning to copy, 6 + 2 layers", xlabel="step", ylabel="loss, nats/token", yscale="log")
    axes[0].legend(fontsize=7)
    save(figure, "06-add-norm")
