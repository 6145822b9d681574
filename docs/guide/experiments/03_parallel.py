"""Chapter 3: self-attention against a recurrence: one pass or many steps, time, and how far a signal travels."""

import torch
from torch import Tensor, nn

from ferryman.config import ModelConfig
from ferryman.model.build import build_encoder
from ferryman.model.layers import Encoder
from lab.figures import panels, save
from lab.tasks import VOCAB, tiny_model
from lab.timing import ratio

WIDTH = 128
SHAPE = ModelConfig(d_model=WIDTH, d_ff=2 * WIDTH, heads=4, encoder_layers=1, dropout=0.0, norm_order="pre")


def run(short: bool) -> dict[str, float]:
    """Measure; draw time by length and gradient by distance."""
    torch.manual_seed(1)
    encoder = build_encoder(SHAPE)
    lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
    lengths = (16, 32) if short else (32, 128, 512, 2048)
    ratios = [compare(encoder, lstm, length) for length in lengths]
    reached = [reach(one, 30 if short else 100) for one in (lambda x: encoder(x, None), lambda x: lstm(x)[0])]
    results = {
        **one_pass(16 if short else 96),
        **{f"lstm_time_{length}": found for length, found in zip(lengths, ratios, strict=True)},
        **{f"lstm_gradient_{distance}": reached[1][distance] for distance in (1, 10, 20)},
        **{f"attention_gradient_{distance}": reached[0][distance] for distance in (1, 10, 20)},
    }
    if not short:
        results["attention_gradient_99"] = reached[0][99]
        draw(lengths, ratios, reached)
    return results


def compare(encoder: Encoder, lstm: nn.LSTM, length: int) -> float:
    """Time a training pass of an LSTM layer over one of self-attention and feed-forward, one thread."""
    x = torch.randn(4, length, WIDTH)
    rounds = 3 if length > 128 else 15
    return ratio(lambda: lstm(x)[0].sum().backward(), lambda: encoder(x, None).sum().backward(), rounds)


@torch.inference_mode()
def one_pass(length: int) -> dict[str, float]:
    """Run a decoder over known tokens in one pass and token by token: the same result, not the same time."""
    model = tiny_model().eval()
    source, target_in = torch.randint(4, VOCAB, (8, length)), torch.randint(4, VOCAB, (8, length))

    def at_once() -> Tensor:
        return model(source, target_in)

    def one_by_one() -> Tensor:
        state, rows = model.encode(source), []
        for position in range(length):
            hidden, state = model.decode(target_in[:, position : position + 1], state)
            rows.append(model.project(hidden))
        return torch.cat(rows, dim=1)

    difference = (at_once() - one_by_one()).abs().max().item()
    return {"steps": length, "one_pass_difference": difference, "step_by_step_time": ratio(one_by_one, at_once)}


def reach(layer: object, length: int) -> list[float]:
    """Measure how strongly the last output depends on each input, over how it depends on its own; by distance."""
    x = torch.randn(32, length, WIDTH, requires_grad=True)
    output = layer(x)[:, -1]  # type: ignore[operator]
    (gradient,) = torch.autograd.grad((output * torch.randn_like(output)).sum(), x)
    strength = gradient.norm(dim=-1).mean(0).flip(0)
    return (strength / strength[0]).tolist()


def draw(lengths: tuple[int, ...], ratios: list[float], reached: list[list[float]]) -> None:
    """Draw both comparisons."""
    figure, axes = panels(2, width=4.6)
    axes[0].plot(lengths, ratios, "o-")
    axes[0].axhline(1, color="#666666", linewidth=1)
    axes[0].set(xscale="log", title="LSTM layer / Transformer layer, one core", xlabel="length in tokens")
    axes[0].set(ylabel="time ratio (above 1: LSTM slower)", ylim=(0, None), xticks=lengths)
    axes[0].set_xticklabels([str(length) for length in lengths])
    axes[0].minorticks_off()
    for name, values in zip(("self-attention", "LSTM"), reached, strict=True):
        axes[1].plot(range(len(values)), values, label=name)
    axes[1].set(yscale="log", title="how far a signal travels, untrained", xlabel="distance in tokens")
    axes[1].set(ylabel="|∂ last output / ∂ input|, relative")
    axes[1].legend()
    save(figure, "03-parallel")
