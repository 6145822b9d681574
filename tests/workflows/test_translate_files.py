"""Which file goes where, and that a person who types is answered line by line."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from ferryman.config_file import load_config
from ferryman.errors import ConfigError, DataError
from ferryman.translator import Translation
from ferryman.workflows.translate import Console, Job, Tally, count_texts, plan_jobs, translate_files


@pytest.fixture
def files(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b").mkdir()
    for name, lines in (("one", "1\n2\n"), ("two", "3\n"), ("b/one", "4")):
        Path(name).write_text(lines, encoding="utf-8")


def upper(text: str) -> Translation:
    return Translation(text.upper(), -1.0, -1.0, (7, 8), ("split",) if len(text) > 3 else ())


def fake_translator(asked: list[list[str]]) -> SimpleNamespace:
    def translate(texts, *, to, first):
        assert to == "de"
        asked.append([f"{first}:", *texts])
        return [upper(text) for text in texts]

    config = load_config("tiny", ["data.source_language=en", "data.target_language=de"])
    return SimpleNamespace(translate=translate, target_language=lambda to: "de", config=config)


@pytest.mark.parametrize(
    ("names", "output", "jobs"),
    [
        ([], None, [(None, None)]),
        (["-"], "out", [(None, "out")]),
        (["-", "one"], None, [(None, None), ("one", None)]),
        (["one", "-", "two"], None, [("one", None), (None, None), ("two", None)]),
        (["one"], "out", [("one", "out")]),
        (["one"], "b", [("one", "b/one")]),  # another file of that name
        (["two"], "b", [("two", "b/two")]),
        (["one", "two"], "out", [("one", "out/one"), ("two", "out/two")]),
        (["one", "b/one"], "out", ConfigError("the same name")),
        (["one", "two"], "two", ConfigError("two is no folder")),
        (["-", "one"], "out", ConfigError("standard input has no name")),
        ([], "b", ConfigError("b is a folder")),
        (["-", "-"], None, ConfigError("named twice")),
        (["b/one"], "b", ConfigError("b/one: the translation would replace its source")),
        (["one"], "one", ConfigError("one: the translation would replace its source")),
        (["missing"], None, DataError("missing: no such file")),
        (["b"], None, DataError("b: this is a folder")),
    ],
)
def test_inputs_are_paired_with_outputs(files, names, output, jobs):
    where = None if output is None else Path(output)
    if isinstance(jobs, list):
        expected = [Job(*(None if name is None else Path(name) for name in job)) for job in jobs]
        assert plan_jobs(names, where) == expected
    else:
        with pytest.raises(type(jobs), match=str(jobs)):
            plan_jobs(names, where)


def test_texts_are_counted_where_that_is_possible(files):
    jobs = plan_jobs(["one", "b/one"], None)
    assert count_texts(jobs) == 3
    assert count_texts([*jobs, Job(None, None)]) is None


@pytest.mark.parametrize("typed", [True, False])
def test_typed_lines_are_answered_one_by_one(typed):
    asked, written, tally = [], [], Tally()
    console = Console(io.BytesIO(b"one\nthree\n"), written.append, typed)
    translate_files(fake_translator(asked), [Job(None, None)], console, lambda found: found.text, tally)
    assert written == ["ONE", "THREE"]
    assert asked == ([["1:", "one"], ["2:", "three"]] if typed else [["1:", "one", "three"]])
    assert (tally.texts, tally.tokens, dict(tally.flags)) == (2, 4, {"split": 1})
    assert tally.tokens_per_second > 0


def test_files_and_standard_input_in_the_order_given(files):
    written, tally = [], Tally()
    console = Console(io.BytesIO(b"x\n"), written.append)
    jobs = [*plan_jobs(["two", "-", "one"], None), Job(Path("b/one"), Path("out"))]
    translate_files(fake_translator([]), jobs, console, lambda found: f"<{found.text}>", tally)
    assert written == ["<3>", "<X>", "<1>", "<2>"]
    assert Path("out").read_bytes() == b"<4>\n"
    assert tally.texts == 5
