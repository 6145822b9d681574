"""Dictionaries of fairseq, and what cut the text, become tokenizers that give the same ids."""

import io

import pytest
import sentencepiece

from ferryman import load
from ferryman.corpus.phrasebook.generate import generate
from ferryman.errors import ConversionError
from ferryman.interop.fairseq.reading import read_fairseq
from ferryman.interop.fairseq.vocabulary import kind_of
from ferryman.text.word_tokenizer import WordTokenizer

SUBWORD_NMT = "#version: 0.2\nH a\nHa u\ns </w>\nHau s</w>\n"
FAST_BPE = "H a 90\nHa u 80\ns </w> 70\nHau s</w> 60\n"
PARTS = {"de": ["da@@", "s", "Hau@@", "Haus", "ist", "gro@@"], "en": ["the", "Hou@@", "se", "Bi@@", "g"]}
MOSES = {"de": ["Haus", "&apos;s", "@-@", "."], "en": ["House", "&quot;", ".", "it"]}


@pytest.fixture(scope="module")
def piece_models() -> dict[str, bytes]:
    """Models of SentencePiece as fairseq's scripts train them, by language."""
    pairs = list(generate("de", "train", 200))
    made = {}
    for language, texts in (("en", [pair.source for pair in pairs]), ("de", [pair.target for pair in pairs])):
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=model, vocab_size=200, minloglevel=3,
            model_type="bpe" if language == "en" else "unigram",
        )  # fmt: skip
        made[language] = model.getvalue()
    return made


def pieces_of(model: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(index) for index in range(3, processor.vocab_size())][::-1]


def test_words(make_checkpoint):
    folder, _ = make_checkpoint()
    stored = read_fairseq(folder)
    source, target = stored.tokenizers.source, stored.tokenizers.target
    assert isinstance(source, WordTokenizer)
    assert source.encode("das  Haus ist klein .") == [4, 5, 6, 3, 8]
    assert source.encode("</s> <pad> madeupword0000") == [3, 3, 3]
    assert [source.bos_id, source.pad_id, source.eos_id, source.unk_id] == [0, 1, 2, 3]
    assert source.vocab_size == target.vocab_size == 16
    assert target.decode([2, 4, 5, 6, 7, 8, 2]) == "the House is big ."
    assert target.never_text >= {0, 1, 2, 3, *range(10, 16)}  # with the fillers
    assert (stored.config.tokenizer.kind, stored.tokenizers.joint) == ("words", False)
    assert (stored.config.data.source_language, stored.config.data.target_language) == ("de", "en")


def test_a_dictionary_in_lower_case_is_of_lower_case_text(make_checkpoint):
    folder, _ = make_checkpoint(words={"de": ["das", "haus"], "en": ["the", "House"]})
    stored = read_fairseq(folder)
    assert stored.tokenizers.source.encode("Das HAUS") == [4, 5]
    assert stored.tokenizers.target.encode("The House") == [3, 5]


@pytest.mark.parametrize(("name", "codes"), [("bpecodes", FAST_BPE), ("code", SUBWORD_NMT)])
def test_parts_of_words(make_checkpoint, name, codes):
    pytest.importorskip("subword_nmt", reason="needs subword-nmt, of the extra words")
    folder, _ = make_checkpoint(words=PARTS)
    with pytest.raises(ConversionError, match=r"dict.de.txt: its symbols are parts of words, but the codes of"):
        read_fairseq(folder)
    (folder / name).write_text(codes)
    source = read_fairseq(folder).tokenizers.source
    assert source.pieces("Haus Hau") == ["Haus", "Hau@@", "<unk>"] or source.encode("Haus") == [7]
    assert source.decode([4, 5, 7, 6, 5]) == "das Haus Haus"


def test_each_language_has_its_codes(make_checkpoint):
    pytest.importorskip("subword_nmt", reason="needs subword-nmt, of the extra words")
    folder, _ = make_checkpoint(words=PARTS)
    (folder / "codes.de").write_text(SUBWORD_NMT)
    with pytest.raises(ConversionError, match=r"dict.en.txt: its symbols are parts of words"):
        read_fairseq(folder)
    (folder / "codes.en").write_text("#version: 0.2\nt h\nth e</w>\n")
    found = read_fairseq(folder).tokenizers
    assert (found.source.encode("Haus"), found.target.encode("the")) == ([7], [4])
    (folder / "bpe.en.codes").write_text("")
    with pytest.raises(ConversionError, match=r"bpe.en.codes and codes.en: which one cut the text"):
        read_fairseq(folder)


