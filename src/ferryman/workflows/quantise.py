"""Eight-bit weights behind a gate: measured against float32 first, refused if too much changes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferryman.checkpoint import save_model, weights_of
from ferryman.corpus.files import format_of
from ferryman.engines.choice import eight_bits_from
from ferryman.errors import ConfigError, ConversionError
from ferryman.evaluation.scores import Scores, corpus_scores
from ferryman.translator import Translation, Translator
from ferryman.workflows.average import latest_checkpoints
from ferryman.workflows.card import model_card
from ferryman.workflows.evaluate import read_lines, read_test_set
from ferryman.workflows.gate import USUAL, Gate
from ferryman.workflows.load import load_ready
from ferryman.workflows.origin import origin_of
from ferryman.workflows.places import check_new_model

ENGINES = {"float32": "auto", "int8": "int8"}


@dataclass(frozen=True)
class Quantisation:
    """How translations with eight-bit matrices compare with those in float32."""

    sentences: int
    identical: int
    agreement: float  # chrF of the one against the other, 0 to 100
    seconds: dict[str, float]  # in float32 and int8
    scores: dict[str, Scores] | None = None  # the same, if there are references

    @property
    def loss(self) -> float:
        """BLEU lost; 0 where there are no references."""
        return 0.0 if self.scores is None else self.scores["float32"]["bleu"].score - self.scores["int8"]["bleu"].score

    def to_json(self) -> dict[str, Any]:
        """Give the comparison as a value that ``json`` can write."""
        shown = {
            "sentences": self.sentences,
            "identical": self.identical,
            "agreement_chrf": self.agreement,
            "seconds": self.seconds,
        }
        scores = {numbers: found.to_json() for numbers, found in (self.scores or {}).items()}
        return {**shown, **({"scores": scores, "bleu_lost": self.loss} if scores else {})}


def quantise(
    model: Path,
    files: Sequence[Path],
    output: Path | None = None,
    *,
    gate: Gate = USUAL,
    to: str | None = None,
    overrides: Sequence[str] = (),
) -> Quantisation:
    """Compare a model's translations in eight bits with those in float32, and write a model that uses them.

    Args:
        model: its folder.
        files: a text file of sources, one a line; or a test set, as ``ferryman evaluate`` takes it.
        output: model folder to write, whose ``decoding.engine`` is ``int8``; None: only measure.
        gate: how much may change, or nothing is written.
        to: language to translate into, for a model of several.
        overrides: ``decoding.key=value``.

    Raises:
        ConversionError: too much changes, or nothing could be gained; nothing is written.
        ConfigError: the engine is not available here, or something in the output folder would be replaced.
        DataError: a file cannot be read, or there is no text in it.

    """
    if output is not None:
        if output.resolve() == model.resolve() or latest_checkpoints(output):
            raise ConfigError(f"{output}: the model there would be replaced; choose another --output")
        check_new_model(output)
    translator = load_ready(model, overrides, to=to)
    if max(parameter.numel() for parameter in translator.model.parameters()) < eight_bits_from():
        raise ConversionError(
            f"{model}: no matrix of it is so large that eight bits would be faster; stay with float32"
        )
    result = _measure(translator, *_texts(translator, files))
    if not gate.passes(result.agreement, result.loss):
        raise _refusal(model, result, gate)
    if output is not None:
        config = translator.config
        config = config.model_copy(update={"decoding": config.decoding.model_copy(update={"engine": "int8"})})
        card = model_card(config, {}, origin=origin_of(model))
        save_model(output, weights_of(translator.model), config, translator.tokenizers, card)
    return result


def _refusal(model: Path, result: Quantisation, gate: Gate) -> ConversionError:
    return ConversionError(
        f"{model}: in eight bits {result.identical} of {result.sentences} translations stay the same, agreement is "
        f"{result.agreement:.1f} chrF (at least {gate.min_agreement:g} is asked for) and {result.loss:.2f} BLEU is "
        f"lost (at most {gate.max_loss:g}); stay with float32"
    )


def _measure(translator: Translator, sources: list[str], references: list[list[str]] | None) -> Quantisation:
    texts, seconds = {}, {}
    for numbers, engine in ENGINES.items():
        found, seconds[numbers] = _translations(translator, sources, engine)
        texts[numbers] = [one.text for one in found]
    return _compare(texts, seconds, references, translator.target_language())


def _texts(translator: Translator, files: Sequence[Path]) -> tuple[list[str], list[list[str]] | None]:
    if len(files) == 1 and not format_of(files[0]):
        return read_lines(files[0]), None
    test = read_test_set(translator, files)
    return test.sources or [], test.references


def _translations(translator: Translator, sources: Sequence[str], engine: str) -> tuple[list[Translation], float]:
    decoding = translator.config.decoding.model_copy(update={"engine": engine})
    translator.translate(sources[:1], decoding)  # lays the weights out
    began = time.perf_counter()
    return translator.translate(sources, decoding), time.perf_counter() - began


def _compare(
    texts: dict[str, list[str]], seconds: dict[str, float], references: list[list[str]] | None, language: str
) -> Quantisation:
    same = sum(one == other for one, other in zip(texts["float32"], texts["int8"], strict=True))
    agreement = corpus_scores(texts["int8"], [texts["float32"]], target_language=language, metrics=["chrf"])
    scores = references and {
        numbers: corpus_scores(found, references, target_language=language) for numbers, found in texts.items()
    }
    return Quantisation(len(texts["int8"]), same, agreement["chrf"].score, seconds, scores or None)
