"""Translators of small random models that are sure of themselves, and a sentence for them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DataConfig, DecodingConfig, ModelConfig, TokenizerConfig
from ferryman.model.transformer import Transformer
from ferryman.text import Tokenizer, TokenizerRecipe, train_tokenizer
from ferryman.translator import Translator

SENTENCE = "the ferry carries seven old people over a wide and quiet river"
SMALL = {"d_model": 32, "d_ff": 48, "heads": 4, "encoder_layers": 2, "decoder_layers": 3, "tie": "none"}
SHORT = {"device": "cpu", "fallback": False, "max_length_extra": 4, "min_length": 6, "no_repeat_ngram": 2}


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return train_tokenizer([SENTENCE] * 3, TokenizerRecipe(kind="bpe", vocab_size=320))


@pytest.fixture
def make_translator(tokenizer: Tokenizer) -> Callable[..., Translator]:
    """Make a translator; keywords are of the model, ``decoding`` has settings."""

    def make(*, decoding: dict[str, Any] | None = None, ending: float = 3.0, **shape: Any) -> Translator:
        config = Config(
            data=DataConfig(source_language="en", target_language="de"),
            tokenizer=TokenizerConfig(normal_form=tokenizer.normal_form),
            model=ModelConfig(**{**SMALL, "output_bias": True, **shape}),
            decoding=DecodingConfig(**{**SHORT, **(decoding or {})}),
        )
        size = tokenizer.vocab_size
        model = Transformer(size, size, config.model, torch.Generator().manual_seed(0))
        with torch.no_grad():
            model.output_table.mul_(3)
            model.output_bias[4:260] = -8.0  # bytes, which would make no text
            model.output_bias[tokenizer.eos_id] = ending
        return Translator(model, config, Tokenizers(tokenizer, tokenizer))

    return make


@pytest.fixture
def sentence() -> str:
    return SENTENCE