def test_text_of_moses(make_checkpoint):
    pytest.importorskip("sacremoses", reason="needs sacremoses, of the extra words")
    folder, _ = make_checkpoint(words=MOSES)
    found = read_fairseq(folder).tokenizers
    assert found.source.encode("Haus-Haus.") == [4, 6, 4, 7]
    assert found.target.encode('"House".') == [5, 4, 5, 6]
    assert found.target.decode([5, 4, 5, 6]) == '"House".'
    folder, _ = make_checkpoint(words=MOSES, tokenizer="moses", moses_no_dash_splits=True)
    assert read_fairseq(folder).tokenizers.source.encode("Haus-Haus Haus.") == [3, 4, 7]
    folder, _ = make_checkpoint(words=MOSES, tokenizer="space")
    assert read_fairseq(folder).tokenizers.target.encode("House.") == [3]


@pytest.mark.parametrize("joint", [False, True])
def test_sentencepiece(make_checkpoint, piece_models, joint):
    models = {"de": piece_models["en"], "en": piece_models["en"]} if joint else piece_models
    folder, _ = make_checkpoint(words={language: pieces_of(model) for language, model in models.items()})
    with pytest.raises(ConversionError, match=r"the model of SentencePiece that cut them is not here; copy it"):
        read_fairseq(folder)
    for language, model in models.items():
        (folder / ("sentencepiece.bpe.model" if joint else f"spm.{language}.model")).write_bytes(model)
    stored = read_fairseq(folder)
    assert stored.tokenizers.joint == joint
    assert stored.config.tokenizer.kind == "bpe"
    assert kind_of(stored.tokenizers.source) == ("bpe" if joint else "unigram")
    for language, tokenizer in (("de", stored.tokenizers.source), ("en", stored.tokenizers.target)):
        own = sentencepiece.SentencePieceProcessor(model_proto=models[language])
        symbols = pieces_of(models[language])
        text = "Anna ist here."
        assert tokenizer.encode(text) == [
            4 + symbols.index(piece) if piece in symbols else 3 for piece in own.encode(text, out_type=str)
        ]
        assert tokenizer.decode(tokenizer.encode("here.")) == "here."


def test_a_dictionary_may_stand_in_the_prepared_data(make_checkpoint):
    folder, _ = make_checkpoint()
    data = folder / "data-bin" / "iwslt14.tokenized.de-en"
    data.mkdir(parents=True)
    for language in ("de", "en"):
        (folder / f"dict.{language}.txt").rename(data / f"dict.{language}.txt")
    translator = load(folder / "checkpoint_best.pt")
    assert translator.tokenizers.source.encode("das Haus") == [4, 5]


UNTOLD = {"source_lang": None, "target_lang": None}


def test_the_direction_is_told_by_names_and_sizes(make_checkpoint, change_settings):
    def pair(folder):
        data = read_fairseq(folder).config.data
        return data.source_language, data.target_language

    folder, _ = make_checkpoint()  # its data were data-bin/iwslt14.tokenized.de-en
    change_settings(folder, **UNTOLD)
    assert pair(folder) == ("de", "en")
    change_settings(folder, data="data-bin", **UNTOLD)
    with pytest.raises(ConversionError, match=r"source_lang is None; and de and en could each be; name the folder"):
        read_fairseq(folder)
    (folder / "train.de-en.de.idx").touch()
    assert pair(folder) == ("de", "en")
    folder, _ = make_checkpoint(words={"de": [f"w{number}" for number in range(9)], "en": ["The"]})
    (folder / "train.de-en.de.idx").unlink()
    change_settings(folder, data="data-bin", **UNTOLD)
    assert pair(folder) == ("de", "en")


def test_a_symbol_may_be_overwritten(make_checkpoint):
    folder, _ = make_checkpoint()
    text = (folder / "dict.en.txt").read_text()
    (folder / "dict.en.txt").write_text(text.replace("small 94", "the 94 #fairseq:overwrite"))
    target = read_fairseq(folder).tokenizers.target
    assert target.encode("the House") == [9, 5]
    assert target.decode([4, 9]) == "the"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("dict.en.txt", "the 9\nHouse\n", "dict.en.txt:2: expected a symbol and its count, found 'House'"),
        ("dict.en.txt", "the 9\nthe 8\n", "dict.en.txt:2: 'the' is there twice; its ids would be 4 and 5"),
        ("dict.en.txt", "<pad> 9\n", "dict.en.txt:1: '<pad>' is there twice"),
        ("dict.en.txt", "the 9\n", "decoder.embed_tokens.weight has 16 rows, but dict.en.txt names 5 symbols"),
        ("encoder.json", "{}", "encoder.json: this is of byte-level BPE"),
        ("a.model", "?", "a.model: not a SentencePiece model"),
    ],
)
def test_what_is_wrong_is_told(make_checkpoint, name, text, problem):
    folder, _ = make_checkpoint()
    (folder / name).write_text(text)
    with pytest.raises(ConversionError, match=problem):
        read_fairseq(folder)
