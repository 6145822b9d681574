"""Chapter 12: attention as information: entropy, alignment, a bottleneck; and what attention does not explain."""

import random
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ferryman import Translator
from ferryman.corpus.phrasebook import AlignedPair
from ferryman.explain import alignment_error, layer_head_aer
from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.tasks import pairs, tiny_model
from lab.training import collate, exact, train
from lab.translator import encoded, phrasebook, translator

LENGTHS = range(2, 11)


def run(short: bool) -> dict[str, float]:
    """Measure entropy, alignment error, what hiding a word does, and how much fits through one vector."""
    good, count = translator(short), 4 if short else 200
    layers, heads = good.model.config.decoder_layers, good.model.config.heads
    error = 100 * torch.from_numpy(layer_head_aer(good, phrasebook("test", 300)[:count]))
    bits = entropies(good, count)
    best = divmod(int(error.argmin()), heads)
    results = {
        "aer_best": error.min().item(),
        "aer_best_layer": best[0] + 1,
        "aer_best_head": best[1] + 1,
        "aer_worst": error.max().item(),
        "aer_floor": 100 * floor(phrasebook("test", 300)[:count]),
        "aer_of_mean": 100 * alignment_error(good, phrasebook("test", 300)[:count]),
        "bits_best": bits[best].item(),
        "bits_sharpest": bits.min().item(),
        "aer_of_sharpest": error.flatten()[bits.argmin()].item(),
        "bits_uniform": sum(len(source) + 1 for source, _ in encoded("test", 300)[:count]) / count,
        **{f"aer_{a + 1}_{b + 1}": error[a, b].item() for a in range(layers) for b in range(heads)},
        **{f"bits_{a + 1}_{b + 1}": bits[a, b].item() for a in range(layers) for b in range(heads)},
        **hide(good, count),
    }
    results["bits_uniform"] = torch.tensor(results["bits_uniform"]).log2().item()
    by_length = {name: squeeze(name == "one", short) for name in ("all", "one")}
    for name, right in by_length.items():
        results |= {f"{name}_vectors_{length}": right[length] for length in LENGTHS}
    if not short:
        draw(error, bits, by_length)
    return results


def floor(data: Sequence[AlignedPair]) -> float:
    """Compute the lowest error rate that one link for each target word allows."""
    linked = sum(len({target for _, target in pair.alignment}) for pair in data)
    return 1 - 2 * linked / sum(len(pair.target_words) + len(pair.alignment) for pair in data)


@torch.inference_mode()
def entropies(good: Translator, count: int) -> Tensor:
    """Return the mean entropy of encoder-decoder attention in bits: (layers, heads)."""
    found: list[Tensor] = []
    for pair in encoded("test", 300)[:count]:
        batch, seen = collate([pair], good.symbols), dict[str, Tensor]()
        good.model.decode(batch.target_in, good.model.encode(batch.source), seen.__setitem__)
        layers = range(good.model.config.decoder_layers)
        weights = torch.stack([seen[f"decoder.{layer}.cross_attention.weights"][0] for layer in layers])
        found.append(-(weights * weights.clamp_min(1e-30).log2()).sum(-1).mean(-1))
    return torch.stack(found).mean(0)


@torch.inference_mode()
def hide(good: Translator, count: int) -> dict[str, float]:
    """Hide one source position at a time from the decoder; see whether the token said changes.

    The memory stays what it was. Compared are the position attended to most (mean over layers and heads), one drawn at
    random, and the one whose hiding takes most from the token's log-probability.
    """
    chance = random.Random(1)
    changed = {"top": 0, "random": 0, "any": 0}
    agreed = tokens = 0
    for source, _ in encoded("test", 300)[:count]:
        hidden, weights = hiding(good.model, source, good)
        said = hidden[0].argmax(-1)
        top = weights.argmax(-1)
        without = hidden[1:]  # (hidden position, target position, vocab)
        differs = without.argmax(-1) != said
        loss = -without.gather(-1, said.expand(len(without), -1)[..., None])[..., 0]
        for place in range(len(said)):
            changed["top"] += int(differs[top[place], place])
            changed["random"] += int(differs[chance.randrange(len(without)), place])
            changed["any"] += int(differs[:, place].any())
            agreed += int(loss[:, place].argmax() == top[place])
            tokens += 1
    shares = {f"changed_by_{name}": 100 * number / tokens for name, number in changed.items()}
    return {**shares, "most_attended_matters_most": 100 * agreed / tokens}


def hiding(model: Transformer, source: list[int], good: Translator) -> tuple[Tensor, Tensor]:
    """Return log-probabilities with nothing hidden and with each position hidden, and the attention: (tgt, src)."""
    said = good.searcher.search([source], good.config.decoding)[0][0].tokens
    batch, seen = collate([(source, list(said[:-1]))], good.symbols), dict[str, Tensor]()
    model.decode(batch.target_in, model.encode(batch.source), seen.__setitem__)
    weights = torch.stack([value[0].mean(0) for name, value in seen.items() if "cross_attention.weights" in name])
    length = batch.source.size(1)
    visible = torch.cat((torch.ones(1, length, dtype=torch.bool), ~torch.eye(length, dtype=torch.bool)))
    rows = length + 1
    model.encode(batch.source, observe=seen.__setitem__)
    state = model.decoder.start(seen["memory"].expand(rows, -1, -1), visible[:, None, None, :])
    outputs, _ = model.decode(batch.target_in.expand(rows, -1), state)
    return model.project(outputs).log_softmax(-1), weights.mean(0)


def squeeze(one: bool, short: bool) -> dict[int, float]:
    """Train to turn sequences round, with the whole memory or with the mean of its rows; test by length."""
    model = tiny_model()
    if one:
        model.encoder.register_forward_hook(averaged)
    train(model, pairs(20_000, LENGTHS, seed=1), 3 if short else 500)
    return {length: exact(model, pairs(10 if short else 150, [length], seed=length)) for length in LENGTHS}


def averaged(encoder: nn.Module, inputs: tuple[Tensor, Tensor | None], memory: Tensor) -> Tensor:
    """Put the mean of the real rows in the place of each."""
    mask = inputs[1]
    real = torch.ones(memory.shape[:2]) if mask is None else mask[:, 0, 0].float()
    mean = (memory * real[..., None]).sum(1, keepdim=True) / real.sum(1)[:, None, None]
    return mean.expand_as(memory)


def draw(error: Tensor, bits: Tensor, by_length: dict[str, dict[int, float]]) -> None:
    """Draw alignment error by head against entropy, and accuracy by length."""
    figure, axes = panels(2, width=4.6, height=3.6)
    for layer, (row, entropy) in enumerate(zip(error.tolist(), bits.tolist(), strict=True), start=1):
        axes[0].scatter(entropy, row, label=f"decoder layer {layer}")
        for head, (x, y) in enumerate(zip(entropy, row, strict=True), start=1):
            axes[0].annotate(f"{head}", (x, y), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    axes[0].set(
        title="encoder–decoder attention, heads 1 to 4", xlabel="mean entropy, bits", ylabel="alignment error rate, %"
    )
    axes[0].set(ylim=(0, 50))
    axes[0].legend(fontsize=8, loc="lower left")
    for name, label in (("all", "a vector a token"), ("one", "one vector for all")):
        axes[1].plot(list(LENGTHS), [by_length[name][length] for length in LENGTHS], "o-", label=label)
    axes[1].set(
        title="turning a sequence round", xlabel="length in symbols", ylabel="answers all right, %", ylim=(-3, 103)
    )
    axes[1].legend(fontsize=8)
    save(figure, "12-information")
