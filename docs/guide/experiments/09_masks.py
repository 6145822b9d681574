"""Chapter 9: what the causal mask prevents, and where padding still has to be hidden."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ferryman.data.batch import pad_rows
from ferryman.decoding.greedy import greedy_search
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.model.layers import DecoderLayer
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.tasks import Pair, pairs, tiny_model
from lab.training import collate, exact, loss, train
from lab.translator import encoded, tokenizers, translator

LENGTHS = range(3, 9)
PADS = (0, 2, 5, 10, 20)


def run(short: bool) -> dict[str, float]:
    """Train with the causal mask and without; pad sources with the padding mask and without."""
    torch.manual_seed(1)
    results: dict[str, float] = {}
    test = pairs(20 if short else 300, LENGTHS, seed=2)
    for name in ("masked", "unmasked"):
        model = tiny_model()
        if name == "unmasked":
            unmask(model)
        train(model, pairs(20_000, LENGTHS, seed=1), 3 if short else 400)
        results[f"loss_{name}"] = loss(model, test)
        results[f"exact_{name}"] = exact(model, test)
    model, data = translator(short).model, encoded("test", 300)[: 20 if short else 300]
    results |= {
        **future(model, data),
        **target_padding(model, data),
        "pad_attention_10": pad_attention(model, data, 10),
    }
    for pads in PADS:
        results[f"right_unmasked_{pads}"] = padded(model, data, pads, masked=False)
    results["right_masked_20"] = padded(model, data, 20, masked=True)
    if not short:
        draw(model, data, results)
    return results


def unmask(model: Transformer) -> None:
    """Let the decoder's self-attention see what comes after."""

    def forget(attention: nn.Module, inputs: tuple[object, ...]) -> tuple[object, ...]:
        return *inputs[:3], None, *inputs[4:]

    for layer in model.modules():
        if isinstance(layer, DecoderLayer):
            layer.self_attention.register_forward_pre_hook(forget)


@torch.inference_mode()
def future(model: Transformer, data: list[Pair]) -> dict[str, float]:
    """Change the tokens after a position; measure what changes in the logits up to it."""
    batch = collate(data[:1], tokenizers().symbols("bos"))
    changed = batch.target_in.clone()
    changed[:, 4:] = changed[:, 4:].flip(1)
    before, after = (model(batch.source, one) for one in (batch.target_in, changed))
    moved = (before - after).abs().amax(-1)[0]
    return {"past_change": moved[:4].max().item(), "later_change": moved[4:].max().item()}


@torch.inference_mode()
def target_padding(model: Transformer, data: list[Pair]) -> dict[str, float]:
    """Write random tokens over the target's padding; measure what changes at real positions."""
    batch = collate(data[:40], tokenizers().symbols("bos"))
    real = batch.target_real
    if real is None:
        raise ValueError("nothing of this batch is padded")
    noise = torch.where(real, batch.target_in, torch.randint(10, 500, batch.target_in.shape))
    before, after = (model(batch.source, one, batch.source_real) for one in (batch.target_in, noise))
    return {"target_padding_change": (before - after).abs()[real].max().item()}


def padded(model: Transformer, data: list[Pair], pads: int, *, masked: bool) -> float:
    """Put padding behind every source, hidden or not; tell how many of a hundred translations are right."""
    symbols = tokenizers().symbols("bos")
    right = 0
    for source, target in data:
        ids, _ = pad_rows([source], pad=symbols.pad, last=symbols.eos)
        ids = F.pad(ids, (0, pads), value=symbols.pad)
        stepper = TorchStepper(model, ids, ids != symbols.pad if masked else None)
        limit = torch.tensor([2 * len(source) + 10])
        found = greedy_search(stepper, max_lengths=limit, bos=symbols.start, eos=symbols.eos)[0]
        right += list(found.tokens) == [*target, symbols.eos]
    return 100 * right / len(data)


@torch.inference_mode()
def pad_attention(model: Transformer, data: list[Pair], pads: int) -> float:
    """Tell how much of the encoder-decoder attention goes to unhidden padding, in percent."""
    symbols, shares = tokenizers().symbols("bos"), []
    for pair in data[:100]:
        batch = collate([pair], symbols)
        ids = F.pad(batch.source, (0, pads), value=symbols.pad)

        def observe(name: str, tensor: Tensor) -> None:
            if name.endswith("cross_attention.weights"):
                shares.append(tensor[..., -pads:].sum(-1).mean().item())

        model.decode(batch.target_in, model.encode(ids), observe)
    return 100 * sum(shares) / len(shares)


@torch.inference_mode()
def draw(model: Transformer, data: list[Pair], results: dict[str, float]) -> None:
    """Draw the masked self-attention of one sentence, and the damage that unhidden padding does."""
    symbols, cut = tokenizers().symbols("bos"), tokenizers().target
    batch = collate(data[1:2], symbols)
    seen: dict[str, Tensor] = {}
    model.decode(batch.target_in, model.encode(batch.source), seen.__setitem__)
    weights = seen["decoder.0.self_attention.weights"][0].mean(0)
    pieces = ["start", *(piece.replace("▁", "") for piece in cut.pieces(batch.target_in[0, 1:].tolist()))]
    figure, axes = panels(2, width=4.6, height=4.0)
    image = axes[0].imshow(weights, cmap="Blues", vmin=0)
    axes[0].grid(visible=False)
    axes[0].set_xticks(range(len(pieces)), pieces, rotation=60, ha="right", fontsize=8)
    axes[0].set_yticks(range(len(pieces)), pieces, fontsize=8)
    axes[0].set(title="decoder self-attention, layer 1, mean of heads", xlabel="key", ylabel="query")
    figure.colorbar(image, ax=axes[0], shrink=0.7, label="weight")
    axes[1].plot(PADS, [results[f"right_unmasked_{pads}"] for pads in PADS], "o-", label="padding not hidden")
    axes[1].axhline(results["right_masked_20"], color="#3c8031", label="padding mask")
    axes[1].set(
        title="padding behind the source", xlabel="padding tokens", ylabel="translations right, %", ylim=(0, 100)
    )
    axes[1].legend(fontsize=8)
    save(figure, "09-masks")
