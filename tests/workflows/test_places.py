"""What is there stays: neither a run nor a model is written over files that are somebody else's."""

from pathlib import Path

import pytest

from ferryman.errors import CheckpointError, ConfigError, TrainingError
from ferryman.workflows.average import average_run
from ferryman.workflows.demo import Demo
from ferryman.workflows.run import TrainingRun

OWN = "mine, with a comment\n"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def own_file(tmp_path):
    def write(path: str) -> Path:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(OWN, encoding="utf-8")
        return file

    return write


@pytest.mark.parametrize(
    "name", ["config.yaml", "README.md", "corpus.json", "metrics.jsonl", "tokenizer.model", "source.model"]
)
def test_a_run_does_not_write_over_files_of_others(new_run, own_file, name):
    file = own_file(f"run/{name}")
    with pytest.raises(TrainingError, match=rf"holds {name}, which a run would replace; choose another folder with -o"):
        new_run("run")
    assert contents(file.parent) == {name: OWN.encode()}


def test_files_that_a_run_leaves_alone_do_not_keep_it_away(new_run, own_file):
    notes = own_file("run/notes.txt")
    list(new_run("run").events())
    assert notes.read_text(encoding="utf-8") == OWN


@pytest.mark.parametrize("last", ["keep_corpus", "begin", "save_state"])
def test_a_run_stopped_before_its_first_save_is_begun_again_by_the_same_command(new_run, monkeypatch, tmp_path, last):
    method = f"ferryman.workflows.folder.RunFolder.{last}"
    monkeypatch.setattr(method, lambda *_: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(MemoryError):
        list(new_run("run").events())
    monkeypatch.undo()
    list(new_run("run").events())
    assert (tmp_path / "run" / "model.safetensors").exists()


def test_going_on_in_a_folder_that_never_held_a_run_changes_nothing(own_file):
    folder = own_file("run/config.yaml").parent
    (folder / "config.yaml").write_text("# mine\ntraining: {steps: 2}\n", encoding="utf-8")
    before = contents(folder)
    with pytest.raises(CheckpointError, match="no run to go on with"):
        TrainingRun.resume(folder)
    assert contents(folder) == before


def test_a_run_stopped_while_it_prepared_says_how_to_go_on(tmp_path):
    (tmp_path / "prepared").mkdir()
    with pytest.raises(CheckpointError, match="stopped before its first save, give the same command again"):
        TrainingRun.resume(tmp_path)


def test_a_file_is_no_folder(new_run, own_file):
    file = own_file("run")
    with pytest.raises(TrainingError, match="run is a file, and a run needs a folder"):
        new_run("run")
    with pytest.raises(TrainingError, match="run is a file, and a run needs a folder"):
        Demo(file, "de")
    assert file.read_text(encoding="utf-8") == OWN


def test_an_average_takes_nothing_s_place(new_run, own_file, tmp_path):
    run = new_run("run")
    list(run.events())
    own_file("project/README.md")
    average_run(run.folder, 2, tmp_path / "average")
    for folder, words in (
        (tmp_path / "project", "holds README.md, which would be replaced"),
        (tmp_path / "average", "already holds a model"),
        (run.folder / "checkpoints", "holds the checkpoints of a training run"),
        (own_file("file.yaml"), "is a file"),
    ):
        before = contents(folder) if folder.is_dir() else None
        with pytest.raises(ConfigError, match=words):
            average_run(run.folder, 3, folder)
        assert before is None or contents(folder) == before
