"""Tiny models of other toolkits, and of ours, with tokenizers that know the phrasebook."""

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from ferryman.checkpoint import Tokenizers, save_model, weights_of
from ferryman.config import Config, DataConfig, DecodingConfig, ModelConfig, TokenizerConfig
from ferryman.corpus.phrasebook.generate import generate
from ferryman.model.transformer import Transformer
from ferryman.text import Tokenizer, TokenizerRecipe, train_tokenizer

SMALL = {"d_model": 16, "d_ff": 24, "heads": 2, "encoder_layers": 2, "decoder_layers": 2}
MakeModel = Callable[..., Path]


@pytest.fixture(scope="session")
def spoken() -> dict[str, Tokenizer]:
    """Tokenizers of English, German and both."""
    pairs = list(generate("de", "train", 200))
    texts = {
        "en": [pair.source for pair in pairs],
        "de": [pair.target for pair in pairs],
        "both": [text for pair in pairs for text in (pair.source, pair.target)],
    }
    recipe = TokenizerRecipe(kind="bpe", vocab_size=400)
    several = TokenizerRecipe(kind="bpe", vocab_size=400, control_symbols=("<2de>", "<2zh-Hans>"))
    made = {name: train_tokenizer(each, recipe) for name, each in texts.items()}
    return made | {"several": train_tokenizer(texts["both"], several)}


@pytest.fixture
def make_model(tmp_path: Path, spoken: dict[str, Tokenizer]) -> MakeModel:
    """Save a model of ours with random weights, large ones, so that it is sure of itself, that ends soon."""

    def make(*, source: str = "both", target: str = "both", name: str = "ours", **shape: Any) -> Path:
        tokenizers = Tokenizers(spoken[source], spoken[target])
        extra = {"de": {"train": ("{target}", "{source}"), "target_language": "zh-Hans"}} if source == "several" else {}
        config = Config(
            data=DataConfig(source_language="en", target_language="de", corpora=extra),
            tokenizer=TokenizerConfig(vocab_size=400, joint=tokenizers.joint),
            model=ModelConfig(**{**SMALL, "dropout": 0.0, **shape}),
            decoding=DecodingConfig(beam=3, device="cpu"),
        )
        model = Transformer(tokenizers.source.vocab_size, tokenizers.target.vocab_size, config.model)
        final = model.decoder.final_norm or model.decoder.layers[-1].feed_forward_norm.norm
        sharpen(model)
        with torch.no_grad():  # the end's row is like the bias of the last norm, so that it is never far
            final.bias.add_(0.5)
            near = 6 if model.config.tie == "none" else 4
            model.output_table[tokenizers.target.eos_id] += near * final.bias / final.bias.square().sum()
        save_model(tmp_path / name, weights_of(model), config, tokenizers, "")
        return tmp_path / name

    return make


@pytest.fixture
def trained() -> tuple[Path, list[str]]:
    """A tiny model that was trained, and sentences that it can translate."""
    folder = Path(__file__).parents[1] / "data" / "frozen-0.1"
    records = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return folder, [record["source"] for record in records if record["text"]]


def sharpen(model: torch.nn.Module) -> None:
    """Draw all weights anew, biases and norms too, so that the model is sure of itself."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:
                scale = 1.2 / parameter.size(-1) ** 0.5 if parameter.dim() > 1 else 0.3
                noise = torch.randn(parameter.shape, generator=generator) * scale
                parameter.copy_(noise + (1.0 if "norm" in name and name.endswith("weight") else 0.0))


@pytest.fixture(name="sharpen")
def sharpened() -> Callable[[torch.nn.Module], None]:
    """Give ``sharpen`` to the tests of this folder."""
    return sharpen


@pytest.fixture
def transformers() -> Any:
    """The package of the peer; the tests that need it are skipped where it is absent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("transformers", reason="needs transformers, of the extra dev")
        module.MarianMTModel, module.M2M100ForConditionalGeneration, module.AutoTokenizer  # noqa: B018 - loaded lazily
    module.utils.logging.set_verbosity_error()
    module.utils.logging.disable_progress_bar()
    return module


@pytest.fixture
def make_marian(tmp_path: Path, spoken: dict[str, Tokenizer], transformers: Any) -> Callable[..., tuple[Path, Any]]:
    """Save a random model of ``transformers`` with a tokenizer of Marian's kind: ids that are not SentencePiece's.

    A chatty one has few tokens, and three tables, so that it does not only repeat itself: its translations are of
    many lengths.
    """

    def make(
        *, separate: bool = False, chatty: bool = False, more: tuple[str, ...] = (), **settings: Any
    ) -> tuple[Path, Any]:
        folder = tmp_path / "marian"
        folder.mkdir()
        sides = [spoken["en"], spoken["de"]]
        for name, side in zip(("source.spm", "target.spm"), sides, strict=True):
            (folder / name).write_bytes(side.model_bytes)
        pieces = [
            [one for one in side.pieces(range(side.vocab_size)) if not one.startswith(("<s", "</", "<p", "<u"))]
            for side in sides
        ]
        if chatty:
            pieces = [each[300:355] for each in pieces]
        if not separate:
            pieces = [sorted({*pieces[0], *pieces[1]})] * 2
        maps = [{name: index for index, name in enumerate(["</s>", "<unk>", *more, *each])} for each in pieces]
        size = max(map(len, maps)) + 1
        maps = [each | {"<pad>": size - 1} for each in maps]
        names = ("vocab.json", "target_vocab.json") if separate else ("vocab.json",)
        for name, each in zip(names, maps, strict=False):
            (folder / name).write_text(json.dumps(each), encoding="utf-8")
        about = {
            "tokenizer_class": "MarianTokenizer",
            "source_lang": "eng",
            "target_lang": "de",
            "separate_vocabs": separate,
        }
        (folder / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")
        config = transformers.MarianConfig(
            **{
                "vocab_size": size, "decoder_vocab_size": size, "d_model": 16,
                "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
                "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "activation_function": "swish", "scale_embedding": True,
                "pad_token_id": size - 1, "eos_token_id": 0, "decoder_start_token_id": size - 1,
                "forced_eos_token_id": None, "share_encoder_decoder_embeddings": not separate, "dropout": 0.0,
                **settings,
            }
        )  # fmt: skip
        model = transformers.MarianMTModel(config)
        sharpen(model)
        with torch.no_grad():
            model.tie_weights()
            model.final_logits_bias.normal_(std=0.3)
            if chatty:
                model.final_logits_bias[0, 0] += 5.0
                for table in (model.lm_head, model.model.encoder.embed_tokens, model.model.decoder.embed_tokens):
                    table.weight.mul_(3.0)
        model.generation_config.bad_words_ids = [[size - 1]]
        model.generation_config.num_beams = 3
        model.eval().save_pretrained(folder)
        return folder, model

    return make


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Path], Path]:
    """Copy a folder, to damage it."""

    def make(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / "copy"))

    return make
