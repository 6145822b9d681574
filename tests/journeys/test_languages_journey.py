"""T70: one model of two directions, copy and spell backwards; the target language alone decides which."""

import json
from pathlib import Path

import pytest

import ferryman as library
from ferryman.errors import ConfigError, TranslationError
from ferryman.training.metrics import read_metrics
from ferryman.workflows.teaching import distillation


@pytest.fixture
def lines(test_files) -> tuple[list[str], list[str]]:
    return tuple(path.read_text(encoding="utf-8").splitlines() for path in test_files)


@pytest.fixture
def folder(two_way) -> Path:
    return two_way[0]


def test_the_target_language_alone_decides(folder, lines):
    translator, (sources, backwards) = library.load(folder), lines
    german, chinese = ([one.text for one in translator.translate(sources, to=to)] for to in ("de", "zh"))
    right = sum(found == expected for found, expected in zip(german, backwards, strict=True))
    copied = sum(found == expected for found, expected in zip(chinese, sources, strict=True))
    assert right >= 10
    assert copied >= 10
    assert not set(german) & set(sources)
    assert not set(chinese) & set(backwards)
    log_probs = {to: translator.score(sources, backwards, to=to) for to in ("de", "zh")}
    assert min(log_probs["de"]) > max(log_probs["zh"])


def test_pieces_of_a_long_text_are_joined_as_the_target_language_is_written(folder):
    translator = library.load(folder, ["decoding.max_source_tokens=1"], to="zh")
    chinese, german = (translator.translate(["apfel baum haus kind"], to=to)[0] for to in (None, "de"))
    assert chinese.flags[0] == german.flags[0] == "split"
    assert chinese.text.count(" ") <= german.text.count(" ") - 3


def test_a_language_is_needed_and_must_be_known(folder):
    translator = library.load(folder)
    for wrong in (None, "fr"):
        with pytest.raises(TranslationError, match="de, zh"):
            translator.translate(["haus"], to=wrong)
        with pytest.raises(TranslationError, match="de, zh"):
            translator.score(["haus"], ["haus"], to=wrong)
    with pytest.raises(TranslationError, match="'fr', only into de, zh"):
        library.load(folder, to="fr")
    assert library.load(folder, to="zh").translate(["haus ."])[0].text == "haus ."


def test_tags_are_used_where_asked_for_and_must_be_known(folder):
    tagged = library.load(folder, ["decoding.tag=bt"], to="de")
    assert len(tagged.prefix()) == 2
    assert tagged.score(["haus ."], ["suah ."]) != library.load(folder, to="de").score(["haus ."], ["suah ."])
    with pytest.raises(ConfigError, match="no tag 'web'; it has bt"):
        library.load(folder, ["decoding.tag=web"], to="de").translate(["haus"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["--to", "fr"], "'fr', only into de, zh"),
        ([], "--to LANGUAGE"),
        (["--to", "de", "decoding.tag=web"], "it has bt"),
    ],
)
@pytest.mark.parametrize("command", ["translate", "score", "evaluate"])
def test_the_command_line_refuses_before_it_reads(ferryman, folder, test_files, command, settings, words):
    files = test_files[:1] if command == "translate" else test_files
    result = ferryman(command, folder, *files, *settings)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_the_commands_take_the_language(ferryman, folder, test_files):
    source, german = test_files
    translated = ferryman("translate", folder, source, "--to", "zh")
    assert translated.exit_code == 0, translated.stderr
    copied = zip(translated.stdout.splitlines(), source.read_text(encoding="utf-8").splitlines(), strict=True)
    assert sum(found == expected for found, expected in copied) >= 10
    scored = ferryman("score", folder, source, german, "--to", "de")
    assert scored.exit_code == 0, scored.stderr
    for to, reference, tokeniser in (("de", german, "13a"), ("zh", source, "zh")):
        result = ferryman("evaluate", folder, source, reference, "--to", to, "--json")
        assert result.exit_code == 0, result.stderr
        bleu = json.loads(result.stdout)["bleu"]
        assert bleu["score"] > 50
        assert f"tok:{tokeniser}" in bleu["signature"]
    refused = ferryman("evaluate", source, german, "--to", "de")
    assert refused.exit_code == 2
    assert "--target-language" in refused.stderr


