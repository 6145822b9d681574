"""``ferryman train``: from files of every form to a model folder, or to one clear line that says what is wrong."""

import json
from pathlib import Path

import polib
import pytest
from safetensors import safe_open

from ferryman.training.metrics import read_metrics


def corpus_report(folder: Path) -> dict:
    return json.loads((folder / "corpus.json").read_text(encoding="utf-8"))


def assert_refused(result, code: int, *words: str) -> None:
    assert result.exit_code == code, result.stderr
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("ferryman: ")
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_two_files_make_a_model_that_translates(ferryman, trained, test_files):
    names = {path.name for path in trained.folder.iterdir()}
    assert names == {
        "README.md", "checkpoints", "config.yaml", "corpus.json", "metrics.jsonl", "model.safetensors", "prepared",
        "tokenizer.model", "training_state.safetensors",
    }  # fmt: skip
    result = ferryman("translate", trained.folder, test_files[0], "decoding.threads=1")
    assert result.exit_code == 0
    assert any("." in line for line in result.stdout.splitlines())


def test_languages_are_told_from_the_names(ferryman, trained):
    facts = json.loads(ferryman("info", trained.folder, "--json").stdout)
    assert facts["languages"] == "en → de"
    assert facts["trained"].startswith("80 steps")
    assert facts["best validation"]["bleu"] > 0


def test_metrics_are_valid_json_lines(trained):
    text = (trained.folder / "metrics.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line, parse_constant=pytest.fail) for line in text.split("\n")[:-1]]
    kinds = [record["kind"] for record in records]
    assert kinds.count("step") == 8
    assert kinds.count("stop") == 1
    assert [r["step"] for r in records if r["kind"] == "validation"] == [20, 40, 60, 80, 80]  # the average is last
    assert next(r["reason"] for r in records if r["kind"] == "stop") == "all 80 steps are done"


def test_a_configuration_file(ferryman, write_pairs, pairs, tmp_path, quick):
    write_pairs(pairs)
    config = tmp_path / "mine.yaml"
    config.write_text(
        "data: {source_language: en, target_language: de, train: ['corpus.{source}', 'corpus.{target}']}\n"
        "training: {schedule: constant, minutes: 5}\n",
        encoding="utf-8",
    )
    result = ferryman("train", config, "-o", tmp_path / "run", f"data.directory={tmp_path}", *quick)
    assert result.exit_code == 0, result.stderr
    resolved = (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    assert "schedule: constant" in resolved
    assert "steps: 2\n" in resolved
    assert "minutes:\n" in resolved  # the budget given takes the place of the file's


def test_one_file_of_pairs(ferryman, pairs, tmp_path, quick):
    (tmp_path / "a.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in pairs), encoding="utf-8")
    rows = (json.dumps({"source": s, "target": t}) for s, t in pairs)
    (tmp_path / "a.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{s}</seg></tuv><tuv xml:lang="de"><seg>{t}</seg></tuv></tu>' for s, t in pairs
    )
    (tmp_path / "a.tmx").write_text(
        f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>', encoding="utf-8"
    )
    catalogue = polib.POFile()
    catalogue.metadata = {"Language": "de", "Content-Type": "text/plain; charset=UTF-8"}
    catalogue.extend(polib.POEntry(msgid=s, msgstr=t) for s, t in dict(pairs).items())
    catalogue.save(str(tmp_path / "a.po"))
    languages = ["data.source_language=en", "data.target_language=de", "data.valid_pairs=0"]
    for ending in ("tsv", "jsonl", "tmx", "po"):
        folder = tmp_path / ending
        result = ferryman("train", tmp_path / f"a.{ending}", "-o", folder, *languages, *quick)
        assert result.exit_code == 0, result.stderr
        assert corpus_report(folder)["reading"]["read"] == len(pairs)
    assert_refused(ferryman("train", tmp_path / "a.tsv", *quick), 2, "data.source_language=en")


def test_three_pairs_train(ferryman, write_pairs, pairs, tmp_path, quick):
    files = write_pairs(pairs[:3])
    result = ferryman("train", *files, "-o", tmp_path / "run", *quick, "training.batch_tokens=4096")
    assert result.exit_code == 0, result.stderr
    assert "stopped at step 2" in result.stderr
    assert [r["kind"] for r in read_metrics(tmp_path / "run" / "metrics.jsonl")] == ["validation", "stop"]


def test_the_report_of_what_was_dropped_is_saved_and_told(ferryman, write_pairs, pairs, tmp_path, quick):
    long = [(f"{s} " * 200, f"{t} " * 200) for s, t in pairs[:8]]
    empty = [("", "x"), ("x", ""), (" ", "\u00a0")]
    result = ferryman(
        "train", *write_pairs([*empty, *pairs, *long, *pairs[:5]]), "-o", tmp_path / "run", *quick, "data.valid_pairs=2"
    )
    assert result.exit_code == 0, result.stderr
    cleaning = corpus_report(tmp_path / "run")["cleaning"]
    reasons = {"empty": 3, "too long": 8, "duplicate": 5, "set aside for validation": 2}
    assert cleaning == {"read": 56, "kept": 38, "dropped": reasons}
    assert "56 pairs read, 38 kept, 2 set aside for validation, 16 dropped" in result.stderr
    assert str(tmp_path / "run" / "corpus.json") in result.stderr


def test_without_a_configuration_one_is_chosen_told_and_kept(ferryman, write_pairs, pairs, tmp_path):
    files, budget = write_pairs(pairs), ["training.steps=2", "training.threads=1"]
    result = ferryman("train", *files, "-o", tmp_path / "run", *budget)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "choosing for 40 pairs" in result.stderr
    assert "chosen: model.d_model=128" in result.stderr
    kept = (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    shown = ferryman("config", *files, *budget)
    assert shown.stdout == kept
    assert "chosen: model.d_model=128" in shown.stderr
    resumed = ferryman("train", "--resume", tmp_path / "run", "training.steps=3")
    assert resumed.exit_code == 0, resumed.stderr
    assert "chos" not in resumed.stderr
    assert (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8") == kept.replace("steps: 2\n", "steps: 3\n")


def test_files_of_different_length_are_refused_before_anything_is_written(
    ferryman, pairs, write_pairs, tmp_path, quick
):
    source, target = write_pairs(pairs[:4])
    target.write_text("a\nb\nc\n", encoding="utf-8")
    result = ferryman("train", source, target, "-o", tmp_path / "run", *quick)
    assert_refused(result, 1, f"{source} has 4 lines", f"{target} has 3")
    assert not (tmp_path / "run").exists()


def test_bad_utf8_is_named_by_file_line_and_byte(ferryman, pairs, write_pairs, tmp_path, quick):
    source, target = write_pairs(pairs[:4])
    source.write_bytes(b"one\ntwo\nthr\xffee\nfour\n")
    result = ferryman("train", source, target, "-o", tmp_path / "run", *quick)
    assert_refused(result, 1, f"{source}, line 3, byte 4", "0xff")
    assert not (tmp_path / "run").exists()


def test_a_batch_too_small_for_every_sentence(ferryman, write_pairs, pairs, tmp_path, quick):
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, "training.batch_tokens=3")
    assert_refused(result, 2, "training.batch_tokens: 3")
    assert "step" not in result.stderr.replace("steps", "")


def test_a_corpus_of_which_nothing_is_left_says_why(ferryman, write_pairs, tmp_path, quick):
    files = write_pairs([("same", "same"), ("", "empty")])
    assert_refused(ferryman("train", *files, "-o", tmp_path / "run", *quick), 1, "untranslated copy 1", "empty 1")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("training.learning_ratee=1", ["training.learning_ratee", "did you mean training.learning_rate?"]),
        ("model.heads=7", ["model.heads", "7 heads do not divide d_model 32"]),
        ("training.steps=many", ["training.steps", "'many'"]),
        ("training.precision=fp16", ["training.precision", "bfloat16"]),
        ("training.precision=bfloat16", ["training.precision", "bfloat16 needs a CUDA GPU"]),
        ("training.start_from=nowhere", ["training.start_from", "nowhere is no model folder"]),
        ("data.directry=x", ["data.directry", "did you mean data.directory?"]),
        ("steps=5", ["'steps=5'", "section.key=value"]),
        ("tokenizer.vocab_size=x", ["tokenizer.vocab_size", "'x'"]),
    ],
)
def test_a_wrong_setting_is_one_line(ferryman, write_pairs, pairs, tmp_path, quick, setting, words):
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *quick, setting, "training.device=cpu")
    assert_refused(result, 1 if "start_from" in setting else 2, *words)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (["multi31k"], ["multi31k", "did you mean multi30k?"]),
        (["missing.yaml"], ["missing.yaml", "no such file"]),
        (["a.en", "b.de", "c.fr"], ["expected a source and a target file, found 3"]),
        (["tiny", "a.en"], ["a.en", "expected only settings"]),
        (
            ["tiny", "data.source_language=en", "data.target_language=de", "training.minutes=null"],
            ["no budget", "training.minutes"],
        ),
    ],
)
def test_what_cannot_be_trained_on_is_one_line(ferryman, what, words):
    result = ferryman("train", *what)
    assert_refused(result, 2, *words)
    assert len(result.stderr.splitlines()) == 1


