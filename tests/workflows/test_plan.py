"""From the words on the command line to a configuration and a folder."""

from pathlib import Path

import pytest

from ferryman.errors import ConfigError
from ferryman.workflows.plan import corpus_settings, plan


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
    config, folder = plan(names, [], None)
    assert (config.data.source_language, config.data.target_language) == languages
    assert config.data.train == names
    assert folder == Path("runs") / "-".join(languages)


@pytest.mark.parametrize("names", [("source.txt", "target.txt"), ("train.en", "target"), ("train.text", "x.de")])
def test_languages_that_cannot_be_told_are_asked_for(names):
    with pytest.raises(ConfigError, match=r"data\.source_language=en"):
        plan(names, [], None)
    config, _ = plan(names, ["data.source_language=en", "data.target_language=fi"], None)
    assert config.data.target_language == "fi"


def test_settings_come_after_what_names_tell():
    config, folder = plan(("a.en", "a.no"), ["data.target_language=nb"], Path("mine"))
    assert config.data.target_language == "nb"  # and "no" was the language, not false
    assert folder == Path("mine")


def test_odd_file_names_stay_whole():
    names = ("it's a [file], 1.en", "b: c #1.de")
    assert plan(names, [], None)[0].data.train == names
    assert corpus_settings(["a.tsv"]) == ["data.train=['a.tsv']"]


def test_a_configuration_gives_the_folder_its_name(tmp_path):
    path = tmp_path / "ours.yaml"
    path.write_text("data: {source_language: en, target_language: de}\ntraining: {steps: 1}\n", encoding="utf-8")
    assert plan([str(path)], [], None)[1] == Path("runs/ours")
    assert plan(["multi30k"], [], None)[1] == Path("runs/multi30k")
