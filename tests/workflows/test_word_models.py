"""Models whose tokens are words or their parts, as other toolkits train them: they can all that ours can."""

import importlib.util
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from ferryman import Translator, convert, load
from ferryman.checkpoint import Tokenizers, load_model, load_tokenizers, save_model, weights_of
from ferryman.config import Config, DataConfig, DecodingConfig, ModelConfig, TokenizerConfig
from ferryman.config_file import load_config
from ferryman.corpus.phrasebook.generate import generate
from ferryman.errors import CheckpointError, ConfigError, ConversionError, TranslationError
from ferryman.explain import trace
from ferryman.model.transformer import Transformer
from ferryman.text import WordTokenizer
from ferryman.text.word_splitting import Moses, MosesScripts
from ferryman.translator.alignment import Side
from ferryman.workflows.describe import describe
from ferryman.workflows.evaluate import evaluate
from ferryman.workflows.prepare import prepare
from ferryman.workflows.run import TrainingRun

learn_bpe = pytest.importorskip("subword_nmt.learn_bpe").learn_bpe
pytest.importorskip("sacremoses")

PAIRS = list(generate("de", "train", 120))
CONTROLS = {"<s>": "<s>", "<blank>": "<pad>", "</s>": "</s>", "<unk>": "<unk>"}
SMALL = {"d_model": 32, "d_ff": 48, "heads": 4, "encoder_layers": 1, "decoder_layers": 2, "dropout": 0.0}
SHORT = {"device": "cpu", "beam": 3, "min_length": 4, "max_length_extra": 4, "fallback": False, "threads": 1}
ENDING = ["decoding.beam=1", "decoding.min_length=0", "decoding.max_length_extra=20"]
SOURCES = [pair.source for pair in PAIRS[:30]]
TEXTS = ["The river is wide.", "Where is the station, and who are you?", "Anna doesn't sleep."]


def side(texts: list[str], language: str | None) -> WordTokenizer:
    """Learn the parts of the words of texts; of a language as Moses cuts them."""
    scripts = MosesScripts(Moses(language)) if language else None
    lines = [" ".join(scripts.split(text)) if scripts else text for text in texts]
    codes = io.StringIO()
    learn_bpe([f"{line}\n" for line in lines], codes, num_symbols=150)
    rules = {"normal_form": "identity", "codes": codes.getvalue(), "moses": language}
    bare = WordTokenizer(["<unk>"], **rules)
    found = sorted({part for line in lines for word in line.split() for part in bare._merges.split(word)})
    return WordTokenizer([*CONTROLS, *found], controls=CONTROLS, **rules)


@pytest.fixture(scope="module", params=["words", "moses", "joint"])
def tokenizers(request) -> Tokenizers:
    texts = [pair.source for pair in PAIRS], [pair.target for pair in PAIRS]
    if request.param == "joint":
        both = side([*texts[0], *texts[1]], "en")
        german = WordTokenizer(
            both.symbols, normal_form="identity", codes=both.codes, moses="de", controls=both.controls
        )
        return Tokenizers(both, german)
    languages = ("en", "de") if request.param == "moses" else (None, None)
    return Tokenizers(*(side(each, language) for each, language in zip(texts, languages, strict=True)))


@pytest.fixture
def folder(tokenizers: Tokenizers, tmp_path: Path) -> Path:
    """Save a random model that is sure of itself and ends soon."""
    config = Config(
        data=DataConfig(source_language="en", target_language="de"),
        tokenizer=TokenizerConfig(
            kind="words", vocab_size=tokenizers.target.vocab_size, joint=tokenizers.joint, normal_form="identity"
        ),
        model=ModelConfig(**SMALL, tie="none", output_bias=True),
        decoding=DecodingConfig(**SHORT),
    )
    torch.manual_seed(0)
    model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model)
    with torch.no_grad():
        model.output_table.mul_(4)
        model.output_bias[tokenizers.target.eos_id] = 3.0 if tokenizers.source.moses is None else 7.0
    save_model(tmp_path / "model", weights_of(model), config, tokenizers, "# A model\n")
    return tmp_path / "model"


@pytest.fixture
def translator(folder: Path) -> Translator:
    return load(folder)


