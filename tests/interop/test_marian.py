"""Models of Hugging Face's Marian come in: the same logits, the same translations, the same weights on the way back."""

import json

import pytest
import torch

from ferryman import load
from ferryman.checkpoint import assemble
from ferryman.data.batch import Symbols, pad_rows
from ferryman.interop.huggingface.reading import read_huggingface
from ferryman.interop.huggingface.writing import write_huggingface
from ferryman.text.directions import target_languages
from ferryman.translator.searching import Searcher

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

VARIANTS = {
    "as Opus-MT": {},
    "relu, unscaled": {"activation_function": "relu", "scale_embedding": False},
    "gelu, 1 + 3 layers": {"activation_function": "gelu", "encoder_layers": 1, "decoder_layers": 3},
    "two vocabularies": {"separate": True},
    "output of its own": {"separate": True, "tie_word_embeddings": False},
    "starts with eos": {"decoder_start_token_id": 0},
}


FORTY = {"length_penalty": 0.0, "device": "cpu", "max_length_ratio": 0.001, "max_length_extra": 39}


def rows_of(count: int, vocab: int, seed: int = 3) -> list[list[int]]:
    chance = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 9, (count,), generator=chance).tolist()
    return [torch.randint(2, vocab - 1, (length,), generator=chance).tolist() for length in lengths]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_the_same_logits(make_marian, variant):
    folder, theirs = make_marian(**variant)
    stored = read_huggingface(folder)
    ours = assemble(stored.weights, stored.config, stored.tokenizers, folder)
    source_vocab, target_vocab = (side.vocab_size for side in (stored.tokenizers.source, stored.tokenizers.target))
    source, real = pad_rows(rows_of(8, source_vocab), pad=target_vocab - 1, last=0)
    target_in, _ = pad_rows(rows_of(8, target_vocab, seed=4), pad=target_vocab - 1, first=target_vocab - 1)
    with torch.inference_mode():
        expected = theirs(input_ids=source, attention_mask=real.long(), decoder_input_ids=target_in).logits
        assert (ours(source, target_in, real) - expected).abs().max() < 1e-4
    assert expected.std() > 0.5


def test_the_same_beam_search(make_marian):
    folder, theirs = make_marian(chatty=True, separate=True, tie_word_embeddings=False)
    stored = read_huggingface(folder)
    ours = assemble(stored.weights, stored.config, stored.tokenizers, folder)
    vocab = stored.tokenizers.target.vocab_size
    rows = rows_of(400, vocab)
    decoding = stored.config.decoding.model_copy(update=FORTY)
    assert decoding.beam == 3
    searcher = Searcher(ours, Symbols(pad=vocab - 1, start=vocab - 1, eos=0), [vocab - 1])
    found = [each[0] for each in searcher.search(rows, decoding)]
    source, real = pad_rows(rows, pad=vocab - 1, last=0)
    said = theirs.generate(
        input_ids=source, attention_mask=real.long(), length_penalty=0.0, max_new_tokens=40,
        return_dict_in_generate=True, output_scores=True,
    )  # fmt: skip
    pairs = [
        (one, row[1 : row.index(0) + 1], score)
        for one, row, score in zip(found, said.sequences.tolist(), said.sequences_scores.tolist(), strict=True)
        if one.finished and 0 in row  # at the bound theirs prefers what is unfinished, if it is likelier so far
    ]
    assert [list(one.tokens) for one, _, _ in pairs] == [row for _, row, _ in pairs]
    assert max(abs(one.score - score) for one, _, score in pairs) < 1e-4
    assert len(pairs) >= 200
    assert len({len(one.tokens) for one in found}) > 5


def test_texts_are_cut_and_joined_alike(make_marian, transformers):
    folder, _ = make_marian()
    theirs, ours = transformers.MarianTokenizer.from_pretrained(folder), read_huggingface(folder).tokenizers
    for text in ("The river is wide.", "Where is Anna?", "Ünknown ☃ letters"):
        assert ours.source.encode(text) == theirs([text])["input_ids"][0][:-1]
    ids = [index for index in rows_of(1, ours.target.vocab_size)[0] if index > 1]
    assert ours.target.decode(ids).strip() == theirs.decode(ids)
    assert ours.target.pad_id == theirs.pad_token_id


def test_a_folder_translates_as_it_is(make_marian):
    folder, _ = make_marian()
    translator = load(folder, ["decoding.beam=2"])
    assert translator.config.data.source_language == "eng"
    assert (translator.config.decoding.beam, translator.config.model.start_symbol) == (2, "pad")
    assert translator.translate(["The river is wide."])[0].tokens


def test_a_language_that_nobody_told(make_marian):
    folder, _ = make_marian()
    (folder / "tokenizer_config.json").unlink()
    translator = load(folder)
    assert (translator.config.data.source_language, translator.config.data.target_language) == ("", "und")
    assert translator.translate(["The river is wide."])[0].tokens


def test_a_language_is_told_by_its_token(make_marian, transformers):
    folder, _ = make_marian(more=(">>deu<<", ">>zh_Hans<<", ">>zh_hans<<"))
    translator = load(folder)
    assert target_languages(translator.config.data) == ["deu", "zh-Hans"]
    rows = transformers.MarianTokenizer.from_pretrained(folder)([">>zh_Hans<<The river is wide."])["input_ids"][0]
    assert translator.prefix("zh-Hans") == rows[:1] == [3]
    assert [*translator.prefix("zh-Hans"), *translator.tokenizers.source.encode("The river is wide.")] == rows[:-1]
    assert translator.tokenizers.source.encode(">>zh_Hans<<") != [3]
    assert 3 in translator.tokenizers.target.never_text


@pytest.mark.parametrize("variant", [{}, {"separate": True}, {"separate": True, "tie_word_embeddings": False}])
def test_there_and_back_every_bit_is_the_same(make_marian, tmp_path, variant):
    folder, theirs = make_marian(**variant)
    stored = read_huggingface(folder)
    write_huggingface(stored, tmp_path / "back")
    again = read_huggingface(tmp_path / "back")
    assert again.config == stored.config
    assert again.tokenizers.fingerprint == stored.tokenizers.fingerprint
    back = type(theirs).from_pretrained(tmp_path / "back")
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, back.state_dict()[name]), name


def test_words_that_may_not_be_said(make_marian):
    folder, _ = make_marian()
    path = folder / "generation_config.json"
    settings = json.loads(path.read_text())
    settings["bad_words_ids"].append([7])
    path.write_text(json.dumps(settings))
    assert 7 in load(folder).searcher.forbidden
    settings["bad_words_ids"].append([7, 8])
    path.write_text(json.dumps(settings))
    with pytest.raises(Exception, match="bad_words_ids: expected lists of one token each"):
        load(folder)


def test_weights_in_halves_and_in_pickles_and_in_several_files(make_marian, tmp_path):
    folder, theirs = make_marian()
    expected = read_huggingface(folder).weights
    theirs.save_pretrained(folder, max_shard_size="10KB")
    (folder / "model.safetensors").unlink(missing_ok=True)
    assert len(list(folder.glob("*.safetensors"))) > 1
    sharded = read_huggingface(folder).weights
    assert all(torch.equal(sharded[name], tensor) for name, tensor in expected.items())
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    everything = {name: tensor.half() for name, tensor in theirs.state_dict().items()}
    torch.save(everything, folder / "pytorch_model.bin")
    halves = read_huggingface(folder).weights
    assert all(torch.equal(halves[name], tensor.half().float()) for name, tensor in expected.items())
