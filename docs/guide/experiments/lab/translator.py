"""The guide's translator: English to German on the built-in phrasebook, trained in about a minute.

It is kept in ``runs/guide``, where the commands of the package can open it too; ``make guide`` trains it anew.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from ferryman import load
from ferryman.checkpoint import Tokenizers, save_model, weights_of
from ferryman.config import Config
from ferryman.corpus.phrasebook.generate import generate
from ferryman.corpus.phrasebook.pair import AlignedPair
from ferryman.model.transformer import Transformer
from ferryman.text.tokenizer import Tokenizer
from ferryman.text.tokenizer_training import TokenizerRecipe, train_tokenizer
from ferryman.translator import Translator
from lab.tasks import Pair
from lab.training import train

FOLDER = Path(__file__).parents[4] / "runs" / "guide"
STEPS, PAIRS = 900, 16_000
COMPARED_STEPS = 600
RECIPE = {"batch_tokens": 1024, "learning_rate": 4e-3, "warmup_steps": 100, "label_smoothing": 0.1}
CONFIG: dict[str, dict[str, Any]] = {
    "data": {"source_language": "en", "target_language": "de"},
    "tokenizer": {"vocab_size": 1500, "joint": False},
    "model": {
        "d_model": 96,
        "d_ff": 192,
        "heads": 4,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "norm_order": "pre",
        "dropout": 0.0,
        "tie": "two-way",
    },
    "decoding": {"beam": 1},
}


@lru_cache
def phrasebook(split: str, count: int) -> tuple[AlignedPair, ...]:
    """Generate pairs of the phrasebook; those of ``test`` combine words as none of ``train`` do."""
    return tuple(generate("de", split, count, seed=1))


@lru_cache
def tokenizers() -> Tokenizers:
    """Train the two tokenizers."""
    recipe = TokenizerRecipe(kind="bpe", vocab_size=1500, character_coverage=0.9995)
    training = phrasebook("train", PAIRS)
    return Tokenizers(
        train_tokenizer((pair.source for pair in training), recipe),
        train_tokenizer((pair.target for pair in training), recipe),
    )


@lru_cache
def encoded(split: str, count: int) -> list[Pair]:
    """Return pairs of the phrasebook as token ids."""
    made, cut = phrasebook(split, count), tokenizers()
    sources = cut.source.encode_batch([pair.source for pair in made])
    return list(zip(sources, cut.target.encode_batch([pair.target for pair in made]), strict=True))


def new_model(config: Config, cut: Tokenizers, seed: int = 1) -> Transformer:
    """Build an untrained model for the tokenizers."""
    generator = torch.Generator().manual_seed(seed)
    return Transformer(cut.source.vocab_size, cut.target.vocab_size, config.model, generator)


def _nothing(model: Transformer) -> None:
    """Change nothing."""


def phrasebook_model(
    steps: int,
    *,
    batch_tokens: int = 1024,
    change: Callable[[Transformer], None] = _nothing,
    **config: object,
) -> Transformer:
    """Train a model on the phrasebook; ``change`` rebuilds it before, keywords change its ``ModelConfig``."""
    cut = tokenizers()
    whole = Config.model_validate({**CONFIG, "model": {**CONFIG["model"], **config}})
    model = new_model(whole, cut)
    change(model)
    recipe = {**RECIPE, "batch_tokens": batch_tokens}
    train(model, encoded("train", PAIRS), steps, symbols=cut.symbols("bos"), **recipe)
    return model


def compared_model(short: bool, *, change: Callable[[Transformer], None] = _nothing, **config: object) -> Transformer:
    """Train one of several models that are to be compared: smaller than the guide's translator, and less."""
    shape = {"d_model": 64, "d_ff": 128, **config}
    return phrasebook_model(2 if short else COMPARED_STEPS, batch_tokens=512, change=change, **shape)


@lru_cache
def translator(short: bool = False) -> Translator:
    """Return the guide's translator; train it if it is not there yet. The short one has learned next to nothing."""
    if short:
        return Translator(phrasebook_model(5), Config.model_validate(CONFIG), tokenizers())
    if not (FOLDER / "model.safetensors").exists():
        model = phrasebook_model(STEPS)
        card = "English to German, trained on the built-in phrasebook by docs/guide/make.py.\n"
        save_model(FOLDER, weights_of(model), Config.model_validate(CONFIG), tokenizers(), card)
    return load(FOLDER)


def word_tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    """Name the tokens of a text as a reader sees them, the end symbol included."""
    return [piece.replace("▁", "") or "·" for piece in tokenizer.pieces(text)] + ["end"]
