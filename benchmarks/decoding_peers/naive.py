"""What one writes first: ``nn.Transformer``, and a loop that runs the decoder over the whole prefix at every step."""

import json
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from decoding_peers.conversion import OURS, SHAPE
from decoding_peers.protocol import EOS, Output, Search, Task, in_batches, serve

NAMES = {
    "self_attention.in_projection.weight": "self_attn.in_proj_weight",
    "self_attention.in_projection.bias": "self_attn.in_proj_bias",
    "self_attention.out_projection": "self_attn.out_proj",
    "cross_attention.in_projection.weight": "multihead_attn.in_proj_weight",
    "cross_attention.in_projection.bias": "multihead_attn.in_proj_bias",
    "cross_attention.out_projection": "multihead_attn.out_proj",
    "feed_forward.inner": "linear1",
    "feed_forward.outer": "linear2",
}
NORMS = {
    "encoder": ("self_attention_norm", "feed_forward_norm"),
    "decoder": ("self_attention_norm", "cross_attention_norm", "feed_forward_norm"),
}


class NaiveTransformer(nn.Module):
    """``nn.Transformer`` with tied embeddings and sinusoids."""

    def __init__(self, shape: dict[str, int]) -> None:
        super().__init__()
        width, layers = shape["d_model"], (shape["encoder_layers"], shape["decoder_layers"])
        self.embedding = nn.Embedding(shape["vocab"], width)
        self.bias = nn.Parameter(torch.zeros(shape["vocab"]))
        self.transformer = nn.Transformer(width, shape["heads"], *layers, shape["d_ff"], batch_first=True)
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        angles = torch.arange(1024)[:, None] * rates
        self.register_buffer("positions", torch.cat((angles.sin(), angles.cos()), dim=1), persistent=False)

    def embed(self, tokens: Tensor) -> Tensor:
        """Embed tokens and add their positions."""
        scale = math.sqrt(self.embedding.embedding_dim)
        return self.embedding(tokens) * scale + self.positions[: tokens.size(1)]

    def log_probs(self, tokens: Tensor, memory: Tensor, padding: Tensor) -> Tensor:
        """Compute the log-probabilities of the next token of every row."""
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1))
        hidden = self.transformer.decoder(
            self.embed(tokens), memory, tgt_mask=mask, memory_key_padding_mask=padding, tgt_is_causal=True
        )
        return (hidden[:, -1] @ self.embedding.weight.T + self.bias).log_softmax(dim=-1)


def renamed(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give our weights PyTorch's names."""
    names = {"target_table": "embedding.weight", "output_bias": "bias"}
    for name in weights.keys() - names.keys():
        stack, _, number, rest = name.split(".", 3)
        for old, new in NAMES.items():
            rest = rest.replace(old, new)
        for place, norm in enumerate(NORMS[stack], start=1):
            rest = rest.replace(f"{norm}.norm", f"norm{place}")
        names[name] = f"transformer.{stack}.layers.{number}.{rest}"
    return {names[name]: tensor for name, tensor in weights.items()}


@torch.inference_mode()
def beam_search(model: NaiveTransformer, source: Tensor, pad: int, beam: int) -> list[Output]:
    """Search with a beam, as textbooks do; 1 is greedy."""
    batch, bound = source.size(0), 2 * source.size(1) + 20
    padding = source == pad
    memory = model.transformer.encoder(model.embed(source), src_key_padding_mask=padding)
    memory, padding = memory.repeat_interleave(beam, 0), padding.repeat_interleave(beam, 0)
    tokens = torch.full((batch * beam, 1), pad)
    scores = torch.full((batch, beam), -math.inf)
    scores[:, 0] = 0.0
    best: list[Output] = [([], -math.inf)] * batch
    for _ in range(bound):
        log_probs = model.log_probs(tokens, memory, padding)
        totals = (scores[:, :, None] + log_probs.view(batch, beam, -1)).flatten(1)
        chosen, places = totals.topk(2 * beam)
        origins, words = places // log_probs.size(1), places % log_probs.size(1)
        for sentence in range(batch):
            for place in range(beam):
                score = float(chosen[sentence, place])
                if words[sentence, place] == EOS and score > best[sentence][1]:
                    row = sentence * beam + int(origins[sentence, place])
                    best[sentence] = (tokens[row, 1:].tolist(), score)
        going_on = (words == EOS).int().argsort(dim=1, stable=True)[:, :beam]
        scores, words = chosen.gather(1, going_on), words.gather(1, going_on)
        rows = origins.gather(1, going_on) + torch.arange(batch)[:, None] * beam
        tokens = torch.cat([tokens[rows.flatten()], words.flatten()[:, None]], dim=1)
        if all(
            ended[1] >= float(live) or (beam == 1 and ended[1] > -math.inf)
            for ended, live in zip(best, scores[:, 0], strict=True)
        ):
            break
    return best


def build(task: Task) -> Search:
    """Load the model."""
    torch.set_num_threads(task.threads)
    model = NaiveTransformer(json.loads((Path(task.folder) / SHAPE).read_text(encoding="utf-8"))).eval()
    model.load_state_dict(renamed(load_file(Path(task.folder) / OURS)))

    def search(rows: list[list[int]], beam: int) -> list[Output]:
        longest = max(map(len, rows)) + 1
        source = torch.tensor([row + [EOS] + [task.pad] * (longest - len(row) - 1) for row in rows])
        return beam_search(model, source, task.pad, beam)

    return in_batches(search)


if __name__ == "__main__":
    serve("torch", build)
