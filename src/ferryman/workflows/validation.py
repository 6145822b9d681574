"""How good a model is while it is in training: loss and, by translating, BLEU and chrF."""

import math
from collections.abc import Sequence

import torch

from ferryman.checkpoint import Tokenizers
from ferryman.config import Config
from ferryman.corpus import Pair
from ferryman.data.batch import Batch
from ferryman.evaluation.scores import corpus_scores
from ferryman.model.transformer import Transformer
from ferryman.text.directions import find_target
from ferryman.text.prefix import prefix
from ferryman.training.update import batch_loss
from ferryman.translator import Translator
from ferryman.wording import counted

ROWS = 32


class Validation:
    """Scores a model on fixed pairs; draws no random number and leaves the model in training mode."""

    def __init__(self, pairs: Sequence[Pair], config: Config, tokenizers: Tokenizers, *, to: str | None = None) -> None:
        """Set up; ``to`` is the pairs' target language, needed where the model has several."""
        self.language = find_target(config.data, to)
        before = prefix(tokenizers.source, self.language, config.decoding.tag)
        self.config = config
        self.tokenizers = tokenizers
        self.decoding = config.decoding.model_copy(
            update={
                "beam": config.training.validation_beam,
                "n_best": 1,
                "too_long": "split",
                "fallback": False,
                "sampling": False,
                "beam_groups": 1,
                "token_log_probs": False,
                "alignment": "none",
            }
        )
        symbols = tokenizers.symbols(config.model.start_symbol, source_end=config.model.source_end)
        sources = [before + ids for ids in tokenizers.source.encode_batch([pair.source for pair in pairs])]
        targets = tokenizers.target.encode_batch([pair.target for pair in pairs])
        limit = config.data.max_tokens
        fitting = [(s, t) for s, t in zip(sources, targets, strict=True) if max(len(s), len(t)) <= limit]
        fitting.sort(key=lambda pair: len(pair[0]) + len(pair[1]))
        self.batches = [
            Batch.collate([s for s, _ in rows], [t for _, t in rows], symbols)
            for rows in (fitting[start : start + ROWS] for start in range(0, len(fitting), ROWS))
        ]
        self.scored = list(pairs)[: config.training.validation_sentences]
        self.signatures: dict[str, str] = {}  # of the scores, once there are any

    @property
    def about(self) -> str:
        """Say what the scores are measured on, such that ``ferryman evaluate`` can be asked for the same."""
        how = f"decoding.beam={self.decoding.beam} decoding.fallback=false"
        return f"validation translates {counted(len(self.scored), 'sentence')} with {how}"

    def __call__(self, model: Transformer) -> dict[str, float]:
        """Return ``loss`` (nats a target token, unsmoothed), ``perplexity`` and, if asked, ``bleu`` and ``chrf``."""
        model.eval()
        figures = self._loss(model) if self.batches else {}
        diverged = not math.isfinite(figures.get("loss", 0.0))  # then there is nothing to search among
        if self.scored and not diverged:
            translator, decoding = Translator(model, self.config, self.tokenizers, to=self.language), self.decoding
            if decoding.engine == "auto":  # the weights change each time: take what lays them out in no time
                engine = "packed" if translator.device.type == "cpu" else "torch"
                decoding = decoding.model_copy(update={"engine": engine})
            found = translator.translate([pair.source for pair in self.scored], decoding)
            scores = corpus_scores(
                [translation.text for translation in found],
                [[pair.target for pair in self.scored]],
                target_language=self.language,
                metrics=("bleu", "chrf"),
            )
            figures |= {name: score.score for name, score in scores.items()}
            self.signatures = {name: f"{score.name} {score.signature}" for name, score in scores.items()}
        model.train()
        return figures

    @torch.inference_mode()
    def _loss(self, model: Transformer) -> dict[str, float]:
        device = next(model.parameters()).device
        total, tokens = 0.0, 0
        for batch in self.batches:
            _, nll = batch_loss(model, batch.to(device), 0.0)
            total += nll.item()
            tokens += batch.target_tokens
        loss = total / tokens
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}
