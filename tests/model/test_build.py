import pytest
from torch import nn

from ferryman.model.attention import MultiHeadAttention
from ferryman.model.embedding import Embedding
from ferryman.model.feed_forward import FeedForward, GatedFeedForward
from ferryman.model.norm import PostNorm, PreNorm
from ferryman.model.positions import LearnedPositions, SinusoidalPositions


def parts(model, kind):
    found = [module for module in model.modules() if isinstance(module, kind)]
    assert found, kind
    return found


@pytest.mark.parametrize(
    ("changes", "kind", "count", "expected"),
    [
        ({"heads": 4}, MultiHeadAttention, 6, {"heads": 4}),
        ({"attention_dropout": 0.2}, MultiHeadAttention, 6, {"dropout": 0.2}),
        ({"norm_order": "post"}, PostNorm, 10, {}),
        ({"norm_order": "pre"}, PreNorm, 10, {}),
        ({"norm_epsilon": 0.25, "norm_order": "post"}, nn.LayerNorm, 10, {"eps": 0.25}),
        ({"norm_epsilon": 0.25, "norm_order": "pre"}, nn.LayerNorm, 12, {"eps": 0.25}),
        ({"activation": "relu"}, FeedForward, 4, {"activation": nn.functional.relu}),
        ({"activation": "silu"}, FeedForward, 4, {"activation": nn.functional.silu}),
        ({"activation": "gelu"}, FeedForward, 4, {"activation": nn.functional.gelu}),
        ({"activation": "swiglu"}, GatedFeedForward, 4, {}),
        ({"scale_embedding": False}, Embedding, 2, {"scale": False}),
        ({"sinusoid_layout": "halves"}, SinusoidalPositions, 2, {"layout": "halves"}),
        ({"position_offset": 2}, SinusoidalPositions, 2, {"offset": 2}),
        (
            {"positions": "learned", "max_positions": 9, "position_offset": 2},
            LearnedPositions,
            2,
            {"max_positions": 9, "offset": 2},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None) or "-".join(value) if not isinstance(value, int) else str(value),
)
def test_a_setting_reaches_every_part_it_is_about(build_model, changes, kind, count, expected):
    found = parts(build_model(**changes), kind)
    assert len(found) == count
    for part in found:
        assert {name: getattr(part, name) for name in expected} == expected


@pytest.mark.parametrize("norm_order", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_each_dropout_stands_in_its_own_places(build_model, norm_order, activation):
    model = build_model(dropout=0.2, feed_forward_dropout=0.4, norm_order=norm_order, activation=activation)
    for part in parts(model, (PostNorm, PreNorm, Embedding)):
        assert part.dropout.probability == 0.2
    for part in parts(model, (FeedForward, GatedFeedForward)):
        assert part.dropout.probability == 0.4
