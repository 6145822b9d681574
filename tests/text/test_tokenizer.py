import io
import json
import pickle

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from ferryman.errors import ConfigError, TokenizerError
from ferryman.text import NORMAL_FORMS, SentencePieceTokenizer, TokenizerRecipe, normalise, train_tokenizer

CORPUS = ["The river is wide.", "Die Fähre fährt über den Fluss.", "河很宽。", "<s> a ▁ b </s>", "x  y"] * 3
TOKENIZERS = {
    (kind, form): train_tokenizer(CORPUS, TokenizerRecipe(kind=kind, vocab_size=400, normal_form=form))
    for kind in ("bpe", "unigram")
    for form in NORMAL_FORMS
}
PLAIN = TOKENIZERS["bpe", "nfc"]
ODD_TEXTS = [
    "",
    " ",
    "  leading",
    "trailing  ",
    "two  spaces",
    " \u2581 ",
    "\u2581\u2581word",
    "\u2581",
    "\ue5c0",
    "\ue5c00\ue5c01\u2581",
    "<s>",
    "</s>",
    "<pad>",
    "<unk>",
    "<0x41>",
    "a</s>b",
    " \u2047 \u2585",
    "👨‍👩‍👧‍👦 👩🏽‍🚀 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ❤️",
    "e\u0301a\u0323\u0307 q\u0307\u0323",
    "𠮷野家 龘 㐂 𪚥",
    "السَّلامُ عَلَيْكُم\u200f",
    "क्षत्रिय नमस्ते \u200dक्\u200d",
    "สวัสดีครับ น้ำ",
    "a\u00a0b\u3000c\u202fd\u2003e",
    "tab\there, \x0b and \x0c and \u2028 and \x85",
    "nul\x00nul",
    "\ufeffmark",
    "\ufffd\uffff\U0010ffff",
]


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_odd_texts_come_back_exactly(name, text):
    tokenizer = TOKENIZERS[name]
    assert tokenizer.decode(tokenizer.encode(text)) == normalise(text, tokenizer.normal_form)


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_pieces_spell_a_text(name, text):
    tokenizer = TOKENIZERS[name]
    spelled = b"".join(tokenizer.spellings[token] for token in tokenizer.encode(text))
    assert spelled in (tokenizer.spell(text), "\u2581".encode() + tokenizer.spell(text))
    assert tokenizer.spellings[tokenizer.eos_id] == b""


@settings(max_examples=150, deadline=None)
@given(st.text() | st.text(alphabet="\u2581\ue5c0 01<>s/\t\n\0é"))
def test_any_text_comes_back_exactly_and_holds_no_control_symbol(text):
    for tokenizer in TOKENIZERS.values():
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == normalise(text, tokenizer.normal_form)
        assert min(ids, default=4) >= 4


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, PLAIN.vocab_size - 1)))
def test_any_ids_decode_to_valid_text(ids):
    PLAIN.decode(ids).encode()


def test_control_ids_are_skipped():
    ids = PLAIN.encode("The river")
    framed = [PLAIN.pad_id, PLAIN.bos_id, *ids[:2], PLAIN.pad_id, *ids[2:], PLAIN.eos_id, PLAIN.pad_id]
    assert PLAIN.decode(framed) == "The river"


def test_what_is_not_text_becomes_the_replacement_character():
    broken = 4 + 0xE2
    assert PLAIN.decode([broken]) == "\ufffd"
    assert PLAIN.decode([*PLAIN.encode("a"), broken, *PLAIN.encode("b")]) == "a\ufffd b"
    assert PLAIN.decode([PLAIN.unk_id]) == "\ufffd"


@pytest.mark.parametrize("wrong", [-1, PLAIN.vocab_size])
def test_an_id_out_of_range_is_refused(wrong):
    message = f"token id {wrong} is out of range: this tokenizer has ids 0 to {PLAIN.vocab_size - 1}"
    with pytest.raises(TokenizerError, match=message):
        PLAIN.decode([5, wrong])
    with pytest.raises(TokenizerError, match=message):
        PLAIN.pieces([5, wrong])


