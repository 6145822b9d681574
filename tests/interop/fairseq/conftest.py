"""Checkpoints as fairseq publishes them, and its network out of PyTorch's own functions."""

import math
import sys
import types
from argparse import Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

ARGS: dict[str, Any] = {
    "arch": "transformer_iwslt_de_en", "task": "translation", "source_lang": "de", "target_lang": "en",
    "encoder_embed_dim": 16, "decoder_embed_dim": 16, "encoder_ffn_embed_dim": 24, "decoder_ffn_embed_dim": 24,
    "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    "encoder_normalize_before": False, "decoder_normalize_before": False, "encoder_learned_pos": False,
    "decoder_learned_pos": False, "share_all_embeddings": False, "share_decoder_input_output_embed": False,
    "activation_fn": "relu", "dropout": 0.3, "adaptive_softmax_cutoff": None, "no_scale_embedding": False,
    "max_source_positions": 40, "max_target_positions": 40, "data": "data-bin/iwslt14.tokenized.de-en",
}  # fmt: skip
WORDS = {"de": ["das", "Haus", "ist", "gross", "."], "en": ["the", "House", "is", "big", ".", "small"]}
ATTENTIONS = {"encoder": ("self_attn",), "decoder": ("self_attn", "encoder_attn")}
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")
MakeCheckpoint = Callable[..., tuple[Path, "Network"]]


def write_dictionary(path: Path, symbols: Iterable[str]) -> int:
    """Write a dictionary, filled up to a multiple of eight; return how many symbols it has."""
    symbols = list(symbols)
    fillers = [f"madeupword{number:04}" for number in range(-(len(symbols) + 4) % 8)]
    lines = [f"{symbol} {99 - place}\n" for place, symbol in enumerate(symbols)]
    path.write_text("".join([*lines, *(f"{filler} 0\n" for filler in fillers)]), encoding="utf-8")
    return 4 + len(symbols) + len(fillers)


