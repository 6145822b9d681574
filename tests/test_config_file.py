import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.config import Config
from ferryman.config_file import (
    change_config,
    config_names,
    dump_config,
    is_config,
    load_config,
    parse_config,
    read_settings,
)
from ferryman.errors import ConfigError


def refusal(*overrides: str, name: str = "tiny") -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(name, overrides)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes):
        path = tmp_path / "mine.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_defaults_then_the_file_then_overrides(write):
    path = write("model: {d_model: 64, d_ff: 128}\ntraining: {steps: 5}\n")
    config = load_config(path, ["model.d_ff=32", "model.heads=4"])
    assert (config.model.d_model, config.model.d_ff, config.model.heads, config.model.encoder_layers) == (64, 32, 4, 6)
    assert config.training.steps == 5
    assert load_config(None, ["model.heads=4"]).model.heads == 4
    assert load_config(None) == Config()


def test_a_later_override_wins():
    assert load_config("tiny", ["training.steps=5", "training.steps=6"]).training.steps == 6


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("training.learning_rate=1e-4", "training", "learning_rate", 0.0001),
        ("training.epsilon=1E-9", "training", "epsilon", 1e-9),
        ("training.minutes=15", "training", "minutes", 15.0),
        ("training.minutes=null", "training", "minutes", None),
        ("training.minutes=", "training", "minutes", None),
        ("training.betas=[0.9, 0.999]", "training", "betas", (0.9, 0.999)),
        ("model.output_bias=true", "model", "output_bias", True),
        ("data.source_language=no", "data", "source_language", "no"),
        ("data.source_language=on", "data", "source_language", "on"),
        ("data.train={source}.txt", "data", "train", ("{source}.txt",)),
        ("data.train=[a=b.en, a=b.de]", "data", "train", ("a=b.en", "a=b.de")),
    ],
)
def test_override_values_are_read_as_yaml_1_2(override, section, key, value):
    actual = getattr(getattr(load_config(None, [override]), section), key)
    assert actual == value
    assert type(actual) is type(value)


def test_overrides_reach_nested_sections():
    assert load_config(None, ["data.cleaning.drop_copies=false"]).data.cleaning.drop_copies is False


def test_files_are_read_as_yaml_1_2(write):
    config = load_config(write("data: {source_language: no}\ntraining: {learning_rate: 1e-4}\n"))
    assert (config.data.source_language, config.training.learning_rate) == ("no", 0.0001)


@pytest.mark.parametrize(
    "content", ["", "# nothing but a comment\n", "\ufeffmodel: {heads: 8}\n", "model: {heads: 8}\r\n"]
)
def test_empty_files_marks_and_line_ends_are_no_matter(write, content):
    assert load_config(write(content)) == Config()


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("training.learning_ratee=1", ["training.learning_ratee", "did you mean training.learning_rate?"]),
        ("modell.heads=8", ["modell", "did you mean model?"]),
        ("data.cleaning.drop_copy=true", ["data.cleaning.drop_copy", "did you mean data.cleaning.drop_copies?"]),
        ("decoding.zzz=1", ["decoding.zzz", "there are: beam, length_penalty"]),
        ("model.heads=7", ["model.heads", "7 heads do not divide d_model 128"]),
        ("model.d_model='64'", ["model.d_model", "valid integer", "'64'"]),
        ("training.learning_rate='1e-4'", ["training.learning_rate", "valid number", "'1e-4'"]),
        ("training.learning_rate=fast", ["training.learning_rate", "valid number", "'fast'"]),
        ("training.betas=[0.9, 2]", ["training.betas.1", "less than 1", "2"]),
        ("model.tie=both", ["model.tie", "'three-way', 'two-way' or 'none'", "'both'"]),
        ("model.heads=", ["model.heads", "valid integer", "None"]),
        ("tokenizer.joint=false", ["model.tie", "tokenizer.joint"]),
        ("data.cleaning=3", ["data.cleaning", "expected a section", "3"]),
        ("data.directory.name=x", ["data.directory"]),
        ("training=3", ["'training=3'", "expected section.key=value"]),
        ("training.steps", ["'training.steps'", "expected section.key=value"]),
        ("training..steps=3", ["'training..steps=3'", "expected section.key=value"]),
        ("tokenizer.vocab_size.x=3", ["vocab_size is not a section"]),
        (f"training.steps={'[' * 2000}", ["training.steps", "valid integer"]),
    ],
)
def test_a_refusal_is_one_line_that_names_the_key(override, parts):
    message = refusal(override)
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("content", ["data: " + "[" * 2000, "\n".join(" " * deep + "a:" for deep in range(600))])
def test_what_is_nested_too_deeply_is_refused(write, content):
    assert "nested too deeply" in refusal(name=write(content))


