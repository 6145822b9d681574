"""Translators of tiny random models, for sentences that a tokenizer learned from."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config, DataConfig, DecodingConfig, ModelConfig, TokenizerConfig
from ferryman.model.transformer import Transformer
from ferryman.text import Tokenizer, TokenizerRecipe, train_tokenizer
from ferryman.translator import Translator

WORDS = [
    "the",
    "ferry",
    "carries",
    "seven",
    "old",
    "people",
    "over",
    "a",
    "wide",
    "and",
    "quiet",
    "river",
    "to",
    "town",
]
SHORT = {"device": "cpu", "beam": 3, "max_length_ratio": 1.0, "max_length_extra": 4, "fallback": False}
TINY = {
    "d_model": 16,
    "d_ff": 24,
    "heads": 2,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "tie": "none",
    "output_bias": True,
}


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return train_tokenizer([" ".join(WORDS)] * 3, TokenizerRecipe(kind="bpe", vocab_size=320))


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    """Fifty sentences of 1 to 8 words."""
    return [" ".join(WORDS[(3 * index + place) % len(WORDS)] for place in range(1 + index % 8)) for index in range(50)]


@pytest.fixture
def make_translator(tokenizer: Tokenizer) -> Callable[..., Translator]:
    """Make a translator of a random model, whose weights are large, so that it is sure of itself, and that ends soon.

    ``ending`` is added to the logit of the end symbol; ``decoding`` are settings; others are of the model.
    """

    def make(*, ending: float = 3.0, decoding: dict[str, Any] | None = None, **shape: Any) -> Translator:
        config = Config(
            data=DataConfig(source_language="en", target_language="de"),
            tokenizer=TokenizerConfig(normal_form=tokenizer.normal_form),
            model=ModelConfig(**{**TINY, **shape}),
            decoding=DecodingConfig(**{**SHORT, **(decoding or {})}),
        )
        size = tokenizer.vocab_size
        model = Transformer(size, size, config.model, torch.Generator().manual_seed(0))
        with torch.no_grad():
            model.output_table.mul_(4)
            model.output_bias[4:260] = -8.0  # bytes, which would make no text
            model.output_bias[tokenizer.eos_id] = ending
        return Translator(model, config, Tokenizers(tokenizer, tokenizer))

    return make


@pytest.fixture
def translator(make_translator: Callable[..., Translator]) -> Translator:
    return make_translator()
