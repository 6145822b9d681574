"""CTranslate2: our weights into its model specification, which its own package quantises and writes."""

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import torch
from torch import Tensor

from ferryman.config import ModelConfig
from ferryman.errors import ConversionError
from ferryman.files import write_text
from ferryman.interop.agreement import Peer, Task
from ferryman.interop.stored_model import StoredModel
from ferryman.model.positions import sinusoids
from ferryman.text.prefix import before_source, before_target
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import BOS, PAD, Tokenizer

Quantization = Literal["float32", "float16", "bfloat16", "int16", "int8", "int8_float16", "int8_bfloat16"]
POSITIONS = 2048
BLOCKED = -1e4  # a bias so low that a token is never said, and that float16 can hold
_ACTIVATIONS = {"relu": "RELU", "silu": "SWISH", "swiglu": "SWISH", "gelu": "GELU"}
NAME = "ctranslate2"


def write_ctranslate2(model: StoredModel, folder: Path, quantization: Quantization) -> None:
    """Write a folder that ``ctranslate2.Translator`` loads, with the tokenizers' files beside it.

    The end symbol of a source, if it has one, is added by itself; tokens of languages and tags are the caller's, as is
    the first token of a translation where languages are told on both sides.

    Raises:
        ConversionError: its package is not installed, or cannot write this model.

    """
    package = import_package()
    shape, tokenizers = model.config.model, model.tokenizers
    spec = package.specs.TransformerSpec.from_config(
        (shape.encoder_layers, shape.decoder_layers),
        shape.heads,
        pre_norm=shape.norm_order == "pre",
        activation=getattr(package.specs.Activation, _ACTIVATIONS[shape.activation]),
        ffn_glu=shape.activation == "swiglu",
    )
    _fill(spec, {name: tensor.clone() for name, tensor in model.weights.items()}, model)  # it quantises in place
    spec.register_source_vocabulary(tokens_of(tokenizers.source))
    spec.register_target_vocabulary(tokens_of(tokenizers.target))
    names = dict(zip(("pad", "bos", "eos"), tokenizers.target.pieces(_symbols(tokenizers.target)), strict=True))
    spec.config.decoder_start_token = names[shape.start_symbol]
    spec.config.bos_token, spec.config.eos_token = names["bos"], names["eos"]
    spec.config.unk_token = tokenizers.target.pieces([tokenizers.target.unk_id])[0]
    spec.config.add_source_eos = shape.source_end
    spec.config.layer_norm_epsilon = shape.norm_epsilon
    try:
        spec.validate()
        spec.optimize(quantization=None if quantization == "float32" else quantization)
        spec.save(str(folder))
    except (ValueError, RuntimeError, OSError) as error:
        raise ConversionError(f"{folder}: {NAME} cannot write this model: {error}") from error
    tokenizers.save(folder)
    write_text(folder / "README.md", _card(model))


def import_package() -> ModuleType:
    """Import CTranslate2.

    Raises:
        ConversionError: it is not installed.

    """
    try:
        importlib.import_module(f"{NAME}.specs")
        return importlib.import_module(NAME)
    except ImportError as error:
        raise ConversionError(f"{NAME} is not installed; pip install 'ferryman[convert]'") from error


def tokens_of(tokenizer: Tokenizer) -> list[str]:
    """List a vocabulary by id."""
    return tokenizer.pieces(range(tokenizer.vocab_size))


def _symbols(tokenizer: Tokenizer) -> tuple[int, int, int]:
    ids, eos = tokenizer.special_ids, tokenizer.eos_id
    return ids.get(PAD, eos), ids.get(BOS, eos), eos


def _fill(spec: Any, weights: dict[str, Tensor], model: StoredModel) -> None:
    shape = model.config.model
    target = weights["target_table"]
    spec.encoder.embeddings[0].weight = weights.get("source_table", target)
    spec.decoder.embeddings.weight = target
    spec.decoder.projection.weight = weights.get("output_table", target)
    bias = weights["output_bias"] if shape.output_bias else torch.zeros(target.size(0))
    bias[sorted(model.tokenizers.target.never_text - {model.tokenizers.target.eos_id})] = BLOCKED
    spec.decoder.projection.bias = bias
    for name, side in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        side.scale_embeddings = shape.scale_embedding
        side.position_encodings.encodings = _positions(weights, shape, "source" if name == "encoder" else "target")
        if shape.norm_order == "pre":
            _norm(side.layer_norm, weights, f"{name}.final_norm")
        for index, layer in enumerate(side.layer):
            _layer(layer, weights, f"{name}.layers.{index}", decoder=name == "decoder")


