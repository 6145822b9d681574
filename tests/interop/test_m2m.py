"""M2M-100 and NLLB folders come in: languages are told on both sides."""

import io
import json
from typing import Any

import pytest
import sentencepiece
import torch

from ferryman import convert, load
from ferryman.checkpoint import assemble, load_model
from ferryman.corpus.phrasebook.generate import generate
from ferryman.data.batch import pad_rows
from ferryman.errors import TranslationError
from ferryman.interop.huggingface.reading import read_huggingface

LANGUAGES = ["de", "en", "zh"]


@pytest.fixture(scope="session")
def piece_model() -> bytes:
    """A SentencePiece model as fairseq's are: <unk>, <s> and </s> first."""
    model = io.BytesIO()
    texts = [text for pair in generate("de", "train", 200) for text in (pair.source, pair.target)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, model_type="bpe", vocab_size=300, minloglevel=3
    )
    return model.getvalue()


@pytest.fixture
def make_m2m(tmp_path, piece_model, transformers, sharpen):
    """Save a random model, as M2M-100's folders are or as NLLB's."""

    def make(kind: str = "m2m", **settings: Any):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / "sentencepiece.bpe.model").write_bytes(piece_model)
        pieces = sentencepiece.SentencePieceProcessor(model_proto=piece_model)
        names = [pieces.id_to_piece(index) for index in range(3, pieces.vocab_size())]
        vocab = ["<s>", "<pad>", "</s>", "<unk>", *names]
        if kind == "m2m":
            languages = [f"__{code}__" for code in LANGUAGES]
            (folder / "vocab.json").write_text(json.dumps({name: index for index, name in enumerate(vocab)}))
            (folder / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": languages}))
            last = []
        else:
            languages, last = ["deu_Latn", "eng_Latn", "zho_Hans"], ["<mask>"]
            added = [{"id": len(vocab) + place, "content": name} for place, name in enumerate([*languages, *last])]
            (folder / "tokenizer.json").write_text(json.dumps({"added_tokens": added}))
        size = len(vocab) + len(languages) + 4
        config = transformers.M2M100Config(
            **{
                "vocab_size": size, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2,
                "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 24,
                "decoder_ffn_dim": 24, "dropout": 0.0, "attention_dropout": 0.0, "scale_embedding": True,
                "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0, **settings,
            }
        )  # fmt: skip
        model = transformers.M2M100ForConditionalGeneration(config)
        sharpen(model)
        with torch.no_grad():  # the end's row is like the bias of the last norm, so that it is never far
            bias = model.model.decoder.layer_norm.bias.add_(0.5)
            model.model.shared.weight.mul_(2.0)[2] += 4.5 * bias / bias.square().sum()
        model.tie_weights()
        model.eval().save_pretrained(folder)
        return folder, model, len(vocab)

    return make


@pytest.mark.parametrize("kind", ["m2m", "nllb"])
def test_the_same_logits(make_m2m, kind):
    folder, theirs, first = make_m2m(kind)
    stored = read_huggingface(folder)
    ours = assemble(stored.weights, stored.config, stored.tokenizers, folder)
    rows = [torch.randint(4, first, (length,)).tolist() for length in (3, 7, 5)]
    source, real = pad_rows(rows, pad=1, first=first + 1, last=2)
    target_in, _ = pad_rows([[first, *row] for row in rows], pad=1, first=2)
    with torch.inference_mode():
        expected = theirs(input_ids=source, attention_mask=real.long(), decoder_input_ids=target_in).logits
        found = ours(source, target_in, real)
    for place, row in enumerate(rows):  # theirs gives padding in the decoder no position
        assert (found[place, : len(row) + 2] - expected[place, : len(row) + 2]).abs().max() < 1e-4


def test_languages_are_told_on_both_sides(make_m2m):
    folder, _, first = make_m2m()
    translator = load(folder)
    assert (translator.prefix("de"), translator.opening("de")) == ([first + 1], (first,))
    assert translator.opening("zh") == (first + 2,)
    with pytest.raises(TranslationError, match="this model translates into de, en, zh: say into which"):
        translator.translate(["The river is wide."])
    found = translator.translate(["The river is wide. Where is Anna?"], to="de")[0]
    assert found.tokens[0] == first
    assert "<2" not in found.text
    whole = load(folder, ["decoding.split_sentences=false", "decoding.fallback=false"])
    found = whole.translate(["The river is wide."], to="zh", constraints=[["Anna"]])[0]
    assert found.tokens[0] == first + 2
    found = whole.translate(["The river is wide."], to="zh", prefixes=["Anna"])[0]
    assert found.tokens[0] == first + 2
    assert found.text.startswith("Anna")
    assert whole.score(["The river is wide."], [found], to="zh")[0] == pytest.approx(found.log_prob, abs=1e-4)
    text = whole.rerank("The river is wide.", ["Anna"], to="zh")[0]
    assert text.tokens == (first + 2, *whole.tokenizers.target.encode("Anna"), 2)


def test_the_same_beam_search(make_m2m):
    folder, theirs, first = make_m2m()
    plain = ["length_penalty=0.0", "fallback=false", "beam=3", "split_sentences=false"]
    forty = ["max_length_ratio=0.001", "max_length_extra=40"]  # and the language's token
    translator = load(folder, [f"decoding.{setting}" for setting in (*plain, *forty)])
    texts = [pair.source for pair in generate("de", "test", 300)]
    source = translator.tokenizers.source
    rows, real = pad_rows([[first + 1, *source.encode(text)] for text in texts], pad=1, last=2)
    unsaid = sorted(translator.tokenizers.target.never_text - {2, first})
    said = theirs.generate(
        input_ids=rows, attention_mask=real.long(), num_beams=3, length_penalty=0.0, forced_bos_token_id=first,
        max_new_tokens=41, bad_words_ids=[[index] for index in unsaid],
    )  # fmt: skip
    pairs = [
        (list(one.tokens), row[1 : row.index(2, 1) + 1])
        for one, row in zip(translator.translate(texts, to="de"), said.tolist(), strict=True)
        if one.tokens[-1] == 2 and 2 in row[1:]  # at the bound theirs prefers what is unfinished, if it is likelier
    ]
    assert [ours for ours, _ in pairs] == [row for _, row in pairs]
    assert len(pairs) >= 200
    assert len({len(ours) for ours, _ in pairs}) > 5


def test_it_is_ours_afterwards(make_m2m, tmp_path, monkeypatch):
    monkeypatch.setattr("ferryman.workflows.convert._peer", lambda path, model: None)
    folder, _, first = make_m2m("nllb")
    convert(folder, tmp_path / "ours", "ferryman", ["data.source_language=deu-Latn"])
    model, config, tokenizers = load_model(tmp_path / "ours")
    assert (config.model.sinusoid_layout, config.model.position_offset, config.model.norm_order) == (
        "fairseq",
        2,
        "pre",
    )
    assert tokenizers.joint
    translator = load(tmp_path / "ours")
    assert (translator.prefix("zho-Hans"), translator.opening("zho-Hans")) == ([first], (first + 2,))
    assert model.source_table.size(0) == tokenizers.source.vocab_size == first + 7
