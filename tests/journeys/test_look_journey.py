"""The commands that only look: ``check``, ``info``, ``config``, ``average``; and the three lines of Python."""

import gzip
import json

import pytest
from safetensors.torch import load_file

import ferryman as library


def test_check_counts_both_files_when_they_differ(ferryman, write_pairs, pairs):
    source, target = write_pairs(pairs[:4])
    target.write_text("a\nb\nc\n", encoding="utf-8")
    result = ferryman("check", source, target)
    assert result.exit_code == 1
    assert f"{source} has 4 lines but {target} has 3" in result.stdout
    assert result.stderr == ""
    as_json = ferryman("check", source, target, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["ok"] is False


@pytest.mark.parametrize("rows", [[], [("", "x")]])
def test_check_of_a_corpus_that_leaves_nothing_fails(ferryman, write_pairs, rows):
    result = ferryman("check", *write_pairs(rows))
    assert result.exit_code == 1
    assert "no pair is left to train on" in result.stdout


def test_check_says_what_training_would_drop(ferryman, write_pairs, pairs, tmp_path):
    source, target = write_pairs([*pairs, *pairs[:2], ("", "x"), ("a\u2028b c", "d e f")])
    result = ferryman("check", source, target, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["cleaning"] == {"read": 44, "kept": 41, "dropped": {"duplicate": 2, "empty": 1}}
    assert found["reading"]["odd_characters"] == {"U+2028 LINE SEPARATOR": 1}
    packed = []
    for path in (source, target):
        packed.append(tmp_path / f"{path.name}.gz")
        packed[-1].write_bytes(gzip.compress(path.read_bytes()))
    unpacked = json.loads(ferryman("check", *packed, "--json").stdout)
    assert unpacked["cleaning"] == found["cleaning"]
    strict = ferryman("check", source, target, "data.cleaning.drop_duplicates=false", "--json")
    assert json.loads(strict.stdout)["cleaning"]["kept"] == 43
    assert "of 44 pairs 41 kept" in ferryman("check", source, target).stdout


def test_check_finds_what_validation_and_test_have_too(ferryman, write_pairs, pairs, tmp_path):
    source, target = write_pairs(pairs)
    overlap = {"overlap with held-out": 3}
    (tmp_path / "valid.tsv").write_text("".join(f"{s}\tanother\n" for s, _ in pairs[:2]), encoding="utf-8")
    (tmp_path / "test.tsv").write_text(f"another\t{pairs[7][1]}\n", encoding="utf-8")
    settings = [f"data.directory={tmp_path}", "data.valid=valid.tsv", "data.test=test.tsv"]
    by_files = ferryman("check", source, target, *settings, "--json")
    assert by_files.exit_code == 0, by_files.stderr
    assert json.loads(by_files.stdout)["cleaning"]["dropped"] == overlap
    config = tmp_path / "mine.yaml"
    config.write_text(
        "data: {source_language: en, target_language: de, train: ['corpus.{source}', 'corpus.{target}'], "
        "valid: valid.tsv, test: test.tsv}\n",
        encoding="utf-8",
    )
    by_config = json.loads(ferryman("check", config, f"data.directory={tmp_path}", "--json").stdout)
    assert by_config == json.loads(by_files.stdout)
    kept = ferryman("check", config, f"data.directory={tmp_path}", "data.cleaning.drop_overlap=false")
    assert "of 40 pairs 40 kept" in kept.stdout
    (tmp_path / "valid.tsv").unlink()
    missing = ferryman("check", config, f"data.directory={tmp_path}")
    assert missing.exit_code == 1
    assert "valid.tsv" in missing.stderr


@pytest.mark.parametrize(
    ("files", "code", "words"),
    [
        (["missing.en", "missing.de"], 1, "missing.en"),
        (["a", "b", "c"], 2, "found 3"),
        (["a.en", "a.de", "data.colums=1"], 2, "did you mean data.columns?"),
        (["a.en", "a.de", "training.minutes=15"], 2, "training.minutes has no effect on a check"),
        (["a.en", "a.de", "data.valid_pairs=5"], 2, "data.valid_pairs has no effect on a check"),
        (["a.en", "a.de", "data.train=b"], 2, "data.train: the files are named already"),
        (["multi30k", "a.de"], 2, "a.de: expected only settings"),
        (["multi30k", "data.directory=nowhere"], 1, "nowhere"),
        (["mult30k"], 2, "did you mean multi30k?"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_checked(ferryman, files, code, words):
    result = ferryman("check", *files)
    assert result.exit_code == code
    assert words in result.output
    assert "Traceback" not in result.output


def test_info_for_people_and_for_programs(ferryman, trained):
    facts = json.loads(ferryman("info", trained.folder, "--json").stdout)
    weights = load_file(trained.folder / "model.safetensors")
    assert facts["parameters"] == sum(weight.numel() for weight in weights.values())
    text = ferryman("info", trained.folder).stdout
    for word in ("en → de", "2 encoder, 2 decoder, pre-norm", "d_model 32", "bpe", "nfc"):
        assert word in text


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_info_on_what_is_no_model(ferryman, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = ferryman("info", path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"ferryman: {path}: ")
    assert len(result.stderr.splitlines()) == 1


def test_average_makes_a_model_of_its_own(ferryman, trained, tmp_path):
    result = ferryman("average", trained.folder, "-o", tmp_path / "all")
    assert "averaged step-000000020, " in result.stderr
    result = ferryman("average", trained.folder, "--last", 3, "-o", tmp_path / "average")
    assert result.exit_code == 0
    assert "step-000000040, step-000000060, step-000000080" in result.stderr
    assert ferryman("translate", tmp_path / "average", stdin="apfel .\n").exit_code == 0


def test_average_refuses_what_it_cannot_or_should_not_do(ferryman, trained, tmp_path):
    before = (trained.folder / "model.safetensors").read_bytes()
    for arguments, words in (
        ([trained.folder, "--last", 5], "keeps 4 checkpoints, not 5; take --last 4"),
        ([trained.folder, "--last", 2, "-o", trained.folder], "its best model would be lost"),
        ([tmp_path], "no checkpoints in it"),
    ):
        result = ferryman("average", *arguments)
        assert result.exit_code == 1
        assert words in result.stderr
    assert (trained.folder / "model.safetensors").read_bytes() == before


def test_config_prints_what_a_run_would_have(ferryman):
    text = ferryman("config", "tiny", "training.minutes=3").stdout
    assert "minutes: 3" in text
    assert "d_model: 128" in text
    assert "minutes: 3" in ferryman("config", "training.minutes=3").stdout
    assert "tiny" in ferryman("config", "--names").stdout.splitlines()
    schema = json.loads(ferryman("config", "--schema").stdout)
    assert set(schema["properties"]) == {"data", "tokenizer", "model", "training", "decoding", "documents", "serving"}
    suggestion = ferryman("config", "tiny", "training.minuts=3")
    assert suggestion.exit_code == 2
    assert "did you mean training.minutes?" in suggestion.stderr
    assert suggestion.stdout == ""


def test_config_has_the_budget_that_a_run_would_have(ferryman, tmp_path):
    """Of several budgets the first to run out ends training, so one that is given takes the place of the others."""
    assert library.load_config("base").training.steps is not None
    path = tmp_path / "printed.yaml"
    path.write_text(ferryman("config", "base", "training.minutes=15").stdout, encoding="utf-8")
    training = library.load_config(path).training
    assert (training.minutes, training.steps, training.epochs) == (15, None, None)
    two_words = ferryman("config", "base", "big")
    assert two_words.exit_code == 2
    assert "big: expected" in two_words.stderr


def test_the_printed_configuration_can_be_given_back(ferryman, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(ferryman("config", "multi30k").stdout, encoding="utf-8")
    assert ferryman("config", path).stdout == path.read_text(encoding="utf-8")


def test_debug_shows_a_traceback_and_nothing_else_does(ferryman, tmp_path):
    plain = ferryman("info", tmp_path)
    debugged = ferryman("info", tmp_path, "--debug")
    assert isinstance(plain.exception, SystemExit)
    assert isinstance(debugged.exception, library.FerrymanError)


def test_three_lines_of_python(trained):
    translator = library.load(str(trained.folder))
    [found] = translator.translate(["apfel baum ."])
    assert isinstance(found, library.Translation)
    assert isinstance(found.text, str)
    assert found.log_prob < 0


def test_training_from_python_with_what_is_chosen_for_a_corpus(write_pairs, pairs, tmp_path, quick):
    config, folder, notices = library.plan([str(path) for path in write_pairs(pairs)], quick, tmp_path / "run")
    events = list(library.TrainingRun(config, folder, notices=notices).events())
    assert set(notices) < {event.text for event in events if hasattr(event, "text")}
    assert library.load(folder).translate(["apfel"])[0].text is not None


def test_training_from_python(write_pairs, pairs, tmp_path, quick):
    source, target = write_pairs(pairs)
    names = [f"data.train=['{source}', '{target}']", "data.source_language=en", "data.target_language=de"]
    run = library.TrainingRun(library.load_config("tiny", [*names, *quick]), tmp_path / "run")
    assert run.stop("too early") is False
    events = list(run.events())
    assert events[-1].step == 2
    assert library.load(tmp_path / "run").translate(["apfel"])[0].text is not None