@pytest.fixture
def changed(translator: Translator) -> Callable[..., DecodingConfig]:
    return lambda **settings: DecodingConfig(**{**SHORT, **settings})


def test_the_folder_is_readable_and_comes_back(folder, tokenizers):
    names = {path.name for path in folder.iterdir()}
    files = {f"{name}.{kind}" for name in ("source", "target") for kind in ("vocab", "codes", "words.json")}
    assert names == {"config.yaml", "model.safetensors", "README.md", *files}
    _, config, loaded = load_model(folder)
    assert (loaded.source, loaded.target) == (tokenizers.source, tokenizers.target)
    assert loaded.joint == tokenizers.joint == config.tokenizer.joint
    assert loaded.fingerprint == tokenizers.fingerprint
    assert describe(folder)["tokenizer"] == "words, normal form identity"
    assert ("joint" in describe(folder)["vocabulary"]) == tokenizers.joint
    settings = folder / "source.words.json"
    settings.write_text(settings.read_text().replace("false", "true"))
    with pytest.raises(CheckpointError, match=r"its tokenizer is not the one that model\.safetensors was trained with"):
        load_model(folder)
    (folder / "source.vocab").unlink()
    with pytest.raises(CheckpointError, match=r"no tokenizer\.model, and no source\.model"):
        load_model(folder)


def test_one_tokenizer_for_both_sides_is_kept_once(tmp_path):
    one = WordTokenizer([*CONTROLS, "a"], normal_form="nfc", controls=CONTROLS)
    Tokenizers(one, one).save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"tokenizer.vocab", "tokenizer.words.json"}
    loaded = load_tokenizers(tmp_path, "nfc")
    assert loaded.source is loaded.target
    assert loaded.target == one


def test_it_translates_scores_and_streams(translator):
    found = translator.translate(TEXTS)
    assert any(one.text for one in found)
    for text, one in zip(TEXTS, found, strict=True):
        assert "@@" not in one.text
        assert "<" not in one.text
        assert "\ufffd" not in one.text
        assert translator.score([text], [one]) == pytest.approx([one.log_prob], abs=1e-4)
        assert list(translator.stream(text))[-1] == one.text
    assert translator.translate(TEXTS[:1])[0].text == found[0].text
    target = translator.tokenizers.target
    assert [target.decode(target.encode(pair.target)) for pair in PAIRS] == [pair.target for pair in PAIRS]


def test_unknown_words_are_read_but_never_said(translator, changed):
    source, target = translator.tokenizers.source, translator.tokenizers.target
    assert source.unk_id in source.encode("The 龘 is wide")
    for settings in ({}, {"beam": 1}, {"sampling": True}):
        for one in translator.translate(["The 龘 is wide", "龘"], changed(**settings)):
            assert target.unk_id not in one.tokens
            assert "unknown" in one.flags
    assert "unknown" not in translator.translate(["The river is wide"])[0].flags


def test_spans_that_are_unknown_words_come_back(translator):
    text = "See https://ex.org/a_b?c=1&d=2 or mail a@b.org, 1,234.50 and {name} at the river."
    (found,) = translator.translate([text])
    for span in ("https://ex.org/a_b?c=1&d=2", "a@b.org", "1,234.50", "{name}"):
        assert found.text.count(span) == 1


def test_words_of_an_alignment_are_those_of_the_texts(translator, changed):
    for text in TEXTS:
        (found,) = translator.translate([text], changed(alignment="hard"))
        assert found.alignment.words == (len(text.split()), len(found.text.split()))
        assert [said for _, said in found.alignment.links] == list(range(len(found.text.split())))


def test_a_trace_shows_the_tokens(translator):
    found = trace(translator, TEXTS[0])
    pieces = [token.piece for token in found.source.tokens]
    assert "".join(pieces).removesuffix("</s>").replace("▁", " ").split() == (
        translator.tokenizers.source.spell(TEXTS[0]).decode().split("▁")
    )
    assert pieces[-1] == "</s>"
    side = Side(translator.tokenizers.source, spaced=True)
    assert (
        len(found.source.words)
        == len(TEXTS[0].split())
        == side.words(translator.tokenizers.source.encode(TEXTS[0]))[-1][-1] + 1
    )


