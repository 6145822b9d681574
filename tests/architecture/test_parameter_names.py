"""Names and shapes of parameters are a file format: a change here breaks every model that people have saved."""

import pytest

ATTENTION = {
    "in_projection.weight": (48, 16),
    "in_projection.bias": (48,),
    "out_projection.weight": (16, 16),
    "out_projection.bias": (16,),
}
FEED_FORWARD = {"inner.weight": (24, 16), "inner.bias": (24,), "outer.weight": (16, 24), "outer.bias": (16,)}
GATED = {"inner.weight": (48, 16), "inner.bias": (48,), "outer.weight": (16, 24), "outer.bias": (16,)}
NORM = {"norm.weight": (16,), "norm.bias": (16,)}

ENCODER_LAYER = {
    "self_attention": ATTENTION,
    "feed_forward": FEED_FORWARD,
    "self_attention_norm": NORM,
    "feed_forward_norm": NORM,
}
DECODER_LAYER = {
    "self_attention": ATTENTION,
    "cross_attention": ATTENTION,
    "feed_forward": FEED_FORWARD,
    "self_attention_norm": NORM,
    "cross_attention_norm": NORM,
    "feed_forward_norm": NORM,
}
MODEL = {
    "target_table": (13, 16),
    "encoder": {"layers": {"0": ENCODER_LAYER}},
    "decoder": {"layers": {"0": DECODER_LAYER}},
}


def flatten(tree, prefix=""):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


@pytest.mark.parametrize(
    ("changes", "added"),
    [
        ({}, {}),
        (
            {"norm_order": "pre"},
            {
                "encoder.final_norm.weight": (16,),
                "encoder.final_norm.bias": (16,),
                "decoder.final_norm.weight": (16,),
                "decoder.final_norm.bias": (16,),
            },
        ),
        ({"tie": "two-way"}, {"source_table": (13, 16)}),
        ({"tie": "none"}, {"source_table": (13, 16), "output_table": (13, 16)}),
        ({"output_bias": True}, {"output_bias": (13,)}),
        (
            {"positions": "learned", "max_positions": 20, "position_offset": 2},
            {"source_embedding.positions.weight": (22, 16), "target_embedding.positions.weight": (22, 16)},
        ),
        (
            {"activation": "swiglu"},
            {
                f"{stack}.layers.0.feed_forward.{name}": shape
                for stack in ("encoder", "decoder")
                for name, shape in GATED.items()
            },
        ),
    ],
    ids=str,
)
def test_names_and_shapes_are_frozen(build_model, changes, added):
    model = build_model(encoder_layers=1, decoder_layers=1, **changes)
    found = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    assert found == {**dict(flatten(MODEL)), **added}


def test_a_saved_state_holds_nothing_but_parameters_and_ties(model):
    parameters = {name for name, _ in model.named_parameters()}
    assert set(model.state_dict()) == parameters | {"source_table", "output_table"}