def shapes(args: Namespace, rows: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Name the weights as fairseq 0.12 does, with their shapes."""
    width, inner = args.encoder_embed_dim, args.encoder_ffn_embed_dim
    found: dict[str, tuple[int, ...]] = {"decoder.output_projection.weight": (rows["decoder"], width)}
    norms = []
    for stack, attentions in ATTENTIONS.items():
        found[f"{stack}.embed_tokens.weight"] = (rows[stack], width)
        if args.encoder_learned_pos:
            found[f"{stack}.embed_positions.weight"] = (args.max_source_positions + 2, width)
        for layer in (f"{stack}.layers.{index}" for index in range(getattr(args, f"{stack}_layers"))):
            for matrix in (f"{layer}.{one}.{part}" for one in attentions for part in PROJECTIONS):
                found |= {f"{matrix}.weight": (width, width), f"{matrix}.bias": (width,)}
            norms += [f"{layer}.{one}_layer_norm" for one in (*attentions, "final")]
            found |= {f"{layer}.fc1.weight": (inner, width), f"{layer}.fc1.bias": (inner,)}
            found |= {f"{layer}.fc2.weight": (width, inner), f"{layer}.fc2.bias": (width,)}
        norms += [f"{stack}.layer_norm"] if args.encoder_normalize_before else []
    return found | {f"{norm}.{kind}": (width,) for norm in norms for kind in ("weight", "bias")}


def random_weights(args: Namespace, rows: dict[str, int]) -> dict[str, Tensor]:
    """Draw weights by the names of fairseq 0.12."""
    generator = torch.Generator().manual_seed(1)
    weights = {
        name: torch.randn(shape, generator=generator) * (1.2 / shape[-1] ** 0.5 if len(shape) > 1 else 0.3)
        + ("norm" in name and name.endswith("weight"))
        for name, shape in shapes(args, rows).items()
    }
    if args.share_all_embeddings:
        weights["encoder.embed_tokens.weight"] = weights["decoder.embed_tokens.weight"]
    if args.share_all_embeddings or args.share_decoder_input_output_embed:
        weights["decoder.output_projection.weight"] = weights["decoder.embed_tokens.weight"]
    return weights


class Network:
    """What fairseq computes, by its published layout, of one sentence at a time."""

    def __init__(self, weights: dict[str, Tensor], args: Namespace) -> None:
        self.weights = {name: tensor.float() for name, tensor in weights.items()}
        self.args = args

    def __call__(self, source: list[int], target_in: list[int]) -> Tensor:
        """Return the logits of each next token, (tokens, vocabulary)."""
        memory = self._stack("encoder", source, None)
        hidden = self._stack("decoder", target_in, memory)
        return hidden @ self.weights["decoder.output_projection.weight"].T

    def _stack(self, stack: str, tokens: list[int], memory: Tensor | None) -> Tensor:
        x = self._embed(stack, tokens)
        for index in range(getattr(self.args, f"{stack}_layers")):
            name = f"{stack}.layers.{index}"
            x = self._sublayer(x, f"{name}.self_attn_layer_norm", self._attention, f"{name}.self_attn", memory is None)
            if memory is not None:
                x = self._sublayer(
                    x, f"{name}.encoder_attn_layer_norm", self._attention, f"{name}.encoder_attn", True, memory
                )
            x = self._sublayer(x, f"{name}.final_layer_norm", self._feed_forward, name)
        return self._norm(x, f"{stack}.layer_norm") if self.args.encoder_normalize_before else x

    def _embed(self, stack: str, tokens: list[int]) -> Tensor:
        table = self.weights[f"{stack}.embed_tokens.weight"]
        scale = 1.0 if self.args.no_scale_embedding else math.sqrt(table.size(1))
        places = torch.arange(2, 2 + len(tokens))  # behind the padding's
        if self.args.encoder_learned_pos:
            return scale * table[tokens] + self.weights[f"{stack}.embed_positions.weight"][places]
        half = table.size(1) // 2
        angles = places[:, None] * torch.exp(torch.arange(half) * (-math.log(10000) / (half - 1)))
        return scale * table[tokens] + torch.cat([angles.sin(), angles.cos()], dim=1)

    def _sublayer(self, x: Tensor, norm: str, apply: Callable[..., Tensor], *about: Any) -> Tensor:
        if self.args.encoder_normalize_before:
            return x + apply(self._norm(x, norm), *about)
        return self._norm(x + apply(x, *about), norm)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _feed_forward(self, x: Tensor, name: str) -> Tensor:
        activation = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}[self.args.activation_fn]
        inner = activation(F.linear(x, self.weights[f"{name}.fc1.weight"], self.weights[f"{name}.fc1.bias"]))
        return F.linear(inner, self.weights[f"{name}.fc2.weight"], self.weights[f"{name}.fc2.bias"])

    def _attention(self, x: Tensor, name: str, all_seen: bool, memory: Tensor | None = None) -> Tensor:
        keys = x if memory is None else memory
        later = torch.ones(len(x), len(keys), dtype=torch.bool).triu(1) if not all_seen else None
        part = {kind: self.weights[f"{name}.{kind}_proj.weight"] for kind in ("q", "k", "v", "out")}
        biases = torch.cat([self.weights[f"{name}.{kind}_proj.bias"] for kind in "qkv"])
        attended, _ = F.multi_head_attention_forward(
            x[:, None], keys[:, None], keys[:, None], x.size(1), self.args.encoder_attention_heads, None, biases,
            None, None, False, 0.0, part["out"], self.weights[f"{name}.out_proj.bias"], training=False,
            need_weights=False, attn_mask=later, use_separate_proj_weight=True,
            q_proj_weight=part["q"], k_proj_weight=part["k"], v_proj_weight=part["v"],
        )  # fmt: skip
        return attended[:, 0]


@pytest.fixture
def make_checkpoint(tmp_path: Path) -> MakeCheckpoint:
    """Save a random model as fairseq does, with dictionaries of words; also give the network that it is."""

    def make(
        *,
        words: dict[str, list[str]] = WORDS,
        change: Callable[[dict[str, Tensor]], dict[str, Tensor]] = dict,
        state: Callable[[Namespace], dict[str, Any]] = lambda args: {"args": args},
        half: bool = False,
        **settings: Any,
    ) -> tuple[Path, Network]:
        args = Namespace(**{**ARGS, **settings})
        rows = {
            stack: write_dictionary(tmp_path / f"dict.{language}.txt", words[language])
            for stack, language in (("encoder", args.source_lang), ("decoder", args.target_lang))
        }
        weights = random_weights(args, rows)
        weights = {name: tensor.half() for name, tensor in weights.items()} if half else weights
        network = Network(weights, args)
        for stack in rows:
            weights[f"{stack}.version"] = torch.tensor([3.0])
            if not args.encoder_learned_pos:
                weights[f"{stack}.embed_positions._float_tensor"] = torch.zeros(1)
        state_dict = {**state(args), "model": change(weights), "extra_state": {"epoch": 3}}
        torch.save(state_dict, tmp_path / "checkpoint_best.pt")
        return tmp_path, network

    return make


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], type]:
    """Make a class of a package that is not here, by its full name; ``monkeypatch.undo`` takes the package away."""

    def make(name: str) -> type:
        module, _, own_name = name.rpartition(".")
        parts = module.split(".")
        for parent in (".".join(parts[:length]) for length in range(1, len(parts) + 1)):
            if parent not in sys.modules:
                monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
        made = type(own_name, (), {"__module__": module})
        monkeypatch.setattr(sys.modules[module], own_name, made, raising=False)
        return made

    return make


@pytest.fixture
def change_settings() -> Callable[..., None]:
    """Change settings in the checkpoint of a folder."""

    def change(folder: Path, **settings: Any) -> None:
        path = folder / "checkpoint_best.pt"
        state = torch.load(path, weights_only=False)
        state["args"] = Namespace(**{**vars(state["args"]), **settings})
        torch.save(state, path)

    return change