def _layer(layer: Any, weights: Any, name: str, *, decoder: bool) -> None:
    own = layer.self_attention
    _linear(own.linear[0], weights, f"{name}.self_attention.in_projection")
    _linear(own.linear[1], weights, f"{name}.self_attention.out_projection")
    _norm(own.layer_norm, weights, f"{name}.self_attention_norm.norm")
    if decoder:
        cross, stacked = layer.attention, f"{name}.cross_attention.in_projection"
        d_model = weights[f"{stacked}.weight"].size(1)
        _linear(cross.linear[0], weights, stacked, slice(0, d_model))
        _linear(cross.linear[1], weights, stacked, slice(d_model, None))
        _linear(cross.linear[2], weights, f"{name}.cross_attention.out_projection")
        _norm(cross.layer_norm, weights, f"{name}.cross_attention_norm.norm")
    inner = f"{name}.feed_forward.inner"
    if hasattr(layer.ffn, "linear_0_noact"):
        d_ff = weights[f"{inner}.weight"].size(0) // 2
        _linear(layer.ffn.linear_0, weights, inner, slice(0, d_ff))
        _linear(layer.ffn.linear_0_noact, weights, inner, slice(d_ff, None))
    else:
        _linear(layer.ffn.linear_0, weights, inner)
    _linear(layer.ffn.linear_1, weights, f"{name}.feed_forward.outer")
    _norm(layer.ffn.layer_norm, weights, f"{name}.feed_forward_norm.norm")


def _linear(linear: Any, weights: Any, name: str, rows: slice = slice(None)) -> None:
    linear.weight, linear.bias = (weights[f"{name}.{kind}"][rows].contiguous() for kind in ("weight", "bias"))


def _norm(norm: Any, weights: Any, name: str) -> None:
    norm.gamma, norm.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _positions(weights: Any, shape: ModelConfig, side: str) -> Tensor:
    if shape.positions == "learned":
        table: Tensor = weights[f"{side}_embedding.positions.weight"]
    else:
        table = sinusoids(POSITIONS + shape.position_offset, shape.d_model, shape.sinusoid_layout)
    return table[shape.position_offset :].contiguous()


def open_peer(folder: Path, model: StoredModel) -> tuple[Peer, str]:
    """Load a folder with CTranslate2; return it, and its name and version."""
    package = import_package()
    translator = package.Translator(str(folder), device="cpu", compute_type="default", inter_threads=1, intra_threads=1)
    source, target = model.tokenizers.source, model.tokenizers.target

    def translate(task: Task) -> list[str]:
        before = source.pieces(before_source(model.config, source, task.to, None))
        opening = target.pieces(before_target(model.config, target, task.to))
        ids = {piece: index for index, piece in enumerate(tokens_of(target))}

        def one(text: str, limit: int) -> str:
            rows: Sequence[Any] = translator.translate_batch(
                [[*before, *source.pieces(text)]],
                target_prefix=[opening] if opening else None,
                beam_size=task.beam,
                length_penalty=0.0,
                min_decoding_length=0,
                max_decoding_length=limit,
                max_input_length=0,
            )
            return target.decode([ids[piece] for piece in rows[0].hypotheses[0]]).strip()

        return [one(text, limit) for text, limit in zip(task.texts, task.limits, strict=True)]

    return translate, f"{NAME} {package.__version__}"


def _card(model: StoredModel) -> str:
    sides = (model.tokenizers.source, model.tokenizers.target)
    example = _PIECES if all(isinstance(side, SentencePieceTokenizer) for side in sides) else _WORDS
    names = [f"{name}.model" for name in model.tokenizers.by_name]
    text, names = json.dumps("The river is wide."), names * 2 if len(names) == 1 else names
    code = example.format(text=text, names=names, normal_form=model.tokenizers.source.normal_form)
    return f"A Transformer for CTranslate2, written by Ferryman:\n\n```python\n{code}```\n"


_PIECES = """\
import ctranslate2, sentencepiece
source, target = (sentencepiece.SentencePieceProcessor(model_file=name) for name in {names!r})
translator = ctranslate2.Translator(".")
found = translator.translate_batch([source.encode({text}, out_type=str)])
print(target.decode(found[0].hypotheses[0]))
"""
_WORDS = """\
from pathlib import Path
import ctranslate2
from ferryman.checkpoint import load_tokenizers
tokenizers = load_tokenizers(Path("."), {normal_form!r})
vocabulary = tokenizers.target.pieces(range(tokenizers.target.vocab_size))
translator = ctranslate2.Translator(".")
found = translator.translate_batch([tokenizers.source.pieces({text})])
print(tokenizers.target.decode([vocabulary.index(token) for token in found[0].hypotheses[0]]))
"""
