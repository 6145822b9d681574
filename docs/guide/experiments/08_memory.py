"""Chapter 8: what stands in the memory, and what the translator loses without it."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ferryman.model.transformer import Transformer
from lab.figures import panels, save
from lab.tasks import Pair
from lab.timing import ratio
from lab.training import collate, loss
from lab.translator import encoded, tokenizers, translator

STAGES = {
    "embedding": "source_embedding.sum",
    "layer_1": "encoder.0.feed_forward.residual",
    "memory": "memory",
}
ASKED = {"itself": 0, "before": -1, "after": 1}


def run(short: bool) -> dict[str, float]:
    """Probe the memory row by row; shuffle it; put the embedding in its place."""
    torch.manual_seed(1)
    model, symbols = translator(short).model, tokenizers().symbols("bos")
    learned, test = encoded("train", 16_000)[: 60 if short else 2_000], encoded("test", 300)[: 20 if short else 300]
    results = probe(model, learned, test)
    batch = collate(test, symbols)
    with torch.inference_mode():
        state = model.encode(batch.source[:1])
        order = torch.randperm(batch.source.size(1))
        moved = model.decoder.start(memory_of(model, batch.source[:1])[:, order], None)
        said = [model.project(model.decode(batch.target_in[:1], one)[0]) for one in (state, moved)]
    results |= {
        "shuffled_rows_difference": (said[0] - said[1]).abs().max().item(),
        "loss_memory": loss(model, test, symbols),
        "loss_embedding": loss(without_encoder(model), test, symbols),
        "encode_every_step_time": repeated(model, test),
    }
    if not short:
        draw(results)
    return results


def memory_of(model: Transformer, source: Tensor) -> Tensor:
    """Observe the encoder's output."""
    seen: dict[str, Tensor] = {}
    model.eval().encode(source, observe=seen.__setitem__)
    return seen["memory"]


def probe(model: Transformer, learned: list[Pair], test: list[Pair]) -> dict[str, float]:
    """Guess a token and its neighbours from one vector of its position, by linear regression to one-hot vectors."""
    vectors, tokens = observed(model, learned)
    test_vectors, test_tokens = observed(model, test)
    results = {}
    for stage in STAGES:
        x = vectors[stage]
        inverse = torch.linalg.inv(x.T @ x + 1e-3 * len(x) * torch.eye(x.size(1)))
        for name in ASKED:
            answers = F.one_hot(tokens[name], model.source_table.size(0)).float()
            guess = (test_vectors[stage] @ (inverse @ (x.T @ answers))).argmax(-1)
            results[f"{stage}_knows_{name}"] = 100 * (guess == test_tokens[name]).float().mean().item()
    common = tokens["itself"].mode().values
    results["commonest_token"] = 100 * (test_tokens["itself"] == common).float().mean().item()
    return results


@torch.inference_mode()
def observed(model: Transformer, data: list[Pair]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Collect the vectors of all inner positions at every stage, and the tokens at, before and after these."""
    batch = collate(data, tokenizers().symbols("bos"))
    seen: dict[str, Tensor] = {}
    model.eval().encode(batch.source, batch.source_real, seen.__setitem__)
    inner = torch.ones_like(batch.source, dtype=torch.bool) if batch.source_real is None else batch.source_real.clone()
    inner[:, :-1] &= inner[:, 1:]  # the end symbol has nothing after it
    inner[:, 0] = inner[:, -1] = False
    vectors = {
        stage: torch.cat((seen[name][inner], torch.ones(int(inner.sum()), 1)), dim=1) for stage, name in STAGES.items()
    }
    return vectors, {name: batch.source.roll(-shift, 1)[inner] for name, shift in ASKED.items()}


def without_encoder(model: Transformer) -> Transformer:
    """Copy a model and let the embedded source stand for the memory."""
    copy = Transformer(model.source_table.size(0), model.target_table.size(0), model.config)
    copy.load_state_dict(model.state_dict())
    copy.encoder.layers = torch.nn.ModuleList()
    return copy.eval()


@torch.inference_mode()
def repeated(model: Transformer, test: list[Pair]) -> float:
    """Compare decoding with the encoder run once and with the encoder run anew for each token."""
    batch = collate(test[:20], tokenizers().symbols("bos"))
    steps = batch.target_in.size(1)

    def decode() -> None:
        state = model.encode(batch.source, batch.source_real)
        for step in range(steps):
            _, state = model.decode(batch.target_in[:, step : step + 1], state)

    def encode_too() -> None:
        for _ in range(steps - 1):
            model.encode(batch.source, batch.source_real)
        decode()

    return ratio(encode_too, decode)


def draw(results: dict[str, float]) -> None:
    """Draw what a vector knows, stage by stage."""
    figure, axes = panels(1, width=6.5)
    labels = ("the token itself", "the one before", "the one after")
    for index, (name, label) in enumerate(zip(ASKED, labels, strict=True)):
        places = [place + 0.27 * (index - 1) for place in range(len(STAGES))]
        axes[0].bar(places, [results[f"{stage}_knows_{name}"] for stage in STAGES], width=0.25, label=label)
    axes[0].set(title="what a linear probe reads in one vector", ylabel="tokens guessed right, %", ylim=(0, 100))
    axes[0].set_xticks(range(3), ["embedding + position", "after encoder layer 1", "memory (after layer 2)"])
    figure.legend(loc="outside lower center", ncols=3, fontsize=9)
    save(figure, "08-memory")
