import pytest
import torch

from ferryman.model.estimate import count_parameters

TABLE = 13 * 16  # one table of the tiny model


@pytest.fixture
def losses(draw_tokens):
    """Compute a loss that reads all three tables."""
    source, target_in = draw_tokens(2, 5), draw_tokens(2, 4, seed=1)
    return lambda model: model(source, target_in).log_softmax(-1)[..., 3].sum()


@pytest.mark.parametrize(
    ("tie", "tables"),
    [
        ("three-way", ["target_table"]),
        ("two-way", ["target_table", "source_table"]),
        ("none", ["target_table", "source_table", "output_table"]),
    ],
)
def test_each_way_of_tying_has_its_own_parameters(build_model, tie, tables):
    model = build_model(tie=tie)
    assert [name for name, _ in model.named_parameters() if "table" in name] == tables
    untied = count_parameters(build_model(tie="none"))
    assert count_parameters(model) == untied - (3 - len(tables)) * TABLE
    assert (model.source_table is model.target_table) == (tie == "three-way")
    assert (model.output_table is model.target_table) == (tie != "none")


@pytest.mark.parametrize("tie", ["three-way", "two-way"])
def test_a_tied_table_gets_the_sum_of_its_parts_gradients(build_model, losses, tie):
    tied, untied = build_model(tie=tie), build_model(tie="none")
    untied.load_state_dict(tied.state_dict())
    for model in (tied, untied):
        losses(model).backward()
    parts = [untied.target_table.grad, untied.output_table.grad]
    if tie == "three-way":
        parts.append(untied.source_table.grad)
    else:
        torch.testing.assert_close(tied.source_table.grad, untied.source_table.grad)
    assert all(part.any() for part in parts)
    torch.testing.assert_close(tied.target_table.grad, sum(parts))


@pytest.mark.parametrize("tie", ["three-way", "two-way", "none"])
def test_loaded_weights_stay_as_tied_as_they_were(build_model, losses, tie):
    saved, loaded = build_model(tie=tie), build_model(tie=tie, seed=1)
    loaded.load_state_dict(saved.state_dict())
    assert torch.equal(losses(saved), losses(loaded))
    with torch.no_grad():
        loaded.target_table.add_(1)
    assert torch.equal(loaded.source_table, loaded.target_table) == (tie == "three-way")
    assert torch.equal(loaded.output_table, loaded.target_table) == (tie != "none")


def test_the_output_bias_shifts_every_logit(build_model, draw_tokens):
    plain, biased = build_model(), build_model(output_bias=True)
    missing = biased.load_state_dict(plain.state_dict(), strict=False)
    assert missing.missing_keys == ["output_bias"]
    inputs = draw_tokens(2, 5), draw_tokens(2, 4, seed=1)
    torch.testing.assert_close(biased(*inputs), plain(*inputs) + biased.output_bias)
