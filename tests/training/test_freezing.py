"""Frozen parts stay bit-equal while others move, and a run with them goes on exactly."""

import pytest
import torch
from toy_task import new_trainer, optimizer_state, run, tiny_model

from ferryman.errors import ConfigError
from ferryman.training.freezing import freeze
from ferryman.training.resume import load_state, save_state


def frozen_model(*names, **changes):
    model = tiny_model(**{"dropout": 0.2, "encoder_layers": 2, **changes})
    freeze(model, names)
    return model


def copies(model):
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


@pytest.mark.parametrize(
    ("names", "changes", "expected"),
    [
        (["encoder"], {}, ["encoder"]),
        (["decoder"], {"norm_order": "pre"}, ["decoder"]),
        (["embeddings"], {}, ["target_table"]),
        (["embeddings"], {"tie": "none"}, ["target_table", "source_table"]),
        (["source_table"], {}, ["target_table"]),  # three-way tied: it is one and the same
        (["embeddings"], {"positions": "learned"}, ["target_table", "source_embedding", "target_embedding"]),
        (
            ["encoder.layers.1", "decoder.layers.0.self_attention"],
            {},
            ["encoder.layers.1.", "decoder.layers.0.self_attention."],
        ),
    ],
)
def test_frozen_weights_stay_and_others_move(reversals, names, changes, expected):
    model = frozen_model(*names, **changes)
    before = copies(model)
    trainer = new_trainer(reversals, model=model, steps=3, weight_decay=0.1)
    run(trainer)
    moved = {name for name, parameter in model.named_parameters() if not torch.equal(parameter, before[name])}
    stayed = before.keys() - moved
    assert stayed == {name for name in before if name.startswith(tuple(expected))}
    assert {name for name, parameter in model.named_parameters() if parameter.grad is None} == stayed
    trained = optimizer_state(trainer.updater)
    with_state = {name for name, parameter in model.named_parameters() if parameter in trained}
    assert with_state == moved


@pytest.mark.parametrize("name", ["encodr", "encoder.layers.3", "encoder.lay", ""])
def test_an_unknown_name_is_refused_with_the_list(name):
    with pytest.raises(ConfigError) as caught:
        frozen_model("decoder", name)
    for part in (f"no part {name!r}", "embeddings", "target_table", "encoder, decoder", "encoder.layers.0, "):
        assert part in str(caught.value)


def test_a_name_ends_where_a_part_of_it_ends():
    model = frozen_model("encoder.layers.1", encoder_layers=11)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    assert frozen == {name for name in copies(model) if name.startswith("encoder.layers.1.")}


def test_a_model_that_is_all_frozen_is_refused():
    with pytest.raises(ConfigError, match="is all of the model"):
        frozen_model("encoder", "decoder", "embeddings")


def test_a_run_with_frozen_parts_goes_on_exactly(reversals, tmp_path):
    def trainer(steps, seed=0):
        torch.manual_seed(seed)
        return new_trainer(reversals, model=frozen_model("encoder", seed=seed), steps=steps)

    whole = trainer(8)
    run(whole)
    first = trainer(4)
    run(first)
    save_state(tmp_path / "state", first)
    second = trainer(8, seed=9)
    load_state(tmp_path / "state", second)
    run(second)
    expected, found = copies(whole.model), copies(second.model)
    assert [name for name in expected if not torch.equal(found[name], expected[name])] == []
    moments = [
        {
            (name, key): value
            for name, parameter in one.model.named_parameters()
            for key, value in state.get(parameter, {}).items()
        }
        for one, state in ((one, optimizer_state(one.updater)) for one in (whole, second))
    ]
    assert moments[0].keys() == moments[1].keys()
    assert not any(name.startswith("encoder.") for name, _ in moments[0])
    assert all(torch.equal(moments[1][key], value) for key, value in moments[0].items())
