"""What a model folder holds, as facts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ferryman.interop.facts.argos import argos_facts
from ferryman.interop.facts.common import vocabulary_size
from ferryman.interop.facts.ctranslate2 import ctranslate2_facts
from ferryman.interop.facts.huggingface import huggingface_facts
from ferryman.interop.facts.onnx import onnx_facts
from ferryman.interop.formats import about_format, find_format
from ferryman.model.estimate import count_parameters
from ferryman.text.directions import directions
from ferryman.text.word_tokenizer import WordTokenizer
from ferryman.training.metrics import read_metrics
from ferryman.wording import counted
from ferryman.workflows.folder import METRICS
from ferryman.workflows.load import read_model

_LOOKS: dict[str | None, Callable[[Path], dict[str, Any] | None]] = {
    "argos": argos_facts,
    "ctranslate2": ctranslate2_facts,
    "huggingface": huggingface_facts,
    "onnx": onnx_facts,
}
"""What is only looked at; None from these: it can be read."""


def describe(path: Path) -> dict[str, Any]:
    """State what a model is, ours or another toolkit's, whether we can translate with it or not.

    Raises:
        CheckpointError: it is none.
        ConversionError: it is another toolkit's, and damaged or of an unknown kind.

    """
    look = _LOOKS.get(find_format(path))
    return (look and look(path)) or _describe_model(path)


def _describe_model(folder: Path) -> dict[str, Any]:
    model, config, tokenizers = read_model(folder)
    shape = config.model
    facts: dict[str, Any] = {
        "path": str(folder),
        **about_format(folder),
        "languages": ", ".join(map(str, directions(config.data))),
        "parameters": count_parameters(model),
        "layers": f"{shape.encoder_layers} encoder, {shape.decoder_layers} decoder, {shape.norm_order}-norm",
        "width": f"d_model {shape.d_model}, d_ff {shape.d_ff}, {shape.heads} heads, {shape.activation}",
        "positions": shape.positions,
        "tying": shape.tie,
        "vocabulary": vocabulary_size(tokenizers),
        "tokenizer": f"{config.tokenizer.kind}, normal form {config.tokenizer.normal_form}",
    }
    for name, tokenizer in (("source words", tokenizers.source), ("target words", tokenizers.target)):
        if isinstance(tokenizer, WordTokenizer):
            facts[name] = _how_cut(tokenizer)
    if symbols := [name for name in tokenizers.source.control_symbols if not name.startswith("<unused:")]:
        facts["control tokens"] = ", ".join(symbols)
    if (folder / METRICS).exists():
        records = read_metrics(folder / METRICS)
        best = [record for record in records if record["kind"] == "validation" and record["best"]]
        if records:
            facts["trained"] = f"{counted(records[-1]['step'], 'step')}, {records[-1]['seconds'] / 60:.1f} minutes"
        if best:
            facts["best validation"] = {"step": best[-1]["step"], **best[-1]["figures"]}
    return facts


def _how_cut(tokenizer: WordTokenizer) -> str:
    moses = tokenizer.moses
    return ", ".join(
        (
            "at white space" if moses is None else f"by Moses for {moses.language}{', dashes too' * moses.dashes}",
            *(["lower case"] if tokenizer.lowercase else []),
            "whole" if tokenizer.codes is None else "in parts by merges",
        )
    )
