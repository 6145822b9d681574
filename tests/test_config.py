import pytest
from pydantic import BaseModel, ValidationError

from ferryman.config import Config, DecodingConfig, ModelConfig, TrainingConfig


def sections(kind: type[BaseModel] = Config):
    yield kind
    for field in kind.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from sections(field.annotation)


@pytest.mark.parametrize("section", [section for section in sections() if section is not Config])
def test_every_setting_says_what_it_does(section):
    for name, field in section.model_fields.items():
        if not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            assert field.description, name


def test_the_default_model_is_the_paper_s_base():
    model = ModelConfig()
    assert (model.d_model, model.d_ff, model.heads, model.encoder_layers, model.decoder_layers) == (512, 2048, 8, 6, 6)
    assert (model.dropout, model.norm_order, model.tie) == (0.1, "post", "three-way")


def test_a_configuration_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        Config().model.d_model = 4
    assert isinstance(hash(Config()), int)


@pytest.mark.parametrize("value", ["64", True, 64.0, 0, -8, None, [64]])
def test_nothing_but_a_positive_whole_number_is_a_width(value):
    with pytest.raises(ValidationError):
        ModelConfig(d_model=value)


@pytest.mark.parametrize("value", ["0.1", True, 1, -0.1, float("nan"), None])
def test_nothing_but_a_number_below_1_is_a_dropout(value):
    with pytest.raises(ValidationError):
        ModelConfig(dropout=value)


@pytest.mark.parametrize("value", [0, 1, "true", "yes", None])
def test_nothing_but_true_or_false_is_a_flag(value):
    with pytest.raises(ValidationError):
        ModelConfig(output_bias=value)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0, -1])
def test_a_budget_is_finite_and_positive(value):
    with pytest.raises(ValidationError):
        TrainingConfig(minutes=value)


def test_a_whole_number_is_a_number():
    assert TrainingConfig(minutes=15).minutes == 15.0
    assert ModelConfig(dropout=0).dropout == 0.0


def test_one_name_may_stand_for_a_list_of_one():
    assert Config.model_validate({"data": {"train": "pairs.tsv"}}).data.train == ("pairs.tsv",)


@pytest.mark.parametrize(
    ("section", "values", "message"),
    [
        ("model", {"heads": 7, "d_model": 64}, "heads: 7 heads do not divide d_model 64 evenly"),
        ("model", {"heads": 1, "d_model": 15}, "d_model: sinusoidal positions need an even width, not 15"),
        ("training", {"schedule": "paper", "learning_rate": 0.1}, "learning_rate: the paper's schedule sets it"),
        ("training", {"average_last": 6}, "average_last: 6 is more than keep_checkpoints 5"),
        ("decoding", {"n_best": 6}, "n_best: 6 translations need a beam at least as wide, not 5"),
        ("data", {"train": ["a", "b", "c"]}, "train: expected two aligned files or one file of pairs, found 3 names"),
        ("data", {"train": []}, "train: expected two aligned files or one file of pairs, found 0 names"),
        ("data", {"test": ["a", "b", "c"]}, "test: expected two aligned files or one file of pairs, found 3 names"),
        ("tokenizer", {"joint": False}, "model.tie: three-way tying needs one joint vocabulary"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(section, values, message):
    with pytest.raises(ValidationError) as caught:
        Config.model_validate({section: values})
    assert message in str(caught.value)


def test_settings_at_the_edge_of_a_contradiction_are_accepted():
    ModelConfig(heads=1, d_model=15, positions="learned")
    TrainingConfig(average_last=6, keep_checkpoints=6)
    DecodingConfig(n_best=5)
    Config.model_validate({"tokenizer": {"joint": False}, "model": {"tie": "two-way"}})


@pytest.mark.parametrize("budget", ["minutes", "steps", "epochs"])
def test_any_budget_ends_a_run(budget):
    assert not TrainingConfig().has_budget
    assert TrainingConfig(**{budget: 3}).has_budget
