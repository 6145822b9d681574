"""From files to tokens: the same text gives the same tokens, however its lines end."""

import json
from pathlib import Path

import pytest

from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.errors import DataError
from ferryman.workflows.prepare import Prepared, prepare

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
