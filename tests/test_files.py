"""Files are written whole or not at all."""

import os
import stat
import threading
from pathlib import Path

import pytest

from ferryman.files import replacing, write_bytes, write_text


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_text_is_utf8_with_lf_on_every_system(tmp_path):
    write_text(tmp_path / "new" / "folder" / "a.txt", "ồ\n中\n")
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == "ồ\n中\n".encode()


def test_bytes(tmp_path):
    write_bytes(tmp_path / "a", b"\x00\r\n")
    write_bytes(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"second"
    assert names(tmp_path) == ["a"]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a"
    write_bytes(path, b"old")
    with replacing(path) as unfinished:
        unfinished.write_bytes(b"ne")
        assert path.read_bytes() == b"old"
        assert unfinished.parent == path.parent
    assert path.read_bytes() == b"ne"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_alone(tmp_path, error):
    path = tmp_path / "a"
    write_bytes(path, b"old")
    with pytest.raises(error), replacing(path) as unfinished:
        unfinished.write_bytes(b"ne")
        raise error
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_failure_leaves_no_file_where_there_was_none(tmp_path):
    with pytest.raises(RuntimeError), replacing(tmp_path / "a"):
        raise RuntimeError
    assert names(tmp_path) == []


def test_a_full_disk(tmp_path, monkeypatch):
    write_bytes(tmp_path / "a", b"old")

    def write_some(self, content):
        with self.open("wb") as file:
            file.write(content[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_some)
    with pytest.raises(OSError, match="No space left") as caught:
        write_bytes(tmp_path / "a", b"a new content")
    assert caught.value.filename == str(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_what_is_renamed_was_flushed_to_disk(tmp_path, monkeypatch):
    """Otherwise a power cut after the renaming could leave an empty file."""
    path, flushed = tmp_path / "a", []
    fsync = os.fsync

    def watched(descriptor):
        flushed.append((os.fstat(descriptor).st_size, path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    write_bytes(path, b"12345")
    assert flushed == [(5, False)]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_others_may_read_it_whoever_wrote_it(tmp_path):
    """Some libraries write files for their owner alone; a model is also for the user that a service runs as."""
    plain = tmp_path / "plain"
    plain.touch()
    with replacing(tmp_path / "a") as unfinished:
        unfinished.unlink()
        os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY, 0o600))
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """As /dev/null, /dev/stdout and >(…) must be."""
    pipe, link, read = tmp_path / "pipe", tmp_path / "link", []
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
        reader.start()
        write_text(path, "a\n")
        reader.join(timeout=10)
    assert read == [b"a\n", b"a\n"]
    assert pipe.is_fifo()
    assert names(tmp_path) == ["link", "pipe"]


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path, there):
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to("far/target")
    if there:
        write_text(target, "old")
    with pytest.raises(RuntimeError), replacing(link) as unfinished:
        unfinished.write_text("ne", encoding="utf-8")
        raise RuntimeError
    assert target.exists() is there
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert (names(tmp_path), names(target.parent)) == (["far", "link"], ["target"])


def test_a_folder_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match=r"directory|denied"):
        write_text(tmp_path / "a", "x")
    assert names(tmp_path) == ["a"]
