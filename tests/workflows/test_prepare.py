"""From files to tokens: the same text gives the same tokens, however its lines end."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.errors import DataError
from ferryman.text import SentencePieceTokenizer
from ferryman.workflows import prepare as prepare_module
from ferryman.workflows.corpora import Corpus
from ferryman.workflows.prepare import Prepared, open_prepared, prepare

WORDS = ["alpha beta", "gamma delta epsilon", "zeta", "eta theta iota", "kappa lambda", "mu nu xi"]


def config_for(folder: Path, *settings: str) -> Config:
    named = ["data.source_language=en", "data.target_language=de", f"data.directory={folder}", "data.valid_pairs=0"]
    return load_config("tiny", [*named, "tokenizer.vocab_size=290", *settings])


@pytest.fixture
def prepared_from(tmp_path):
    """Prepare a corpus whose source has these bytes; the targets are the words backwards."""

    def prepare_bytes(source: bytes, name: str, *settings: str) -> Prepared:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "train.en").write_bytes(source)
        (folder / "train.de").write_bytes("".join(f"{line[::-1]}\n" for line in WORDS).encode())
        return prepare(config_for(folder, *settings), folder / "prepared")

    return prepare_bytes


def write_pairs(folder: Path, pairs: list[tuple[str, str]]) -> None:
    for place, side in enumerate(("en", "de")):
        (folder / f"train.{side}").write_text("".join(f"{pair[place]}\n" for pair in pairs), encoding="utf-8")


def stored(prepared: Prepared) -> list[bytes]:
    return [(prepared.folder / "store" / f"{side}.tokens").read_bytes() for side in ("source", "target")]


def test_line_ends_and_a_byte_order_mark_change_no_token(prepared_from):
    plain = "".join(f"{line}\n" for line in WORDS).encode()
    variants = {"plain": plain, "crlf": plain.replace(b"\n", b"\r\n"), "bom": b"\xef\xbb\xbf" + plain}
    variants["no_end"] = plain.removesuffix(b"\n")
    prepared = {name: prepared_from(content, name) for name, content in variants.items()}
    assert len({tuple(stored(one)) for one in prepared.values()}) == 1
    assert len(prepared["plain"].store) == len(WORDS)
    tokenizer = prepared["crlf"].tokenizers.source
    assert not any("\r" in piece for piece in tokenizer.pieces(list(range(260, tokenizer.vocab_size))))


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\v", "\f"])
def test_other_separators_part_no_lines_and_are_counted(prepared_from, separator):
    lines = [*WORDS[:1], separator.join(WORDS[1].split(" ")), *WORDS[2:]]
    prepared = prepared_from("".join(f"{line}\n" for line in lines).encode(), "odd")
    assert len(prepared.store) == len(WORDS)
    assert sum(prepared.report["reading"]["odd_characters"].values()) == 2
    third = prepared.tokenizers.source.decode(prepared.store.sequence("source", 2).tolist())
    assert third == WORDS[2]


def test_pairs_with_too_many_tokens_are_dropped_and_counted(prepared_from):
    prepared = prepared_from("".join(f"{line}\n" for line in WORDS).encode(), "short", "data.max_tokens=6")
    cleaning = prepared.report["cleaning"]
    assert cleaning["dropped"]["too many tokens"] > 0
    assert cleaning["read"] == cleaning["kept"] + sum(cleaning["dropped"].values())
    assert len(prepared.store) == cleaning["kept"]


def test_validation_and_test_pairs_are_not_trained_on(tmp_path):
    rows = {"train": WORDS, "val": WORDS[:2], "test": WORDS[3:4]}
    for name, lines in rows.items():
        (tmp_path / f"{name}.en").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (tmp_path / f"{name}.de").write_text("".join(f"{line[::-1]}\n" for line in lines), encoding="utf-8")
    held_out = ["data.valid=['val.{source}','val.{target}']", "data.test=['test.{source}','test.{target}']"]
    prepared = prepare(config_for(tmp_path, *held_out), tmp_path / "prepared")
    assert [pair.source for pair in prepared.valid] == WORDS[:2]
    assert prepared.report["cleaning"]["dropped"] == {"overlap with held-out": 3}
    assert "6 pairs read, 3 kept, 3 dropped (overlap with held-out 3); 2 pairs to validate on" in prepared.summary


def test_what_was_left_half_done_is_done_again(prepared_from, tmp_path):
    first = prepared_from("".join(f"{line}\n" for line in WORDS).encode(), "half")
    config, before = config_for(tmp_path / "half"), stored(first)
    assert prepare(config, tmp_path / "half" / "prepared").reused
    (first.folder / "report.json").unlink()
    (first.folder / "store" / "source.tokens").write_bytes(b"cut")
    again = prepare(config, tmp_path / "half" / "prepared")
    assert not again.reused
    assert stored(again) == before
    assert json.loads((again.folder / "report.json").read_text(encoding="utf-8")) == first.report


def test_a_damaged_store_is_told(prepared_from, tmp_path):
    first = prepared_from("".join(f"{line}\n" for line in WORDS).encode(), "damaged")
    (first.folder / "store" / "source.tokens").write_bytes(b"cut")
    with pytest.raises(DataError, match="delete the folder to prepare it again"):
        prepare(config_for(tmp_path / "damaged"), tmp_path / "damaged" / "prepared")


def test_nothing_set_aside_for_validation_is_trained_on_by_source_or_target(tmp_path):
    """Forty targets, each of ten sources: who sets a pair aside must not learn its target from another source."""
    pairs = [
        (f"the source number {n}", f"das Ziel {n % 40}" if n < 400 else f"das andere Ziel {n}") for n in range(600)
    ]
    write_pairs(tmp_path, pairs)
    prepared = prepare(config_for(tmp_path, "data.valid_pairs=20"), tmp_path / "prepared")
    aside = {pair.target for pair in prepared.valid}
    assert len(prepared.valid) == 20
    decode = prepared.tokenizers.target.decode
    learned = [decode(prepared.store.sequence("target", index).tolist()) for index in range(len(prepared.store))]
    assert not aside & set(learned)
    again = Counter(target for _, target in pairs if target in aside).total() - 20
    assert again > 50
    assert prepared.report["cleaning"]["dropped"] == {"set aside for validation": 20, "overlap with held-out": again}
    assert len(learned) == prepared.report["cleaning"]["kept"] == 600 - 20 - again
    loose = config_for(tmp_path, "data.valid_pairs=20", "data.cleaning.drop_overlap=false")
    assert len(prepare(loose, tmp_path / "prepared").store) == 580


def test_a_corpus_whose_pairs_all_overlap_with_those_set_aside_is_refused(tmp_path):
    write_pairs(tmp_path, [(f"source {n}", "das Ziel") for n in range(30)])
    with pytest.raises(DataError, match=r"0 kept, 3 set aside for validation, 27 dropped .overlap with held-out 27."):
        prepare(config_for(tmp_path, "data.valid_pairs=3"), tmp_path / "prepared")
    assert not (tmp_path / "prepared").exists()


@pytest.mark.parametrize("joint", ["true", "false"])
def test_the_training_corpus_is_read_twice_and_cleaned_once(tmp_path, monkeypatch, joint):
    write_pairs(tmp_path, [(f"{line} {n}", f"{n} {line}") for n, line in enumerate(WORDS * 5)])
    opened, cleaned = [], []
    read, clean = Corpus.read, prepare_module.Selection._clean
    monkeypatch.setattr(Corpus, "read", lambda self, paths, *args: opened.append(paths) or read(self, paths, *args))
    monkeypatch.setattr(prepare_module.Selection, "_clean", lambda *args: cleaned.append(1) or clean(*args))
    settings = ["model.tie=two-way", f"tokenizer.joint={joint}", "data.valid_pairs=3"]
    prepared = prepare(config_for(tmp_path, *settings), tmp_path / "prepared")
    assert len(prepared.store) == 27
    assert sum(len(paths) == 2 for paths in opened) == 2
    assert len(cleaned) == 1
    assert (prepared.tokenizers.source is prepared.tokenizers.target) == (joint == "true")


def test_dropped_pairs_anywhere_leave_the_others_aligned(tmp_path):
    """The second pass finds the kept pairs again by their number."""
    good = [(f"{line} {n}", f"{n} {line}") for n, line in enumerate(WORDS)]
    pairs = [("", "x"), good[0], ("same", "same"), ("y", ""), *good[1:5], good[0], good[5], ("", "")]
    write_pairs(tmp_path, pairs)
    prepared = prepare(config_for(tmp_path), tmp_path / "prepared")
    texts = [
        tuple(
            tokenizer.decode(prepared.store.sequence(side, index).tolist())
            for side, tokenizer in (("source", prepared.tokenizers.source), ("target", prepared.tokenizers.target))
        )
        for index in range(len(prepared.store))
    ]
    assert texts == good
    assert prepared.report["cleaning"]["dropped"] == {"empty": 3, "untranslated copy": 1, "duplicate": 1}


def test_two_processes_prepare_the_same_corpus_at_once(tmp_path):
    write_pairs(tmp_path, [(f"{line} {n}", f"{n} {line}") for n, line in enumerate(WORDS * 100)])
    program = """
