"""From the words on the command line to a configuration and a folder."""

from pathlib import Path

import pytest

from ferryman.errors import ConfigError, DataError
from ferryman.workflows.plan import corpus_settings, plan


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(*names: str) -> tuple[str, ...]:
    """Write three lines into each file."""
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("one\ntwo\nthree\n", encoding="utf-8")
    return names


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (("train.en", "train.de"), ("en", "de")),
        (("a/train.en.txt", "a/train.zh-Hans.txt"), ("en", "zh-Hans")),
        (("train.en.gz", "train.pt-BR.gz"), ("en", "pt-BR")),
        (("news.2019.en", "news.2019.fr"), ("en", "fr")),
    ],
)
def test_languages_are_told_by_names(names, languages):
    config, folder, _ = plan(write(*names), [], None)
    assert (config.data.source_language, config.data.target_language) == languages
    assert config.data.train == names
    assert folder == Path("runs") / "-".join(languages)


@pytest.mark.parametrize("names", [("source.txt", "target.txt"), ("train.en", "target"), ("train.text", "x.de")])
def test_languages_that_cannot_be_told_are_asked_for(names):
    with pytest.raises(ConfigError, match=r"data\.source_language=en"):
        plan(names, [], None)
    config, *_ = plan(write(*names), ["data.source_language=en", "data.target_language=fi"], None)
    assert config.data.target_language == "fi"


def test_settings_come_after_what_names_tell():
    config, folder, _ = plan(write("a.en", "a.no"), ["data.target_language=nb"], Path("mine"))
    assert config.data.target_language == "nb"  # and "no" was the language, not false
    assert folder == Path("mine")


def test_languages_that_contradict_the_names_are_told():
    names = write("a.de", "a.en")
    turned = ["data.source_language=en", "data.target_language=de"]
    notices = plan(names, turned, None).notices
    assert "a.de: its name tells de, but it is taken as en (source_language)" in notices[0]
    assert "a.en: its name tells en, but it is taken as de (target_language)" in notices[1]
    by_file = plan(["tiny"], ["data.valid=[v.de, v.en]", *turned]).notices
    assert [notice.partition(":")[0] for notice in by_file] == ["v.de", "v.en"]
    assert not any("its name" in notice for notice in plan(names, ["data.target_language=en-GB"], None).notices)


def test_a_language_is_not_translated_into_itself():
    with pytest.raises(ConfigError, match=r"are both de; h\.en: its name tells en, but it is taken as de"):
        plan(write("h.en", "h.de"), ["data.source_language=de"], None)
    with pytest.raises(ConfigError, match="are both de"):
        plan(write("pairs.tsv"), ["data.source_language=de", "data.target_language=DE"], None)


def test_odd_file_names_stay_whole():
    names = ("it's a [file], 1.en", "b: c #1.de")
    assert plan(write(*names), [], None).config.data.train == names
    assert corpus_settings(["a.tsv"]) == ["data.train=['a.tsv']"]


def test_a_configuration_gives_the_folder_its_name(tmp_path):
    path = tmp_path / "ours.yaml"
    path.write_text("data: {source_language: en, target_language: de}\ntraining: {steps: 1}\n", encoding="utf-8")
    assert plan([str(path)], [], None).folder == Path("runs/ours")
    assert plan(["multi30k"], [], None).folder == Path("runs/multi30k")
    assert plan(["multi30k"], [], None).notices == ()


def test_files_get_a_configuration_chosen_for_them_around_what_is_set():
    config, _, notices = plan(write("a.en", "a.de"), ["model.d_model=256", "training.threads=1"], None)
    assert (config.model.d_model, config.training.batch_tokens, config.training.minutes) == (256, 2048, 15)
    assert "3 pairs" in notices[0]
    assert "1 thread at" in notices[0]
    assert any("model.d_ff=1024" in notice for notice in notices)
    assert not any("d_model=" in notice for notice in notices)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("model.d_modle=1", "did you mean model.d_model?"),
        ("model.d_model=wide", "model.d_model: .*'wide'"),
        ("training.steps=-1", "training.steps: .*-1"),
        ("model.heads=0", "model.heads: .*0"),
        ("tokenizer.vocab_size=0", "tokenizer.vocab_size: .*0"),
        ("training.average_last=9", "average_last: 9 is more than keep_checkpoints 5"),
        ("data.train=[a,b,c]", "train: expected two aligned files"),
    ],
)
def test_what_is_set_wrong_is_refused(setting, words):
    with pytest.raises(ConfigError, match=words):
        plan(write("a.en", "a.de"), [setting], None)


def test_settings_that_contradict_each_other_are_refused_and_not_rewritten():
    with pytest.raises(ConfigError, match="3 heads do not divide d_model 64"):
        plan(write("a.en", "a.de"), ["model.heads=3", "model.d_model=64"], None)
    with pytest.raises(ConfigError, match="three-way tying needs one joint vocabulary"):
        plan(write("a.en", "a.de"), ["tokenizer.joint=false", "model.tie=three-way"], None)


def test_a_corpus_that_cannot_be_read_is_its_reader_s_error():
    write("a.en")
    Path("a.de").write_text("one\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.en has 3 lines but a\.de has 1"):
        plan(("a.en", "a.de"), [], None)


def test_all_corpora_are_looked_at_but_those_never_trained_on():
    files = write("train.en", "train.de", "web.tsv", "unused.tsv")
    Path("web.tsv").write_text("".join(f"a {n}\tb {n}\n" for n in range(500)), encoding="utf-8")
    more = ["data.corpora.web.train=web.tsv", "data.corpora.no={train: unused.tsv, weight: 0}"]
    assert "for 503 pairs" in plan(files[:2], more).notices[0]
