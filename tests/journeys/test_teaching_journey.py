"""``ferryman back-translate`` and ``distill``: pairs that a model writes, gone on with after any interruption."""

import json
from pathlib import Path

import pytest

import ferryman as library
from ferryman.translator import Translator
from ferryman.workflows import synthesis
from ferryman.workflows.growing import growing

TABS = "apfel\tbaum\u2028haus ."


def read(path: Path) -> list[tuple[str, str]]:
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return [(record["source"], record["target"]) for record in records]


@pytest.fixture
def texts(tmp_path, pairs) -> Path:
    """Forty sentences in the language that the trained model translates, and lines that are nothing to learn from."""
    lines = [source for source, _ in pairs]
    lines[3:3] = ["", "\u00a0", "haus " * 600, TABS]
    path = tmp_path / "texts.en"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def test_back_translation_pairs_real_targets_with_sources_of_the_model(ferryman, trained, texts, tmp_path, quick):
    output = tmp_path / "new" / "pairs.jsonl"
    result = ferryman("back-translate", trained.folder, texts, "-o", output)
    assert result.exit_code == 0, result.stderr
    assert "41 pairs in" in result.stderr
    assert "of 44 lines; skipped: 2 blank, 1 over decoding.max_source_tokens" in result.stderr
    assert [path.name for path in output.parent.iterdir()] == ["pairs.jsonl"]
    lines = [line for line in texts.read_text(encoding="utf-8").split("\n") if line.strip() and len(line) < 999]
    greedy = library.load(trained.folder, ["decoding.beam=1"]).translate(lines)
    assert read(output) == [(one.text, line) for one, line in zip(greedy, lines, strict=True)]
    assert TABS in [target for _, target in read(output)]
    command = result.stderr.splitlines()[-1].partition("ferryman ")[2].split()
    assert command[2:] == ["data.source_language=de", "data.target_language=en"]
    trained_on = ferryman(*command, "-o", tmp_path / "run", *quick)
    assert trained_on.exit_code == 0, trained_on.stderr
    assert "corpus: 41 pairs read" in trained_on.stderr


def test_distillation_from_teacher_to_student(ferryman, trained, tmp_path, quick):
    output, student = tmp_path / "taught.jsonl", tmp_path / "student"
    assert ferryman("distill", trained.folder, trained.source, "-o", output).exit_code == 0
    sources = trained.source.read_text(encoding="utf-8").splitlines()
    beam = library.load(trained.folder).translate(sources)
    assert read(output) == [(text, one.text) for text, one in zip(sources, beam, strict=True)]
    smaller = ["data.source_language=en", "data.target_language=de", "model.decoder_layers=1", "training.steps=60"]
    result = ferryman("train", output, "-o", student, *quick, *smaller, "data.valid_pairs=20")
    assert result.exit_code == 0, result.stderr
    assert ferryman("translate", student, stdin="apfel baum .\n").exit_code == 0
    assert "1 layers" in ferryman("info", student).stdout or "2 + 1 layers" in (student / "README.md").read_text()


@pytest.mark.parametrize("form", ["files", "pairs"])
def test_with_references_the_closest_hypothesis_is_taken(ferryman, trained, tmp_path, form):
    """References that are the fifth best translation, of which nothing is closer than itself."""
    translator = library.load(trained.folder, ["decoding.n_best=5"])
    sources = trained.source.read_text(encoding="utf-8").splitlines()[:10]
    fifth = [one.alternatives[-1].text for one in translator.translate(sources)]
    assert all(fifth)
    files = [tmp_path / "some.en", tmp_path / "some.de"] if form == "files" else [tmp_path / "some.tsv"]
    columns = [sources, fifth] if form == "files" else [[f"{a}\t{b}" for a, b in zip(sources, fifth, strict=True)]]
    for path, lines in zip(files, columns, strict=True):
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    result = ferryman("distill", trained.folder, *files, "-o", tmp_path / "taught.jsonl")
    assert result.exit_code == 0, result.stderr
    assert read(tmp_path / "taught.jsonl") == list(zip(sources, fifth, strict=True))


def test_three_lines_of_python_do_the_same(ferryman, trained, texts, tmp_path):
    ferryman("back-translate", trained.folder, texts, "-o", tmp_path / "a.jsonl")
    counts = library.back_translate(trained.folder, texts, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert (counts.lines, counts.pairs, counts.skipped) == (44, 41, {"blank": 2, "over decoding.max_source_tokens": 1})
    counts = library.distill(trained.folder, texts, tmp_path / "c.jsonl", ["decoding.max_length_ratio=0.001"])
    assert counts.pairs + sum(counts.skipped.values()) == 44


def test_translations_without_an_end_are_left_out(ferryman, trained, texts, tmp_path):
    bound = ["decoding.max_length_ratio=0.001", "decoding.max_length_extra=0"]
    result = ferryman("back-translate", trained.folder, texts, "-o", tmp_path / "pairs.jsonl", *bound)
    assert result.exit_code == 1  # there is nothing to train on, and no file that looks as if there were
    assert "no pair could be made of 44 lines (2 blank, 1 over decoding.max_source_tokens, 41 " in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("pairs*"))