import sys
from pathlib import Path
from ferryman.config_file import load_config
from ferryman.workflows.prepare import prepare
prepared = prepare(load_config("tiny", sys.argv[2:]), Path(sys.argv[1]))
print(prepared.folder.name, len(prepared.store), prepared.tokenizers.source.decode([270, 271]))
"""
    named = ["data.source_language=en", "data.target_language=de", f"data.directory={tmp_path}", "data.valid_pairs=0"]
    command = [sys.executable, "-c", program, str(tmp_path / "prepared"), *named, "tokenizer.vocab_size=290"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (process.communicate()[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert first == second
    fingerprint, count, _ = first.split(" ", 2)
    assert count == "600"
    assert [path.name for path in (tmp_path / "prepared").iterdir()] == [fingerprint]


def test_another_process_that_finishes_first_does_not_disturb(tmp_path, monkeypatch):
    write_pairs(tmp_path, [(line, line[::-1]) for line in WORDS])
    write, others = prepare_module._write_store, []

    def meanwhile(*args):
        monkeypatch.setattr(prepare_module, "_write_store", write)
        others.append(prepare(config_for(tmp_path), tmp_path / "prepared"))
        write(*args)

    monkeypatch.setattr(prepare_module, "_write_store", meanwhile)
    mine = prepare(config_for(tmp_path), tmp_path / "prepared")
    assert stored(mine) == stored(others[0])
    assert [path.name for path in (tmp_path / "prepared").iterdir()] == [mine.folder.name]


def test_a_refused_fingerprint_costs_no_preparation(tmp_path):
    write_pairs(tmp_path, [(line, line[::-1]) for line in WORDS])

    def refuse(fingerprint):
        raise RuntimeError(fingerprint)

    with pytest.raises(RuntimeError) as caught:
        prepare(config_for(tmp_path), tmp_path / "prepared", check=refuse)
    assert not (tmp_path / "prepared").exists()
    assert prepare(config_for(tmp_path), tmp_path / "prepared").folder.name == str(caught.value)


def test_cores_decide_how_fast_tokens_are_made_and_not_what_is_learned(tmp_path, monkeypatch):
    write_pairs(tmp_path, [(line, line[::-1]) for line in WORDS])
    learning, encoding = [], []
    train, encode = prepare_module.train_tokenizer, SentencePieceTokenizer.encode_batch
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 5, 6}, raising=False)
    monkeypatch.setattr(
        prepare_module, "train_tokenizer", lambda texts, recipe: learning.append(recipe.threads) or train(texts, recipe)
    )
    monkeypatch.setattr(
        SentencePieceTokenizer,
        "encode_batch",
        lambda self, texts, *, threads: encoding.append(threads) or encode(self, texts),
    )
    prepare(config_for(tmp_path), tmp_path / "prepared")
    assert learning == [4]
    assert encoding == [3, 3]


def test_what_another_process_prepared_is_opened_if_it_can_be_seen(prepared_from, tmp_path):
    prepared = prepared_from("".join(f"{line}\n" for line in WORDS).encode(), "corpus")
    config = config_for(tmp_path)
    opened = open_prepared(prepared.folder, config, verify=False)
    assert opened.store.lengths("target").tolist() == prepared.store.lengths("target").tolist()
    with pytest.raises(DataError, match="on a file system that all of them see"):
        open_prepared(tmp_path / "elsewhere", config)