def test_one_text_alone_is_no_corpus(ferryman, write_pairs, pairs):
    assert_refused(ferryman("train", write_pairs(pairs)[0]), 2, "SOURCE and TARGET")


def test_a_missing_file_is_named_with_its_neighbours(ferryman, write_pairs, pairs, tmp_path):
    source, _ = write_pairs(pairs)
    result = ferryman("train", source, tmp_path / "corpuss.de", "-o", tmp_path / "run")
    assert_refused(result, 1, "corpuss.de", "did you mean corpus.de")


def test_a_folder_that_holds_a_run_or_a_model_is_refused(ferryman, trained, tmp_path):
    files = (trained.source, trained.target)
    before = (trained.folder / "config.yaml").read_bytes()
    assert_refused(ferryman("train", *files, "-o", trained.folder), 1, "already holds a run", "--resume")
    ferryman("average", trained.folder, "--last", 2, "-o", tmp_path / "average")
    assert_refused(ferryman("train", *files, "-o", tmp_path / "average"), 1, "already holds a model", "start_from")
    assert (trained.folder / "config.yaml").read_bytes() == before


def test_nothing_in_the_folder_needs_pickle(trained):
    for path in [*trained.folder.glob("*.safetensors"), *trained.folder.glob("checkpoints/*")]:
        with safe_open(path, framework="pt") as file:
            assert len(list(file.keys())) > 0
    endings = {path.suffix for path in trained.folder.rglob("*") if path.is_file()}
    assert endings == {".yaml", ".md", ".json", ".jsonl", ".model", ".safetensors", ".tokens", ".ends"}