@pytest.mark.parametrize("method", [PLAIN.encode, PLAIN.pieces])
def test_a_lone_surrogate_is_refused_with_its_position(method):
    with pytest.raises(TokenizerError, match=r"U\+DC80, at character 4 of 5"):
        method("abc\udc80d")


def test_a_batch_is_its_texts_one_by_one():
    one_by_one = [PLAIN.encode(text) for text in ODD_TEXTS]
    assert PLAIN.encode_batch(ODD_TEXTS) == one_by_one
    assert PLAIN.encode_batch(ODD_TEXTS, threads=2) == one_by_one
    assert PLAIN.encode_batch([]) == []


def test_pieces_show_what_the_model_sees():
    pieces = PLAIN.pieces("The river 🙂")
    assert pieces[-4:] == ["<0xF0>", "<0x9F>", "<0x99>", "<0x82>"]
    assert "".join(pieces[:-4]) == "▁The▁river▁"
    assert PLAIN.pieces(PLAIN.encode("The river 🙂")) == pieces
    assert PLAIN.pieces([0, 2, 3]) == ["<pad>", "<s>", "</s>"]


def test_line_endings_and_byte_order_marks_change_no_id():
    assert PLAIN.encode("\ufeffThe river\r") == PLAIN.encode("The river")


def test_a_tokenizer_survives_its_file_and_a_pickle(tmp_path):
    PLAIN.save(tmp_path, "tokenizer")
    assert [file.name for file in tmp_path.iterdir()] == ["tokenizer.model"]
    for copy in (
        SentencePieceTokenizer.load(tmp_path, "tokenizer", normal_form="nfc"),
        pickle.loads(pickle.dumps(PLAIN)),
    ):
        assert copy == PLAIN
        assert hash(copy) == hash(PLAIN)
        assert copy.encode("The river") == PLAIN.encode("The river")
    assert SentencePieceTokenizer.load(tmp_path, "tokenizer", normal_form="identity") != PLAIN


