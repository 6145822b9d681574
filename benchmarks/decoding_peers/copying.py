"""A model of any size that copies its source: built, not trained, and the same in every engine.

An untrained model never ends, and to train ``base`` takes days. But what an engine has to do depends on a model's shape
and on how long its translations are, not on what its weights say. So here the weights are random but for these:

    embeddings            noise, and nothing in the dimensions of the fastest sinusoids
    last cross-attention  queries and keys read just those dimensions, so that target position t looks at source
                          position t; values and output carry all others over, louder than what is there
    last norm             a gain that makes the right token about 0.9 likely
    end symbol            quieter than words, so that it is about 0.5 likely when its turn comes and hypotheses end at
                          different steps, as they do in life

All other sub-layers keep random weights whose outputs are quiet. Translations are as long as their sources, of which
they are copies but for a word now and then, and differences of rounding hardly ever change them. The form is Marian's:
post-norm, sinusoids in halves, a bias on the logits, start from padding whose embedding is zero and which is never
said.
"""

import math

import numpy as np
import torch
from torch import Tensor

from decoding_peers.protocol import EOS, FIRST_WORD
from ferryman.config import ModelConfig
from ferryman.model.transformer import Transformer

FORM = (
    "model.norm_order=post",
    "model.sinusoid_layout=halves",
    "model.output_bias=true",
    "model.start_symbol=pad",
    "model.tie=three-way",
)
"""Settings that make a preset's model one of Marian's kind."""
NEVER = -1e4  # logit of what is never said
QUIET, LOUD = 0.05, 8.0
SHARPNESS = 12.0  # by how much the right position's attention score exceeds its neighbours'
WORD_ODDS, END_ODDS = 5.5, 1.2  # logits above all others' together, less what noise takes of them


def make_copier(vocab: int, config: ModelConfig) -> Transformer:
    """Build the model; the last of its vocabulary is the padding."""
    model = Transformer(vocab, vocab, config, torch.Generator().manual_seed(1)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("out_projection.weight", "outer.weight")):
                parameter.mul_(QUIET)
        places, spare = _dimensions(config)
        _set_table(model, places, spare)
        _set_cross_attention(model, places, spare)
        gain = (math.log(vocab) + WORD_ODDS) / math.sqrt(config.d_model - len(places))
        model.decoder.layers[-1].feed_forward_norm.norm.weight.fill_(gain)
        model.output_bias[vocab - 1] = NEVER
    return model


def _pairs(config: ModelConfig) -> Tensor:
    """Choose the sinusoids, of those faster than a tenth of a radian a token, that fit into half a head."""
    return torch.arange(min(config.d_model // config.heads // 2, config.d_model // 8)) * max(1, config.d_model // 256)


def _dimensions(config: ModelConfig) -> tuple[Tensor, Tensor]:
    """Name those that tell a position, and two of slow sines, which are 0 at every position in reach."""
    pairs, half = _pairs(config), config.d_model // 2
    return torch.cat([pairs, half + pairs]), torch.tensor([half - 2, half - 1])


def _set_table(model: Transformer, places: Tensor, spare: Tensor) -> None:
    """Draw embeddings of sum zero and equal length, lest layer norms change the sinusoids by what the words are.

    For the same reason all take out slow cosines, which are 1 at every position in reach, and what the end symbol lacks
    in length it gets in two spare dimensions.
    """
    table, width = model.target_table, model.config.d_model
    vocab = table.size(0)
    table[:, places] = table[:, spare] = 0.0
    table -= table.sum(dim=1, keepdim=True) / (width - len(places) - len(spare))
    table[:, places] = table[:, spare] = 0.0
    table *= _length(model, places) / table.norm(dim=1, keepdim=True)
    share = (math.log(vocab) + END_ODDS) / (math.log(vocab) + WORD_ODDS)
    table[EOS] *= share
    table[EOS, spare] = math.sqrt((1 - share**2) / 2) * _length(model, places) * torch.tensor([1.0, -1.0])
    table[:, width // 2 :] -= width**-0.5
    table[:, places] = 0.0
    table[vocab - 1] = 0.0


def _length(model: Transformer, places: Tensor) -> float:
    """Give an embedding the length of noise with variance 1 / d_model in the dimensions that are left to it."""
    return math.sqrt(1 - len(places) / model.config.d_model)


def _set_cross_attention(model: Transformer, places: Tensor, spare: Tensor) -> None:
    config = model.config
    width, d_k = config.d_model, config.d_model // config.heads
    rates = 10000.0 ** (-2 * _pairs(config) / width)
    fall = float((1 - rates.cos()).sum())  # of the product of two positions' sinusoids, from one to the next
    scale = math.sqrt(SHARPNESS * math.sqrt(d_k) / fall)
    attention = model.decoder.layers[-1].cross_attention
    attention.in_projection.weight.mul_(QUIET)
    for head in range(config.heads):
        for part in (0, width):  # queries, keys
            first = part + head * d_k
            attention.in_projection.weight[torch.arange(first, first + len(places)), places] = scale
    everywhere = torch.arange(width)
    attention.in_projection.weight[2 * width + everywhere, everywhere] = 1.0
    content = torch.ones(width)
    content[places] = content[spare] = 0.0
    attention.out_projection.weight[everywhere, everywhere] = LOUD * content


def make_sentences(vocab: int, count: int) -> list[list[int]]:
    """Draw sentences of random words, in lengths that a text mixes: 3 to 100 tokens, 21 on average."""
    generator = np.random.default_rng(1)
    lengths = np.clip(generator.lognormal(2.85, 0.6, count), 3, 100).astype(int)
    return [generator.integers(FIRST_WORD, vocab - 1, length).tolist() for length in lengths]