@pytest.mark.parametrize("command", ["distill", "back-translate"])
def test_pairs_are_made_in_the_language_named(ferryman, folder, test_files, tmp_path, command):
    make = [command, folder, test_files[0], "-o", tmp_path / "pairs.jsonl"]
    for settings, words in (([], "--to LANGUAGE"), (["--to", "fr"], "'fr', only into de, zh")):
        refused = ferryman(*make, *settings)
        assert refused.exit_code == 2
        assert words in refused.stderr
    made = ferryman(*make, "--to", "zh")
    assert made.exit_code == 0, made.stderr
    assert f"{'source' if command == 'distill' else 'target'}_language=en" in made.stderr
    assert f"{'target' if command == 'distill' else 'source'}_language=zh" in made.stderr
    pairs = (tmp_path / "pairs.jsonl").read_bytes()
    assert sum(one["source"] == one["target"] for one in map(json.loads, pairs.splitlines())) >= 10
    by_name = library.distill if command == "distill" else library.back_translate
    by_name(folder, test_files[0], tmp_path / "again.jsonl", to="zh")
    assert (tmp_path / "again.jsonl").read_bytes() == pairs


def test_pairs_begun_in_one_language_are_not_gone_on_with_in_another(folder, test_files, tmp_path):
    german, chinese = (distillation(folder, test_files[0], tmp_path / "pairs.jsonl", to=to).job for to in ("de", "zh"))
    assert german.pop("language") != chinese.pop("language")
    assert german == chinese


def test_validation_tells_each_direction_and_their_mean(two_way):
    folder, said = two_way
    figures = [one for one in read_metrics(folder / "metrics.jsonl") if one["kind"] == "validation"][-1]["figures"]
    for name in ("loss", "bleu", "chrf"):
        assert figures[name] == pytest.approx((figures[f"{name}/en-de"] + figures[f"{name}/en-zh"]) / 2)
    assert "tok:13a" in said
    assert "tok:zh" in said
    assert "corpus tagged (en → de, weight 0.5, tag bt): 20 pairs read" in said


def test_info_and_card_name_the_directions(ferryman, folder):
    shown = ferryman("info", folder).stdout
    assert "en → de, en → zh" in shown
    assert "<2de>, <2zh>, <tag:bt>" in shown
    assert "--to LANGUAGE" in (folder / "README.md").read_text(encoding="utf-8")


def test_frozen_parts_are_those_of_the_model_it_starts_from(ferryman, folder, write_pairs, pairs, tmp_path):
    """One of its languages trained further: the tokenizer has that language's token still, so it is used."""
    import torch
    from safetensors.torch import load_file

    settings = ["training.steps=2", "training.warmup_steps=1", "training.validations=0", "training.threads=1"]
    start = [f"training.start_from={folder}", "training.freeze=[encoder, embeddings]", *settings]
    result = ferryman("train", *write_pairs(pairs), "-o", tmp_path / "run", *start, "decoding.threads=1")
    assert result.exit_code == 0, result.stderr
    before, after = load_file(folder / "model.safetensors"), load_file(tmp_path / "run" / "model.safetensors")
    stayed = {name for name in before if torch.equal(before[name], after[name])}
    assert stayed == {name for name in before if not name.startswith("decoder.")}
    assert len(library.load(tmp_path / "run").prefix()) == 1
    resumed = ferryman("train", "--resume", tmp_path / "run", "training.steps=4")
    assert resumed.exit_code == 0, resumed.stderr
    changed = ferryman("train", "--resume", tmp_path / "run", "training.freeze=[decoder]", "training.steps=6")
    assert changed.exit_code == 2
    assert "training.freeze" in changed.stderr