def test_refusals_name_the_file(write):
    path = write("training: {learning_ratee: 1}\n")
    assert refusal(name=path).startswith(f"{path}: unknown key training.learning_ratee")


def test_a_missing_file_is_named_and_the_nearest_configuration_suggested():
    message = refusal(name="multi30")
    assert "multi30: no such file" in message
    assert "did you mean multi30k?" in message
    assert "there are: base, big" in refusal(name="/nowhere/at/all.yaml")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("model: {heads: 8\ntraining: {}\n", ["line 2", "not YAML"]),
        ("model:\n  heads: 8\n\theads: 4\n", ["line 3", "not YAML"]),
        ("model: {heads: 8}\nmodel: {heads: 4}\n", ["line 2", "duplicate key"]),
        ("model: \x01\n", ["not YAML"]),
        (
            "- model\n",
            ["expected sections (data, tokenizer, model, training, decoding, documents, serving), found a list"],
        ),
        ("model: base\n", ["model: expected a section with keys, found 'base'"]),
        ("model:\n", ["model: expected a section with keys, found None"]),
        ("1: 2\n", ["unknown key 1"]),
        (b"model: {tie: \xff}\n", ["not UTF-8 at byte 13"]),
    ],
)
def test_files_that_are_not_configurations_are_refused(write, content, parts):
    path = write(content)
    message = refusal(name=path)
    assert str(path) in message
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("name", config_names())
@pytest.mark.parametrize("only_changes", [False, True])
def test_what_is_written_reads_back_equal(write, name, only_changes):
    config = load_config(name, ["training.learning_rate=null", "data.cleaning.drop_copies=false"])
    assert load_config(write(dump_config(config, only_changes=only_changes))) == config


TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["no", "null", "~", "1e-4", "true", "2024-01-01", "1_000", "12:30", "- a", "a: b", "#", " x ", "", "'"]
    ),
)


@given(TEXTS, TEXTS, st.floats(min_value=1e-300, max_value=1e300), st.booleans())
def test_any_text_and_number_survives_writing(tmp_path_factory, language, name, rate, only_changes):
    config = parse_config(
        {"data": {"source_language": language, "train": [name]}, "training": {"learning_rate": rate}}, "here"
    )
    path = tmp_path_factory.getbasetemp() / "written.yaml"
    path.write_text(dump_config(config, only_changes=only_changes), encoding="utf-8", newline="\n")
    assert load_config(path) == config


def test_only_changes_leaves_the_defaults_out():
    assert dump_config(load_config(None, ["model.heads=4"]), only_changes=True) == "model: {heads: 4}\n"
    assert dump_config(load_config(None, ["model.heads=8"]), only_changes=True) == "{}\n"
    assert "encoder_layers: 6" in dump_config(Config())


@pytest.mark.parametrize(
    ("name", "expected"), [("tiny", True), ("mine.yaml", True), ("mine.yml", True), ("runs/en-de", False), ("x", False)]
)
def test_configurations_are_told_from_other_paths(name, expected):
    assert is_config(name) is expected


