"""Every command and piece of Python in docs/guide/decoding.md is run here; and what ``--json`` and ``--with`` give."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import ferryman as library

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "decoding.md").read_text(encoding="utf-8")


@pytest.fixture
def other(trained, tmp_path):
    """A second model with the same tokenizer: the first, blurred."""
    folder = tmp_path / "other"
    folder.mkdir()
    for part in ("config.yaml", "tokenizer.model"):
        shutil.copy(trained.folder / part, folder / part)
    weights = load_file(trained.folder / "model.safetensors")
    generator = torch.Generator().manual_seed(1)
    blurred = {name: one + 0.1 * torch.randn(one.shape, generator=generator) for name, one in weights.items()}
    save_file(blurred, folder / "model.safetensors", metadata={"format": "ferryman", "version": "1"})
    return folder


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_does_what_it_says(ferryman, trained, other, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/demo").symlink_to(trained.folder)
    Path("runs/other").symlink_to(other)
    Path("input.txt").write_text("apfel baum .\nhaus kind hund .\n", encoding="utf-8")
    commands = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 17
    for _, *arguments in commands:
        result = ferryman(*arguments)
        assert result.exit_code == 0, f"{arguments}: {result.stderr}\n{result.exception!r}"
        assert len(result.stdout.splitlines()) == 2
    names = {}
    for block in blocks("python"):
        exec(compile(block, "decoding.md", "exec"), names)


def test_json_has_what_was_asked_for(ferryman, trained):
    settings = ["decoding.token_log_probs=true", "decoding.alignment=soft", "decoding.n_best=2"]
    result = ferryman("translate", trained.folder, "--json", *settings, stdin="apfel baum haus .\n")
    record = json.loads(result.stdout)
    for one in (record, *record["alternatives"]):
        assert re.fullmatch(r"(\d+-\d+ ?)+", one["alignment"])
        assert len(one["token_log_probs"]) == len(one["attention"]["weights"])
        assert set(one["attention"]) == {"source_tokens", "weights"}
    assert sum(record["token_log_probs"]) == pytest.approx(record["log_prob"], abs=1e-4)
    assert all(len(one["tokens"]) == len(one["token_log_probs"]) for one in (record, *record["alternatives"]))


def test_json_has_the_same_keys_for_every_text(ferryman, trained):
    """A program need not ask first: of a blank text, and of what is copied, there is just nothing to tell."""
    settings = ["decoding.token_log_probs=true", "decoding.alignment=soft", "decoding.n_best=2"]
    result = ferryman("translate", trained.folder, "--json", *settings, stdin="apfel baum .\n\n{name} %s\n")
    told, blank, copied = map(json.loads, result.stdout.splitlines())
    for one in (blank, copied, *told["alternatives"]):
        assert {*one, "alternatives"} == set(told)
    for one in (blank, copied):
        assert (one["token_log_probs"], one["alignment"], one["attention"]) == ([], None, None)


def test_a_trained_model_looks_at_the_words_it_translates(two_way):
    """Word for word into one language, word for characters into the other, in order."""
    translator = library.load(two_way[0], ["decoding.alignment=hard"])
    source = "apfel baum haus kind hund ."
    words, characters = (translator.translate([source], to=to)[0] for to in ("de", "zh"))
    assert sum(one == other for one, other in words.alignment.links) >= 4
    places = [place for place, word in enumerate(source.split()) for _ in word]
    links = [place for place, _ in characters.alignment.links]
    assert sum(one == other for one, other in zip(links, places, strict=False)) >= len(places) / 2


def test_several_models_translate_together(ferryman, trained, other, test_files):
    source, target = test_files
    alone = ferryman("translate", trained.folder, source, "decoding.beam=1")
    twice = ferryman("translate", trained.folder, source, "--with", trained.folder, "decoding.beam=1")
    together = ferryman("translate", trained.folder, source, "--with", other)
    assert (twice.exit_code, together.exit_code) == (0, 0)
    assert twice.stdout == alone.stdout
    assert len(together.stdout.splitlines()) == 20
    assert together.stdout != ferryman("translate", other, source).stdout
    evaluated = ferryman("evaluate", trained.folder, source, target, "--with", other)
    assert evaluated.exit_code == 0, evaluated.stderr
    translator = library.load([trained.folder, other])
    lines = source.read_text(encoding="utf-8").splitlines()
    found = translator.translate(lines)
    assert [one.text for one in found] == together.stdout.splitlines()
    scored = ferryman("score", trained.folder, source, target, "--with", other)
    assert [float(line) for line in scored.stdout.splitlines()] == pytest.approx(
        translator.score(lines, target.read_text(encoding="utf-8").splitlines()), abs=1e-4
    )
    own = translator.tokenizers.target
    same = [place for place, one in enumerate(found) if tuple(own.encode(one.text)) == one.tokens[:-1]]
    assert len(same) > 10
    assert translator.score([lines[i] for i in same], [found[i].text for i in same]) == pytest.approx(
        [found[i].log_prob for i in same], abs=1e-4
    )


def test_models_that_cannot_translate_together_are_refused(ferryman, trained, two_way, test_files):
    folder, _ = two_way
    for arguments, words in [
        (["translate", trained.folder, "--with", folder], "have different tokenizers"),
        (["translate", trained.folder, "--with", "nowhere"], "nowhere: no such folder"),
        (["translate", trained.source], "this is a file, not a folder"),
        (
            ["evaluate", test_files[1], test_files[1], "--with", folder, "--target-language", "de"],
            "--with is for a model",
        ),
    ]:
        result = ferryman(*arguments, stdin="apfel\n")
        assert result.exit_code in (1, 2)
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
