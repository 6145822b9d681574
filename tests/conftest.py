"""What all tests share: one thread, examples that repeat, and tiny models.

Shapes are checked at run time in the packages that hold tensors: see ``--jaxtyping-packages`` in pyproject.toml.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import settings
from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.model.transformer import Transformer

settings.register_profile("ferryman", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ferryman")
torch.set_num_threads(1)

VOCAB = 13
TINY = {"d_model": 16, "d_ff": 24, "heads": 2, "encoder_layers": 2, "decoder_layers": 2}

BuildModel = Callable[..., Transformer]


@pytest.fixture(autouse=True)
def _seeded() -> None:
    """Begin every test with the same random numbers."""
    torch.manual_seed(0)


@pytest.fixture
def build_model() -> BuildModel:
    """Build a tiny model (13 tokens, d_model 16, 2 + 2 layers) ready to translate; keywords change its ``ModelConfig``.

    Biases and norms, which begin as 0 and 1, are drawn too: otherwise a test would not see them left out.
    """

    def build(*, seed: int = 0, **changes: Any) -> Transformer:
        generator = torch.Generator().manual_seed(seed)
        model = Transformer(VOCAB, VOCAB, ModelConfig(**{**TINY, **changes}), generator)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.1)
        return model.eval()

    return build


@pytest.fixture
def model(build_model: BuildModel) -> Transformer:
    """The tiny model with the paper's choices: post-norm, sinusoids, ReLU, three-way tying."""
    return build_model()


@pytest.fixture(
    params=[
        {"norm_order": order, "position_offset": offset, **positions}
        for order in ("post", "pre")
        for offset in (0, 2)
        for positions in (
            {"positions": "sinusoidal"},
            {"positions": "sinusoidal", "sinusoid_layout": "halves"},
            {"positions": "learned", "max_positions": 64},
        )
    ],
    ids=lambda choices: "-".join(str(value) for value in choices.values()),
)
def any_model(build_model: BuildModel, request: pytest.FixtureRequest) -> Transformer:
    """A tiny model of every norm order, position type and offset."""
    return build_model(**request.param)


@pytest.fixture
def draw_tokens() -> Callable[..., Tensor]:
    """Draw token ids of a shape, the same for the same seed."""

    def draw(*shape: int, seed: int = 0) -> Tensor:
        return torch.randint(0, VOCAB, shape, generator=torch.Generator().manual_seed(seed))

    return draw