def test_a_configuration_is_changed_by_settings():
    config = Config.model_validate({"decoding": {"beam": 3}})
    changed = change_config(config, ["decoding.n_best=2", "data.source_language=en"])
    assert (changed.decoding.beam, changed.decoding.n_best, changed.data.source_language) == (3, 2, "en")
    assert change_config(config, []) == config
    with pytest.raises(ConfigError, match=r"the settings: unknown key decoding.beem .*did you mean decoding.beam"):
        change_config(config, ["decoding.beem=2"])
    with pytest.raises(ConfigError, match=r"decoding.n_best: 4 translations need a beam at least as wide, not 3"):
        change_config(config, ["decoding.n_best=4"])


def test_settings_are_checked_one_by_one_and_left_as_they_are():
    together = ["model.heads=3", "tokenizer.joint=false", "training.average_last=9"]  # not with the defaults
    assert read_settings(together) == {
        "model": {"heads": 3}, "tokenizer": {"joint": False}, "training": {"average_last": 9}
    }  # fmt: skip
    for wrong in ("model.heads=0", "model.heads=x", "model.hedas=1", "heads=1", "data.cleaning.max_characters=-1"):
        with pytest.raises(ConfigError):
            read_settings([*together, wrong])


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("data.corpora.web.trai=x.tsv", ["data.corpora.web.trai", "did you mean data.corpora.web.train?"]),
        ("data.corpora.web=x.tsv", ["data.corpora.web", "expected a section", "'x.tsv'"]),
        ("data.corpora=x.tsv", ["data.corpora", "expected a section", "'x.tsv'"]),
        ("data.corpora.web.weight=2", ["data.corpora.web.train", "found 0 names"]),
        ("data.corpora.web={train: a.tsv, weight: -1}", ["data.corpora.web.weight", "greater than or equal to 0"]),
        ("data.corpora.web={train: a.tsv, tag: two words}", ["data.corpora.web.tag", "pattern"]),
        ("data.corpora.main.train=x.tsv", ["data.corpora.main", "choose another"]),
        ("data.weight=0", ["data.weight", "nothing to train on"]),
    ],
)
def test_settings_of_named_corpora_are_checked(override, parts):
    message = refusal(override)
    assert [part for part in parts if part not in message] == []


def test_named_corpora_are_set_by_name(write):
    path = write("data: {corpora: {web: {train: web.tsv, weight: 0.5}}}\n")
    config = load_config(path, ["data.corpora.web.weight=2", "data.corpora.back.train=[b.en, b.de]"])
    assert list(config.data.corpora) == ["web", "back"]
    assert (config.data.corpora["web"].train, config.data.corpora["web"].weight) == (("web.tsv",), 2)
    assert config.data.corpora["back"].train == ("b.en", "b.de")
    assert load_config(write(dump_config(config))) == config
    assert hash(load_config(write(dump_config(config)))) == hash(config)


def test_what_a_named_corpus_leaves_unset_is_as_for_the_main_one():
    reverse = "data.corpora.back={train: t.tsv, source_language: de, target_language: en, columns: [2, 1]}"
    named = ["data.source_language=en", "data.target_language=de", "data.fields=[a, b]", "data.weight=3"]
    every = load_config(None, [*named, reverse, "data.corpora.web.train=w.tsv"]).data.every_corpus
    found = {name: (one.source_language, one.target_language, one.columns, one.weight) for name, one in every.items()}
    assert found == {"main": ("en", "de", (1, 2), 3), "back": ("de", "en", (2, 1), 1), "web": ("en", "de", (1, 2), 1)}
    assert {one.fields for one in every.values()} == {("a", "b")}


def test_refusals_tell_settings_from_the_file(write):
    path = write("training: {steps: 5, minutes: 2}\ndata: {source_language: en}\n")
    assert refusal("training.steps=none", name=path).startswith("the settings: training.steps: input should be")
    assert refusal("training.betas=[0.9, 2]", name=path).startswith("the settings: training.betas.1: ")
    assert refusal("training.stepz=3", name=path).startswith("the settings: unknown key training.stepz")
    assert refusal("training.step=3", "training.steps=4", name=path).startswith("the settings: unknown key")
    path = write("training: {steps: none}\n")
    assert refusal("training.minutes=5", name=path).startswith(f"{path}: training.steps: ")
