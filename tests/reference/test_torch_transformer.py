"""With the same weights, ``torch.nn.Transformer`` computes the same outputs and gradients."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ferryman.config import ModelConfig
from ferryman.model.positions import sinusoids
from ferryman.model.transformer import Transformer

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")

D_MODEL, VOCAB = 32, 50
RENAMES = {  # ours -> torch's, within a layer
    "self_attention.in_projection.": "self_attn.in_proj_",
    "self_attention.out_projection.": "self_attn.out_proj.",
    "cross_attention.in_projection.": "multihead_attn.in_proj_",
    "cross_attention.out_projection.": "multihead_attn.out_proj.",
    "feed_forward.inner.": "linear1.",
    "feed_forward.outer.": "linear2.",
    "self_attention_norm.norm.": "norm1.",
    "cross_attention_norm.norm.": "norm2.",
    "feed_forward_norm.norm.": "norm3.",
    "final_norm.": "norm.",
}


def torch_name(name: str) -> str:
    for ours, theirs in RENAMES.items():
        name = name.replace(ours, theirs)
    return name.replace("norm3", "norm2") if name.startswith("encoder.") else name


def build_both(norm_order: str, activation: str) -> tuple[Transformer, nn.Transformer]:
    config = ModelConfig(
        d_model=D_MODEL, d_ff=64, heads=4, encoder_layers=2, decoder_layers=2, dropout=0.0,
        norm_order=norm_order, activation=activation,
    )  # fmt: skip
    ours = Transformer(VOCAB, VOCAB, config, torch.Generator().manual_seed(1))
    for parameter in ours.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.2)
    theirs = nn.Transformer(
        D_MODEL, 4, 2, 2, 64, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_order == "pre"
    )
    if norm_order == "post":  # torch adds a final norm in both orders, the paper has none
        theirs.encoder.norm = theirs.decoder.norm = None
    layers = {
        torch_name(name): tensor
        for name, tensor in ours.state_dict().items()
        if name.startswith(("encoder.", "decoder."))
    }
    theirs.load_state_dict(layers)  # strict: nothing is missing or left over
    return ours, theirs


def embed(table: Tensor, tokens: Tensor) -> Tensor:
    return F.embedding(tokens, table) * math.sqrt(D_MODEL) + sinusoids(tokens.size(1), D_MODEL)


def assert_close(actual: Tensor, expected: Tensor, name: str) -> None:
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=0, msg=lambda text: f"{name}: {text}")


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_order", ["post", "pre"])
@pytest.mark.parametrize("padded", [False, True], ids=["full", "padded"])
def test_outputs_and_gradients_equal_torch_s(norm_order, activation, padded):
    ours, theirs = build_both(norm_order, activation)
    source, target = torch.randint(VOCAB, (4, 9)), torch.randint(VOCAB, (4, 8))
    source_real = torch.arange(9) < torch.tensor([9, 5, 1, 7] if padded else [9] * 4)[:, None]
    target_real = torch.arange(8) < torch.tensor([8, 8, 3, 5] if padded else [8] * 4)[:, None]
    target_in, target_out = target[:, :-1], target[:, 1:]
    real = target_real[:, 1:]

    memory: list[Tensor] = []
    logits = ours(source, target_in, source_real if padded else None)
    ours.encode(source, source_real, lambda name, tensor: memory.append(tensor) if name == "memory" else None)

    table = copy.deepcopy(ours.target_table)
    padding = ~source_real
    causal = nn.Transformer.generate_square_subsequent_mask(7, dtype=torch.bool)
    their_memory = theirs.encoder(embed(table, source), src_key_padding_mask=padding)
    hidden = theirs.decoder(
        embed(table, target_in), their_memory, tgt_mask=causal,
        tgt_key_padding_mask=~target_real[:, :-1], memory_key_padding_mask=padding,
    )  # fmt: skip
    their_logits = F.linear(hidden, table)

    assert_close(memory[0][source_real], their_memory[source_real], "memory")
    assert_close(logits[real], their_logits[real], "logits")
    for result in (logits, their_logits):
        F.cross_entropy(result[real], target_out[real]).backward()
    gradients = {name: parameter.grad for name, parameter in theirs.named_parameters()}
    for name, parameter in ours.named_parameters():
        expected = table.grad if name == "target_table" else gradients.pop(torch_name(name))
        assert expected.abs().max() > 1e-4, name
        assert_close(parameter.grad, expected, name)
    assert not gradients
