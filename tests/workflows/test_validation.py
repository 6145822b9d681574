"""Validation looks at so many lines at a time, however many there are."""

import math

import pytest
import torch

from ferryman.checkpoint import Tokenizers
from ferryman.config_file import load_config
from ferryman.corpus import Pair
from ferryman.model.transformer import Transformer
from ferryman.text import TokenizerRecipe, train_tokenizer
from ferryman.text.directions import Direction
from ferryman.translator.searching import Searcher
from ferryman.workflows import validation as validation_module
from ferryman.workflows.validation import Validation
from ferryman.workflows.validations import Validations

SETTINGS = [
    "data.source_language=en",
    "data.target_language=de",
    "model.d_model=16",
    "model.d_ff=16",
    "model.heads=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "decoding.batch_tokens=64",
    "decoding.max_length_ratio=0.1",
    "decoding.max_length_extra=1",
]


@pytest.fixture
def largest_step(monkeypatch: pytest.MonkeyPatch):
    """Validate so many lines; tell the largest batch of the loss and of the search, in tokens with padding."""
    tokenizer = train_tokenizer(["the ferry carries seven people"] * 3, TokenizerRecipe(kind="bpe", vocab_size=300))
    seen = {"loss": 0, "search": 0}
    batch_loss, search = validation_module.batch_loss, Searcher._task

    def watched_loss(model, batch, smoothing):
        seen["loss"] = max(seen["loss"], batch.source.numel())
        return batch_loss(model, batch, smoothing)

    def watched_search(searcher, rows, *arguments, **options):
        seen["search"] = max(seen["search"], len(rows) * (1 + max(map(len, rows))))
        return search(searcher, rows, *arguments, **options)

    monkeypatch.setattr(validation_module, "batch_loss", watched_loss)
    monkeypatch.setattr(Searcher, "_task", watched_search)

    def validate(lines: int) -> dict[str, int]:
        seen.update(loss=0, search=0)
        torch.manual_seed(0)
        config = load_config("tiny", [*SETTINGS, "decoding.beam_groups=5", "decoding.alignment=hard"])  # left out
        model = Transformer(tokenizer.vocab_size, tokenizer.vocab_size, config.model)
        pairs = [Pair("the ferry carries", "seven people", "", line) for line in range(lines)]
        figures = Validation(pairs, config, Tokenizers(tokenizer, tokenizer))(model)
        assert figures.keys() == {"loss", "perplexity", "bleu", "chrf"}
        return dict(seen)

    return validate


def test_memory_does_not_grow_with_the_number_of_lines(largest_step):
    """T22."""
    few, many = largest_step(100), largest_step(600)
    assert few == many
    assert 0 < many["search"] <= 64


def test_a_validation_searches_once_and_says_so():
    tokenizer = train_tokenizer(["the ferry carries seven people"] * 3, TokenizerRecipe(kind="bpe", vocab_size=300))
    validation = Validation([], load_config("tiny", SETTINGS), Tokenizers(tokenizer, tokenizer))
    assert validation.decoding.fallback is False
    assert "decoding.beam=1 decoding.fallback=false" in validation.about


class Told:
    """A validation that says what it is told to."""

    def __init__(self, **figures):
        self.figures = figures

    def __call__(self, model):
        return self.figures


@pytest.mark.parametrize(
    ("german", "french", "means"),
    [
        ({"loss": 1.0, "bleu": 20.0}, {"loss": 3.0, "bleu": 40.0}, {"loss": 2.0, "bleu": 30.0}),
        ({"loss": 1.0, "bleu": 20.0}, {"loss": 3.0}, {"loss": 2.0}),  # French diverged: no mean is better than German's
        ({"loss": 1.0}, {"loss": 3.0}, {"loss": 2.0}),
    ],
)
def test_means_are_over_all_directions_or_not_at_all(german, french, means):
    tokenizer = train_tokenizer(["a"], TokenizerRecipe(kind="bpe", vocab_size=270))
    validation = Validations({}, load_config("tiny", SETTINGS), Tokenizers(tokenizer, tokenizer))
    validation.of = {Direction("en", "de"): Told(**german), Direction("en", "fr"): Told(**french)}
    figures = validation(None)
    assert {name: figures[name] for name in ("loss", "bleu") if name in figures} == means
    assert figures["perplexity"] == pytest.approx(math.exp(2))
    assert figures["loss/en-fr"] == 3.0
    assert ("bleu/en-fr" in figures) == ("bleu" in french)