@pytest.fixture
def interrupt(monkeypatch):
    """Let the third of the chunks, of ten lines each, be interrupted."""

    def set_up(error: BaseException) -> None:
        translate, calls = Translator.translate, iter([None, None, error])

        def interrupted(self, texts):
            stop = next(calls, None)
            if stop is not None:
                raise stop
            return translate(self, texts)

        monkeypatch.setattr(synthesis, "CHUNK", 10)
        monkeypatch.setattr(Translator, "translate", interrupted)

    return set_up


def test_the_same_command_goes_on_where_it_stopped(ferryman, trained, texts, tmp_path, interrupt):
    whole, output = tmp_path / "whole.jsonl", tmp_path / "pairs.jsonl"
    command = ["back-translate", trained.folder, texts, "-o", output]
    interrupt(KeyboardInterrupt())
    stopped = ferryman(*command)
    assert stopped.exit_code == 130
    assert "17 pairs kept; the same command goes on from there" in stopped.stderr
    assert not output.exists()
    unfinished = tmp_path / "pairs.jsonl.unfinished"
    with (unfinished / "content").open("ab") as file:
        file.write(b'{"source": "as a kill leaves it')
    before = {path: path.read_bytes() for path in unfinished.iterdir()}
    other = ferryman(*command, "decoding.beam=2")
    assert other.exit_code == 2
    assert "what it is made of has changed since it was begun (decoding)" in other.stderr
    assert {path: path.read_bytes() for path in unfinished.iterdir()} == before
    resumed = ferryman(*command)
    assert resumed.exit_code == 0, resumed.stderr
    assert "going on after line 20" in resumed.stderr
    assert "41 pairs in" in resumed.stderr
    assert "of 44 lines; skipped: 2 blank, 1 over decoding.max_source_tokens" in resumed.stderr
    assert not unfinished.exists()
    assert ferryman("back-translate", trained.folder, texts, "-o", whole).exit_code == 0
    assert output.read_bytes() == whole.read_bytes()


def test_a_full_disk_keeps_what_was_done(ferryman, trained, texts, tmp_path, interrupt):
    command = ["back-translate", trained.folder, texts, "-o", tmp_path / "pairs.jsonl"]
    interrupt(OSError(28, "No space left on device"))
    full = ferryman(*command)
    assert full.exit_code == 1
    assert "pairs.jsonl: cannot write it: No space left on device; make room, then the same command" in full.stderr
    assert "going on after line 20" in ferryman(*command).stderr


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        (["texts.en", "-o", "pairs.tsv"], 2, "choose a name that ends in .jsonl"),
        (["texts.en", "-o", "there.jsonl"], 2, "there.jsonl is there already; delete it"),
        (["texts.de", "-o", "new.jsonl"], 2, "texts.de: its name tells de, but where"),
        (["missing.en", "-o", "new.jsonl"], 1, "missing.en: cannot be read: No such file"),
        (["empty.en", "-o", "new.jsonl"], 1, "there is no line to translate"),
        (["broken.en", "-o", "new.jsonl"], 1, "broken.en, line 2, byte 1"),
    ],
)
@pytest.mark.parametrize("command", ["back-translate", "distill"])
def test_mistakes_are_told_before_any_work(ferryman, trained, tmp_path, monkeypatch, command, what, code, words):
    monkeypatch.chdir(tmp_path)
    contents = {"texts.en": b"a\n", "texts.de": b"a\n", "there.jsonl": b"", "empty.en": b"", "broken.en": b"a\n\xff\n"}
    for name, content in contents.items():
        Path(name).write_bytes(content)
    result = ferryman(command, trained.folder, *what)
    assert result.exit_code == code
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(contents)


def test_one_process_makes_a_file(ferryman, trained, texts, tmp_path):
    pytest.importorskip("fcntl", reason="nothing is locked on Windows")
    with growing(tmp_path / "pairs.jsonl", {}):
        result = ferryman("back-translate", trained.folder, texts, "-o", tmp_path / "pairs.jsonl")
    assert result.exit_code == 1
    assert "another process is making this file" in result.stderr