@pytest.mark.parametrize("content", [b"", b"junk", PLAIN.model_bytes[: len(PLAIN.model_bytes) // 2]])
def test_a_damaged_model_is_refused_by_name(tmp_path, content):
    (tmp_path / "broken.model").write_bytes(content)
    with pytest.raises(TokenizerError, match=r"broken\.model: not a SentencePiece model"):
        SentencePieceTokenizer.load(tmp_path, "broken", normal_form="nfc")


def test_a_missing_model_and_an_unknown_form_are_refused(tmp_path):
    with pytest.raises(TokenizerError, match=r"cannot read the tokenizer .*absent\.model"):
        SentencePieceTokenizer.load(tmp_path, "absent", normal_form="nfc")
    with pytest.raises(ConfigError, match="unknown normal form"):
        SentencePieceTokenizer(PLAIN.model_bytes, normal_form="nfd")


MORE = ("<2de>", "<tag:bt>", "<unused:9>", "<mask>")


def reversed_map():
    """Number the pieces of PLAIN backwards, as another toolkit might."""
    return {piece: index for index, piece in enumerate(reversed(PLAIN.pieces(range(PLAIN.vocab_size))))}


def test_an_id_map_renumbers_the_outside():
    pairs = reversed_map()
    tokenizer = SentencePieceTokenizer(PLAIN.model_bytes, normal_form="nfc", id_map=pairs)
    ids = tokenizer.encode("The wide")
    assert ids == [PLAIN.vocab_size - 1 - index for index in PLAIN.encode("The wide")]
    assert tokenizer.vocab_size == len(pairs)
    assert (tokenizer.pad_id, tokenizer.eos_id) == (pairs["<pad>"], pairs["</s>"])
    assert tokenizer.decode([tokenizer.bos_id, *ids, tokenizer.eos_id]) == "The wide"
    assert tokenizer.decode(tokenizer.encode("▁🙂 龘")) == "▁🙂 龘"


def test_a_piece_missing_in_the_id_map_is_unknown():
    pairs = {"</s>": 0, "<unk>": 1, "▁The": 2, "▁": 4}
    tokenizer = SentencePieceTokenizer(PLAIN.model_bytes, normal_form="nfc", id_map=pairs)
    assert set(tokenizer.encode("wide")) <= {1, 4}
    assert tokenizer.vocab_size == 5
    assert tokenizer.decode([2, 3]) == "The"
    with pytest.raises(TokenizerError, match="has no <s> symbol"):
        assert tokenizer.bos_id


def test_control_symbols_that_only_an_id_map_knows():
    pairs = reversed_map() | {name: PLAIN.vocab_size + place for place, name in enumerate(MORE)}
    tokenizer = SentencePieceTokenizer(PLAIN.model_bytes, normal_form="nfc", id_map=pairs)
    assert list(tokenizer.control_symbols) == ["<2de>", "<tag:bt>", "<unused:9>"]
    assert set(tokenizer.control_symbols.values()) < tokenizer.never_text
    assert tokenizer.decode([pairs["<2de>"], *tokenizer.encode("<2de> wide")]) == "<2de> wide"
    assert tokenizer.decode([pairs["<mask>"]]) == "<mask>"
    assert pairs["<2de>"] not in tokenizer.encode("<2de>")


def test_no_control_symbol_arises_where_there_are_no_byte_pieces():
    """Such a model hands unknown characters out as they stand: here as the piece ``</s>``."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab ab"]), model_writer=model, vocab_size=7, hard_vocab_limit=False, minloglevel=3
    )
    pairs = {"</s>": 0, "<unk>": 1, "▁": 2, "a": 3, "b": 4, "<pad>": 5}
    tokenizer = SentencePieceTokenizer(model.getvalue(), normal_form="nfc", id_map=pairs)
    assert tokenizer.encode("a</s>") == [*tokenizer.encode("a"), 1]
    assert tokenizer.decode(tokenizer.encode("a</s>")) == "a\ufffd"


def test_an_id_map_is_saved_and_read_back(tmp_path):
    tokenizer = SentencePieceTokenizer(PLAIN.model_bytes, normal_form="nfc", id_map=reversed_map())
    tokenizer.save(tmp_path, "source")
    assert {path.name for path in tmp_path.iterdir()} == {"source.model", "source.ids.json"}
    assert SentencePieceTokenizer.load(tmp_path, "source", normal_form="nfc") == tokenizer
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "is not JSON"),
        ("[]", "must be an object"),
        ("{}", "must be an object"),
        (json.dumps({"a": 1.5}), "whole number from 0"),
        (json.dumps({"a": True}), "whole number from 0"),
        (json.dumps({"a": -1}), "whole number from 0"),
        (json.dumps({"a": 1, "b": 1}), "'a' and 'b' the same id, 1"),
    ],
)
def test_a_wrong_id_map_is_refused_by_name(tmp_path, content, problem):
    PLAIN.save(tmp_path, "source")
    (tmp_path / "source.ids.json").write_text(content)
    with pytest.raises(TokenizerError, match=rf"source\.ids\.json.*{problem}"):
        SentencePieceTokenizer.load(tmp_path, "source", normal_form="nfc")


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_parts_of_a_token_spell_it(kind):
    words = [f"{a}{b}ing {b}{a}ed" for a in ("walk", "talk", "jump", "climb") for b in ("re", "un", "over", "out")]
    tokenizer = train_tokenizer(words * 5, TokenizerRecipe(kind=kind, vocab_size=300))
    parts, pieces = tokenizer.parts(), tokenizer.pieces(list(range(tokenizer.vocab_size)))
    assert len(parts) == tokenizer.vocab_size
    known = {index: pair for index, pair in enumerate(parts) if pair != (-1, -1)}
    assert len(known) > 10
    assert all(pieces[left] + pieces[right] == pieces[index] for index, (left, right) in known.items())
    special = {*tokenizer.never_text, *(index for index, piece in enumerate(pieces) if piece.startswith("<0x"))}
    assert not special & {*known, *(index for pair in known.values() for index in pair)}
    assert all(parts[index] == (-1, -1) for index, piece in enumerate(pieces) if len(piece) == 1)
