"""Names to files."""

from pathlib import Path

import pytest

from ferryman.corpus import expand, resolve
from ferryman.corpus.files import format_of
from ferryman.errors import DataError


@pytest.fixture
def folder(tmp_path):
    for name in ("train.en", "train.de", "memory.tmx", "b.mo", "a.po.gz", "notes.txt"):
        (tmp_path / name).write_text("x\n")
    return tmp_path


def test_placeholders_stand_for_the_languages(folder):
    assert resolve(folder, ("train.{source}", "train.{target}"), ("en", "de")) == [
        folder / "train.en",
        folder / "train.de",
    ]


def test_no_names_are_no_files(folder):
    assert resolve(folder, (), ("", "")) == []


def test_an_absolute_name_leaves_the_directory(folder):
    assert resolve(Path("/nowhere"), (str(folder / "memory.tmx"),), ("en", "de")) == [folder / "memory.tmx"]


def test_a_missing_file_is_explained_by_what_lies_near(folder):
    with pytest.raises(DataError, match=r"train\.fr: no such file; did you mean train\.(en|de) or train\.(en|de)"):
        resolve(folder, ("train.{source}", "train.{target}"), ("en", "fr"))


def test_a_missing_folder_is_named_rather_than_the_file_in_it(folder):
    with pytest.raises(DataError, match=r"nowhere: no such file or folder; .* holds .*memory\.tmx"):
        resolve(folder / "nowhere", ("memory.tmx",), ("en", "de"))


@pytest.mark.parametrize(
    ("names", "languages", "message"),
    [
        (("train.{source}", "train.{target}"), ("en", ""), r"\{target\} stands for .*data\.target_language is not set"),
        (("train.en", "train.en"), ("en", "de"), "the same file"),
        (("a", "b", "c"), ("en", "de"), "3 names"),
        (("*.xliff",), ("en", "de"), "no file matches"),
    ],
)
def test_impossible_names_are_refused(folder, names, languages, message):
    with pytest.raises(DataError, match=message):
        resolve(folder, names, languages)


def test_a_folder_and_a_pattern_stay_one_path_and_expand_sorted(folder):
    assert resolve(folder, ("*.[mp]o*",), ("en", "de")) == [folder / "*.[mp]o*"]
    assert expand(folder / "*.[mp]o*") == [folder / "a.po.gz", folder / "b.mo"]
    assert expand(folder) == [folder / "a.po.gz", folder / "b.mo", folder / "memory.tmx"]


def test_a_relative_pattern_expands(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert expand(Path("*.mo")) == [Path("b.mo")]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    file = tmp_path / "a[1].tsv"
    file.write_text("a\tb\n")
    assert expand(file) == [file]


def test_a_folder_without_pairs_is_refused(tmp_path):
    with pytest.raises(DataError, match="holds no file of pairs"):
        expand(tmp_path)


@pytest.mark.parametrize(
    ("name", "format_"), [("a.tsv", ".tsv"), ("a.TMX.gz", ".tmx"), ("a.jsonl", ".jsonl"), ("a.gz", ""), ("a.txt", "")]
)
def test_the_ending_tells_the_format(name, format_):
    assert format_of(Path(name)) == format_


def test_of_a_relative_name_the_folder_looked_in_is_told(tmp_path, monkeypatch):
    (tmp_path / "val.en").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=rf"crlf\.en: no such file in {tmp_path}; did you mean val\.en"):
        resolve(Path(), ["crlf.en", "crlf.de"], ("en", "de"))
