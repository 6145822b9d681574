"""Our models go out to Hugging Face: ``AutoTokenizer`` and ``AutoModelForSeq2SeqLM`` load them, and say the same."""

import warnings

import pytest
import torch
from safetensors.torch import load_file

from ferryman import convert, load
from ferryman.checkpoint import load_model, weights_of
from ferryman.data.batch import pad_rows
from ferryman.errors import ConversionError
from ferryman.interop.huggingface.reading import read_huggingface
from ferryman.text.directions import directions

TEXTS = ["The river is wide.", "Where is the station, and who are you?"]
VARIANTS = {
    "post-norm, one table": {},
    "post-norm, two vocabularies": {"source": "en", "target": "de", "tie": "two-way"},
    "post-norm, three tables, a bias": {"source": "en", "target": "de", "tie": "none", "output_bias": True},
    "post-norm, one vocabulary in two tables": {"tie": "two-way", "start_symbol": "eos"},
    "pre-norm, one table": {"norm_order": "pre", "output_bias": True},
    "pre-norm, two vocabularies": {"norm_order": "pre", "source": "en", "target": "de", "tie": "two-way"},
    "halves": {"sinusoid_layout": "halves", "activation": "gelu", "scale_embedding": False},
    "several languages": {"source": "several", "target": "several", "start_symbol": "pad"},
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_out_and_back(make_model, tmp_path, transformers, variant):
    folder, out = make_model(**variant), tmp_path / "out"
    made = convert(folder, out, "huggingface", texts=TEXTS)
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    ours, config, tokenizers = load_model(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = transformers.AutoTokenizer.from_pretrained(out)
        theirs, told = transformers.AutoModelForSeq2SeqLM.from_pretrained(out, output_loading_info=True)
    assert not told["missing_keys"] - {f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")}
    assert not told["unexpected_keys"]
    before = load(folder).prefix("de")
    marked = [">>de<<" + text if before else text for text in TEXTS]
    source, real = pad_rows([[*before, *tokenizers.source.encode(text)] for text in TEXTS], pad=0, last=3)
    target_in = torch.randint(4, tokenizers.target.vocab_size, (2, 7))
    with torch.inference_mode():
        logits = theirs(**tokenizer(marked, return_tensors="pt", padding=True), decoder_input_ids=target_in).logits
        expected = ours(source, target_in, real)
    assert (logits[:, :, : expected.size(2)] - expected).abs().max() < 1e-4
    assert (logits[:, :, expected.size(2) :] < -1e8).all()

    card = (out / "README.md").read_text()
    assert "- de\n" in card
    assert (">>de<< ..." in card) == bool(before)
    assert ("The two vocabularies are one here" in card) == (logits.size(2) > expected.size(2))
    back = read_huggingface(out)
    for section in ("model", "decoding", "tokenizer"):
        assert getattr(back.config, section) == getattr(config, section)
    assert directions(back.config.data).keys() == directions(config.data).keys()
    assert back.tokenizers == tokenizers
    assert back.weights.keys() == weights_of(ours).keys()
    assert all(torch.equal(back.weights[name], tensor) for name, tensor in weights_of(ours).items())


def test_it_comes_back_as_a_folder_of_ours(make_model, tmp_path, monkeypatch):
    monkeypatch.setattr("ferryman.workflows.convert._peer", lambda path, model: None)
    folder = make_model()
    for source, name, to in ((folder, "out", "huggingface"), (tmp_path / "out", "back", "ferryman")):
        made = convert(source, tmp_path / name, to, texts=TEXTS)
        assert made.agreement.peer.startswith("Ferryman")
        assert made.agreement.equal == made.agreement.sentences
    before, after = (load_file(place / "model.safetensors") for place in (folder, tmp_path / "back"))
    assert before.keys() == after.keys()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())


def test_a_trained_model_says_the_same(trained, tmp_path, transformers):
    folder, texts = trained
    made = convert(folder, tmp_path / "out", "huggingface", texts=texts)
    assert made.agreement.sentences > 20
    assert made.agreement.equal == made.agreement.sentences, made.agreement


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ({"activation": "swiglu"}, "no model.activation: swiglu"),
        ({"positions": "learned"}, "no model.positions: learned"),
        ({"norm_epsilon": 1e-6}, "norm_epsilon: 1e-06, and theirs is 1e-05"),
        ({"position_offset": 2}, "position_offset: 2"),
        ({"norm_order": "pre", "tie": "none"}, "tie: none, with pre-norm"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_and_nothing_is_left(make_model, tmp_path, shape, problem):
    folder = make_model(**shape)
    with pytest.raises(ConversionError, match=problem):
        convert(folder, tmp_path / "out", "huggingface")
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_a_comparison_that_fails_is_told(make_model, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "ferryman.workflows.convert._peer", lambda path, model: (lambda task: ["?"] * len(task.texts), "them")
    )
    made = convert(make_model(), tmp_path / "out", "huggingface", texts=TEXTS)
    assert not made.is_good
    assert made.agreement.difference[0] == TEXTS[0]
    assert made.agreement.difference[2] == "?"
