"""Chapter 7: what the feed-forward layer is worth, by its width."""

import torch
from torch import Tensor, nn

from ferryman.config import ModelConfig
from ferryman.model.attention import MultiHeadAttention
from ferryman.model.cost import layer_weights
from ferryman.model.feed_forward import FeedForward
from ferryman.model.layers import DecoderLayer, EncoderLayer
from ferryman.model.observe import Observer
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.training import collate, exact, loss
from lab.translator import COMPARED_STEPS, compared_model, encoded, tokenizers, translator

WIDTHS = (0, 16, 64, 256)


class Nothing(nn.Module):
    """Stands where a sub-layer was and adds nothing to the residual sum."""

    def forward(self, x: Tensor, observe: Observer | None = None) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(x)


def run(short: bool) -> dict[str, float]:
    """Train with feed-forward layers of several widths and without; look into those of the guide's translator."""
    symbols, test = tokenizers().symbols("bos"), encoded("test", 20 if short else 300)
    results = {"share_of_encoder_layer": share(), **position_wise()}
    for width in WIDTHS:
        change = take_away if width == 0 else keep
        model = compared_model(short, change=change, d_ff=max(width, 1))
        results[f"loss_{width}"] = loss(model, test, symbols)
        results[f"exact_{width}"] = exact(model, test, symbols)
    trained = translator(short).model
    zeros = silent(trained)
    results |= {f"silent_{index}": share for index, share in enumerate(zeros)}
    results["whole_exact"] = exact(trained, test, symbols)
    copy = Transformer(trained.source_table.size(0), trained.target_table.size(0), trained.config)
    copy.load_state_dict(trained.state_dict())
    take_away(copy)
    results["exact_taken_away"] = exact(copy, test, symbols)
    if not short:
        draw(results)
    return results


def share() -> float:
    """Tell how much of the weights of an encoder layer of ``base`` the feed-forward layer has, in percent."""
    config = ModelConfig()
    return 100 * 2 * config.d_model * config.d_ff / layer_weights(config)[0]


def keep(model: Transformer) -> None:
    """Change nothing."""


def take_away(model: Transformer) -> None:
    """Replace every feed-forward layer by nothing."""
    for layer in model.modules():
        if isinstance(layer, EncoderLayer | DecoderLayer):
            layer.feed_forward = Nothing()  # type: ignore[assignment]


@torch.inference_mode()
def position_wise() -> dict[str, float]:
    """Change one position; measure the change at the others, after feed-forward and after attention."""
    torch.manual_seed(1)
    x = torch.randn(1, 9, 64)
    changed = x.clone()
    changed[:, 4] = torch.randn(64)
    others = torch.arange(9) != 4
    feed, attention = FeedForward(64, 256), MultiHeadAttention(64, 4)
    before, after = ((feed(one), attention(*attention.project(one))) for one in (x, changed))
    moved = [(one - other)[:, others].abs().max().item() for one, other in zip(before, after, strict=True)]
    return {"others_change_feed_forward": moved[0], "others_change_attention": moved[1]}


@torch.inference_mode()
def silent(model: Transformer) -> list[float]:
    """Tell how many of a hundred hidden values are 0, in each feed-forward layer: encoder first."""
    batch, seen = collate(encoded("test", 50), tokenizers().symbols("bos")), []

    def observe(name: str, tensor: Tensor) -> None:
        if name.endswith("feed_forward.hidden"):
            real = batch.source_real if name.startswith("encoder") else batch.target_real
            seen.append(100 * (tensor[real] == 0).float().mean().item())

    model.eval().decode(batch.target_in, model.encode(batch.source, batch.source_real, observe), observe)
    return seen


def draw(results: dict[str, float]) -> None:
    """Draw the loss by width, and how many hidden units are silent."""
    figure, axes = panels(2)
    labels = ["none" if width == 0 else str(width) for width in WIDTHS]
    axes[0].bar(labels, [results[f"loss_{width}"] for width in WIDTHS], color="#0b6e8f")
    axes[0].set(
        title=f"trained for {COMPARED_STEPS} steps", xlabel="d_ff (d_model = 64)", ylabel="test loss, nats/token"
    )
    layers = ("encoder 1", "encoder 2", "decoder 1", "decoder 2")
    axes[1].bar(layers, [results[f"silent_{index}"] for index in range(4)], color="#c4541a")
    axes[1].set(title="hidden values that are exactly 0", ylabel="% of the values", ylim=(0, 100))
    axes[1].tick_params(axis="x", labelsize=8)
    save(figure, "07-feed-forward")
