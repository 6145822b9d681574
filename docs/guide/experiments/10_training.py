"""Chapter 10: teacher forcing, cross-entropy, and what happens on the model's own words."""

import math
import random

import torch
from torch import Tensor

from ferryman.config import Config
from ferryman.model.transformer import Transformer
from ferryman.training.loss import smoothed_cross_entropy
from ferryman.training.update import batch_loss
from lab.figures import panels, save
from lab.tasks import Pair
from lab.training import answers, collate, exact, loss
from lab.translator import CONFIG, encoded, new_model, phrasebook_model, tokenizers, translator

STEPS = 250
AFTER = (1, 2, 3, 4)


def run(short: bool) -> dict[str, float]:
    """Measure the first loss, one pass against many steps, the floor of smoothing, and how mistakes spread."""
    symbols, test = tokenizers().symbols("bos"), encoded("test", 300)[: 20 if short else 300]
    vocab = tokenizers().target.vocab_size
    untrained = new_model(Config.model_validate(CONFIG), tokenizers())
    model = phrasebook_model(2 if short else STEPS)
    results = {
        "uniform_loss": math.log(vocab),
        "first_loss": loss(untrained, test, symbols),
        "one_pass_difference": one_pass(model, test),
        "smoothing_floor": floor(vocab, 0.1),
        "mean_top_probability": 100 * confidence(translator(short).model, test),
        "loss": loss(model, test, symbols),
        "exact": exact(model, test, symbols),
    }
    forced, free = right_tokens(model, test), free_tokens(model, test)
    results |= {"forced_right": 100 * mean(forced), "free_right": 100 * mean(free)}
    unharmed, harmed = recovery(model, test)
    results |= {f"right_after_mistake_{n}": 100 * harmed[n - 1] for n in AFTER}
    results |= {f"right_without_mistake_{n}": 100 * unharmed[n - 1] for n in AFTER}
    if not short:
        draw(forced, free, unharmed, harmed)
    return results


@torch.inference_mode()
def one_pass(model: Transformer, test: list[Pair]) -> float:
    """Compute the loss of sentences token by token and in one pass; return the difference in nats a token."""
    symbols, total, tokens = tokenizers().symbols("bos"), 0.0, 0
    for pair in test[:20]:
        batch = collate([pair], symbols)
        state = model.encode(batch.source)
        for position in range(batch.target_in.size(1)):
            hidden, state = model.decode(batch.target_in[:, position : position + 1], state)
            total += smoothed_cross_entropy(model.project(hidden)[0], batch.target_out[0, position][None], 0.0)[
                1
            ].item()
        tokens += batch.target_tokens
    batch = collate(test[:20], symbols)
    return abs(total - batch_loss(model, batch, 0.0)[1].item()) / tokens


def floor(vocab: int, smoothing: float) -> float:
    """Compute the lowest loss that label smoothing allows: the entropy of the smoothed target, in nats."""
    right, other = 1 - smoothing + smoothing / vocab, smoothing / vocab
    return -right * math.log(right) - (vocab - 1) * other * math.log(other)


@torch.inference_mode()
def logits_of(model: Transformer, data: list[Pair], target_in: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Run the decoder on the right tokens, or on others; return logits, right answers, and which are real."""
    batch = collate(data, tokenizers().symbols("bos"))
    logits = model.eval()(batch.source, batch.target_in if target_in is None else target_in, batch.source_real)
    real = torch.ones_like(batch.target_out, dtype=torch.bool) if batch.target_real is None else batch.target_real
    return logits, batch.target_out, real


def confidence(model: Transformer, data: list[Pair]) -> float:
    """Return the mean probability of the likeliest token."""
    logits, _, real = logits_of(model, data)
    return logits.softmax(-1).amax(-1)[real].mean().item()


def right_tokens(model: Transformer, data: list[Pair]) -> list[float]:
    """Tell by position how often the next token is right when all before it are given."""
    logits, gold, real = logits_of(model, data)
    right = (logits.argmax(-1) == gold) & real
    return (right.sum(0) / real.sum(0).clamp_min(1))[:14].tolist()


def free_tokens(model: Transformer, data: list[Pair]) -> list[float]:
    """Tell by position how often the token is right when the model goes on from its own tokens."""
    symbols = tokenizers().symbols("bos")
    said = answers(model, [source for source, _ in data], symbols)
    _, gold, real = logits_of(model, data)
    own = torch.full_like(gold, -1)
    for row, tokens in enumerate(said):
        kept = torch.tensor([*tokens, symbols.eos][: gold.size(1)])
        own[row, : len(kept)] = kept
    right = (own == gold) & real
    return (right.sum(0) / real.sum(0).clamp_min(1))[:14].tolist()


def recovery(model: Transformer, data: list[Pair]) -> tuple[list[float], list[float]]:
    """Give the decoder one wrong token; tell how often it is right 1 to 4 tokens later, without and with it."""
    chance = random.Random(1)
    batch = collate(data, tokenizers().symbols("bos"))
    wrong = batch.target_in.clone()
    places = torch.tensor([chance.randrange(1, max(2, len(target) - 4)) for _, target in data])
    rows = torch.arange(len(data))
    wrong[rows, places] = torch.tensor([chance.choice(chance.choice(data)[1]) for _ in data])
    found = []
    for target_in in (batch.target_in, wrong):
        logits, gold, real = logits_of(model, data, target_in)
        right = logits.argmax(-1) == gold
        at = [(places + n - 1).clamp_max(gold.size(1) - 1) for n in AFTER]
        found.append([right[rows, one][real[rows, one]].float().mean().item() for one in at])
    return found[0], found[1]


def mean(values: list[float]) -> float:
    """Average."""
    return sum(values) / len(values)


def draw(forced: list[float], free: list[float], unharmed: list[float], harmed: list[float]) -> None:
    """Draw accuracy by position, and after one wrong token."""
    figure, axes = panels(2)
    for values, label in ((forced, "right tokens given"), (free, "its own tokens")):
        axes[0].plot(range(1, len(values) + 1), [100 * value for value in values], "o-", markersize=3, label=label)
    axes[0].set(
        title="teacher forcing and on its own", xlabel="target position", ylabel="tokens right, %", ylim=(0, 100)
    )
    axes[0].legend(fontsize=8)
    for values, label in ((unharmed, "right tokens before"), (harmed, "one wrong token before")):
        axes[1].plot(AFTER, [100 * value for value in values], "o-", label=label)
    axes[1].set(
        title="after one wrong token", xlabel="tokens later", ylabel="tokens right, %", ylim=(0, 100), xticks=AFTER
    )
    axes[1].legend(fontsize=8)
    save(figure, "10-training")
