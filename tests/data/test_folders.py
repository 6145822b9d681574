"""Folders that are whole or not there, whoever else writes them."""

import os
import subprocess
import sys

import pytest

from ferryman.data import folders
from ferryman.data.folders import finishing


def fill(folder, text="new", **options):
    with finishing(folder, **options) as unfinished:
        (unfinished / "deep").mkdir()
        (unfinished / "deep" / "file").write_text(text)


def names(parent):
    return [path.name for path in parent.iterdir()]


def read(folder):
    return (folder / "deep" / "file").read_text()


def test_a_folder_has_its_name_only_when_it_is_whole(tmp_path):
    with finishing(tmp_path / "under" / "a") as unfinished:
        (unfinished / "file").write_text("x")
        assert not (tmp_path / "under" / "a").exists()
    assert names(tmp_path / "under") == ["a"]
    assert names(tmp_path / "under" / "a") == ["file"]
    made = tmp_path / "made"
    made.mkdir()
    assert (tmp_path / "under" / "a").stat().st_mode == made.stat().st_mode


def test_a_failure_leaves_the_old_folder(tmp_path):
    fill(tmp_path / "a", "old")
    with pytest.raises(KeyboardInterrupt), finishing(tmp_path / "a"):
        raise KeyboardInterrupt
    assert names(tmp_path) == ["a"]
    assert read(tmp_path / "a") == "old"


def test_an_old_folder_is_replaced_unless_it_is_to_be_kept(tmp_path):
    fill(tmp_path / "a", "old")
    fill(tmp_path / "a", "new")
    assert read(tmp_path / "a") == "new"
    fill(tmp_path / "a", "newer", keep=lambda found: read(found) == "new")
    assert read(tmp_path / "a") == "new"
    fill(tmp_path / "a", "newest", keep=lambda found: read(found) == "other")
    assert read(tmp_path / "a") == "newest"
    assert names(tmp_path) == ["a"]


def test_a_folder_that_another_finished_at_the_last_moment_is_kept(tmp_path, monkeypatch):
    """It appears between the look for it and the renaming."""
    remove = folders._remove

    def and_another_is_faster(folder):
        monkeypatch.setattr(folders, "_remove", remove)
        fill(folder, "other")

    monkeypatch.setattr(folders, "_remove", and_another_is_faster)
    fill(tmp_path / "a", "mine", keep=lambda _: True)
    assert read(tmp_path / "a") == "other"
    assert names(tmp_path) == ["a"]


def test_what_dead_processes_left_is_removed_and_what_live_ones_write_is_not(tmp_path, monkeypatch):
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True, text=True
    )
    left = tmp_path / folders._unfinished_name("b").replace(f".{os.getpid()}.", f".{dead.stdout.strip()}.")
    (left / "deep").mkdir(parents=True)
    (left / "deep" / "file").write_text("x")
    living = tmp_path / folders._unfinished_name("b")
    monkeypatch.setattr(folders, "_host", lambda: "elsewhere")
    other, old = (tmp_path / folders._unfinished_name(name) for name in ("recent", "old"))
    monkeypatch.undo()
    for folder in (living, other, old):
        folder.mkdir()
        (folder / "file").write_text("x")
    for path in (old, old / "file", other):  # in the recent one a file was written just now
        os.utime(path, (1e9, 1e9))
    kept = tmp_path / ".mine.unfinished"
    kept.mkdir()
    fill(tmp_path / "a")
    assert sorted(names(tmp_path)) == sorted(["a", living.name, other.name, kept.name])
