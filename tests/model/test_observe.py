import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from ferryman.model.layers import EncoderLayer
from ferryman.model.observe import within
from ferryman.model.transformer import Transformer

EMBEDDING = ["tokens", "positions", "sum"]
ATTENTION = ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "heads", "output", "residual"]
FEED_FORWARD = ["hidden", "output", "residual"]
OUTPUT = ["logits", "probabilities"]

REAL = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def run(model: Transformer, source: Tensor, target_in: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Observe one whole pass; a name given twice would be an error."""
    seen: dict[str, Tensor] = {}

    def observe(name: str, tensor: Tensor) -> None:
        assert name not in seen
        seen[name] = tensor

    hidden, _ = model.decode(target_in, model.encode(source, REAL, observe), observe)
    return model.project(hidden, observe), seen


@pytest.fixture
def inputs(draw_tokens) -> tuple[Tensor, Tensor]:
    return draw_tokens(2, 5), draw_tokens(2, 4, seed=1)


def expected_names(norm_order: str) -> list[str]:
    def around(names: list[str]) -> list[str]:
        """Put the norm after Add, the paper's order, or before the sub-layer."""
        return [*names, "norm"] if norm_order == "post" else ["norm", *names]

    final = ["final_norm"] if norm_order == "pre" else []
    names = [f"source_embedding.{name}" for name in EMBEDDING]
    for layer in range(2):
        names += [f"encoder.{layer}.self_attention.{name}" for name in around(ATTENTION)]
        names += [f"encoder.{layer}.feed_forward.{name}" for name in around(FEED_FORWARD)]
    names += [f"encoder.{name}" for name in final]
    names += ["memory", *(f"target_embedding.{name}" for name in EMBEDDING)]
    for layer in range(2):
        for attention in ("self_attention", "cross_attention"):
            names += [f"decoder.{layer}.{attention}.{name}" for name in around(ATTENTION)]
        names += [f"decoder.{layer}.feed_forward.{name}" for name in around(FEED_FORWARD)]
    return [*names, *(f"decoder.{name}" for name in final), *OUTPUT]


@pytest.mark.parametrize("norm_order", ["post", "pre"])
def test_every_point_is_named_once_and_in_the_order_of_figure_1(build_model, inputs, norm_order):
    _, seen = run(build_model(norm_order=norm_order), *inputs)
    without_details = [name for name in seen if name.rpartition(".")[2] not in ("heads", "output")]
    expected = expected_names(norm_order)
    assert sorted(seen) == sorted(expected)
    assert without_details == [name for name in expected if name.rpartition(".")[2] not in ("heads", "output")]


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_observing_changes_no_result(build_model, inputs, activation):
    model = build_model(activation=activation)
    observed, _ = run(model, *inputs)
    torch.testing.assert_close(observed, model(*inputs, REAL), atol=1e-6, rtol=0)


def attentions(model: Transformer, seen: dict[str, Tensor]):
    for stack, kinds in (("encoder", ["self_attention"]), ("decoder", ["self_attention", "cross_attention"])):
        for index, layer in enumerate(getattr(model, stack).layers):
            for kind in kinds:
                prefix = f"{stack}.{index}.{kind}."
                values = {name.removeprefix(prefix): seen[name] for name in seen if name.startswith(prefix)}
                yield prefix, getattr(layer, kind), values


def test_attention_values_follow_equation_1(any_model, inputs):
    _, seen = run(any_model, *inputs)
    masks = {"encoder": REAL[:, None, None, :], "decoder": torch.ones(4, 4, dtype=torch.bool).tril()}
    for prefix, attention, values in attentions(any_model, seen):
        mask = masks["encoder" if "cross" in prefix else prefix.partition(".")[0]].expand_as(values["weights"])
        torch.testing.assert_close(values["scores"], values["queries"] @ values["keys"].transpose(-1, -2))
        torch.testing.assert_close(values["scaled"], values["scores"] / math.sqrt(8))
        assert torch.equal(values["masked"], values["scaled"].masked_fill(~mask, -math.inf))
        weights = values["weights"]
        torch.testing.assert_close(weights, values["masked"].softmax(-1))
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
        assert (weights[~mask] == 0).all()
        torch.testing.assert_close(values["heads"], weights @ values["values"])
        torch.testing.assert_close(
            values["output"], attention.out_projection(values["heads"].transpose(1, 2).flatten(2))
        )


def test_residuals_add_up_from_the_embedding_to_the_memory(build_model, inputs):
    """In pre-norm one sum runs through the whole stack."""
    model = build_model(norm_order="pre")
    _, seen = run(model, *inputs)
    total = seen["source_embedding.sum"]
    for index in range(2):
        for sublayer in ("self_attention", "feed_forward"):
            total = total + seen[f"encoder.{index}.{sublayer}.output"]
            torch.testing.assert_close(seen[f"encoder.{index}.{sublayer}.residual"], total)
            norm = getattr(model.encoder.layers[index], f"{sublayer}_norm").norm
            below = total - seen[f"encoder.{index}.{sublayer}.output"]
            torch.testing.assert_close(seen[f"encoder.{index}.{sublayer}.norm"], norm(below), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(seen["memory"], model.encoder.final_norm(total))
    assert torch.equal(seen["memory"], seen["encoder.final_norm"])


def test_post_norm_normalises_every_residual(build_model, inputs):
    model = build_model(norm_order="post")
    _, seen = run(model, *inputs)
    x = seen["target_embedding.sum"]
    for index, layer in enumerate(model.decoder.layers):
        for sublayer in ("self_attention", "cross_attention", "feed_forward"):
            prefix = f"decoder.{index}.{sublayer}"
            torch.testing.assert_close(seen[f"{prefix}.residual"], x + seen[f"{prefix}.output"])
            x = seen[f"{prefix}.norm"]
            norm = getattr(layer, f"{sublayer}_norm").norm
            torch.testing.assert_close(x, norm(seen[f"{prefix}.residual"]))
    assert torch.equal(seen["memory"], seen["encoder.1.feed_forward.norm"])


def test_the_softmax_of_the_logits_is_observed(any_model, inputs):
    logits, seen = run(any_model, *inputs)
    assert torch.equal(seen["logits"], logits)
    torch.testing.assert_close(seen["probabilities"], logits.softmax(-1))


def test_an_embedding_is_the_sum_of_token_and_position(any_model, inputs):
    source, _ = inputs
    _, seen = run(any_model, *inputs)
    tokens, positions = seen["source_embedding.tokens"], seen["source_embedding.positions"]
    torch.testing.assert_close(tokens, F.embedding(source, any_model.source_table) * 4.0)
    assert torch.equal(positions, any_model.source_embedding.positions(0, 5, tokens))
    torch.testing.assert_close(seen["source_embedding.sum"], tokens + positions)


def test_feed_forward_values_follow_equation_2(model, inputs):
    _, seen = run(model, *inputs)
    layer: EncoderLayer = model.encoder.layers[0]
    x, hidden = seen["encoder.0.self_attention.norm"], seen["encoder.0.feed_forward.hidden"]
    torch.testing.assert_close(hidden, layer.feed_forward.inner(x).clamp(min=0))
    torch.testing.assert_close(seen["encoder.0.feed_forward.output"], layer.feed_forward.outer(hidden))


def test_a_step_is_observed_as_the_whole_pass_is(model, inputs):
    """The last position's weights are the same whether it comes alone or with all before it."""
    source, target_in = inputs
    _, whole = run(model, source, target_in)
    _, state = model.decode(target_in[:, :3], model.encode(source, REAL))
    step: dict[str, Tensor] = {}
    model.decode(target_in[:, 3:], state, step.__setitem__)
    for name in ("decoder.1.self_attention.weights", "decoder.1.cross_attention.weights"):
        torch.testing.assert_close(step[name], whole[name][:, :, 3:])


def test_scopes_are_put_before_names_and_none_stays_none():
    seen = {}
    within(within(seen.__setitem__, "outer"), "inner")("name", torch.ones(1))
    assert list(seen) == ["outer.inner.name"]
    assert within(None, "outer") is None