def test_what_is_asked_of_a_translation(translator, changed):
    (plain,) = translator.translate(TEXTS[1:2], changed())
    words = [pair.target.split()[1] for pair in PAIRS[:40]]
    word = next(word for word in words if word.isalpha() and word not in plain.text)
    (kept,) = translator.translate(TEXTS[1:2], changed(required_phrases=[word], beam=4))
    assert word in kept.text.replace(".", " ").replace(",", " ").split()
    assert "unmet" not in kept.flags
    said = next(each for each in plain.text.split() if each.isalpha())
    (without,) = translator.translate(TEXTS[1:2], changed(forbidden_phrases=[f" {said} "]))
    assert f" {said} " not in f" {without.text} "
    (begun,) = translator.translate(TEXTS[1:2], changed(), prefixes=[f"{word} {said}"])
    assert begun.text.startswith(f"{word} {said}")
    with pytest.raises(TranslationError, match=r"prefixes: text 1: the model has no tokens for all of '龘'"):
        translator.translate(TEXTS[:1], prefixes=["龘"])
    (unmet,) = translator.translate(TEXTS[:1], changed(required_phrases=["龘"]))
    assert "unmet" in unmet.flags


def test_a_long_text_is_cut_between_words(translator, changed):
    text = " ".join(["the river is wide"] * 40)
    (found,) = translator.translate([text], changed(max_source_tokens=20, alignment="hard"))
    assert "split" in found.flags
    assert found.alignment.words[0] == 160


@pytest.mark.parametrize("tokenizers", ["moses"], indirect=True)
@pytest.mark.skipif(importlib.util.find_spec("ctranslate2") is None, reason="needs ctranslate2, of convert")
def test_ctranslate2_says_the_same(folder, tmp_path):
    made = convert(folder, tmp_path / "out", "ctranslate2", ENDING, texts=SOURCES)
    assert made.agreement.equal == made.agreement.sentences > 3, made.agreement
    card = (tmp_path / "out" / "README.md").read_text()
    assert "load_tokenizers" in card
    compile(card.split("```python\n")[1].split("```")[0], "card", "exec")
    assert (tmp_path / "out" / "target.words.json").exists()


@pytest.mark.parametrize("tokenizers", ["moses"], indirect=True)
@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="needs onnxruntime, of fast")
def test_onnx_says_the_same(folder, tmp_path):
    made = convert(folder, tmp_path / "out", "onnx", ENDING, texts=SOURCES)
    assert made.agreement.equal == made.agreement.sentences > 3, made.agreement


def test_formats_of_sentencepiece_are_refused(folder, tmp_path):
    for to, path, what in (
        ("huggingface", tmp_path / "out", "a Marian tokenizer"),
        ("argos", tmp_path / "en-de.argosmodel", "an Argos package"),
    ):
        with pytest.raises(
            ConversionError, match=f"{what} holds SentencePiece models, and this model's tokens are words"
        ):
            convert(folder, path, to)
        assert not path.exists()


def test_it_is_evaluated_and_trained_further(folder, tmp_path):
    (tmp_path / "pairs.tsv").write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS[:40]))
    assert len(evaluate(folder, [tmp_path / "pairs.tsv"]).hypotheses) == 40
    settings = {
        "data.directory": tmp_path, "data.train": "pairs.tsv", "data.valid_pairs": 4, "training.start_from": folder,
        "training.steps": 2, "training.batch_tokens": 256, "training.subword_dropout": 0.1, "training.threads": 1,
        "training.device": "cpu",
    }  # fmt: skip
    config = load_config(folder / "config.yaml", [f"{key}={value}" for key, value in settings.items()])
    *_, last = TrainingRun(config, tmp_path / "run").events()
    assert last.reason
    _, _, trained = load_model(tmp_path / "run")
    assert trained.fingerprint == load_model(folder)[2].fingerprint
    assert load(tmp_path / "run").translate(TEXTS)


def test_none_is_trained_from_nothing(tmp_path):
    (tmp_path / "pairs.tsv").write_text("a\tb\n")
    settings = [f"data.directory={tmp_path}", "data.train=pairs.tsv", "tokenizer.kind=words"]
    config = load_config("tiny", ["data.source_language=en", "data.target_language=de", *settings])
    with pytest.raises(ConfigError, match=r"tokenizer\.kind: words comes with a model of another toolkit only"):
        prepare(config, tmp_path / "prepared")
