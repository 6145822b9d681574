"""From a model of ours to a Hugging Face folder that ``AutoModelForSeq2SeqLM`` and ``AutoTokenizer`` load."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ferryman.checkpoint import WEIGHTS, Tokenizers
from ferryman.config import ModelConfig
from ferryman.errors import ConversionError
from ferryman.files import write_bytes, write_text
from ferryman.interop.huggingface import card
from ferryman.interop.huggingface.extras import KEY, Extras
from ferryman.interop.huggingface.settings import BLOCKED, CONFIG, EPSILON, FAMILIES, GENERATION, MAX_LENGTH, POSITIONS
from ferryman.interop.huggingface.tables import BIAS, SHARED, SOURCE, TARGET, embedding_table, layer_table, to_halves
from ferryman.interop.huggingface.tables import POSITIONS as POSITION_TABLES
from ferryman.interop.huggingface.vocabulary import (
    ABOUT,
    TARGET_EOS,
    TARGET_VOCABULARY,
    VOCABULARY,
    merged_vocabularies,
    vocabulary,
)
from ferryman.interop.huggingface.vocabulary import SOURCE as SOURCE_MODEL
from ferryman.interop.huggingface.vocabulary import TARGET as TARGET_MODEL
from ferryman.interop.renames import outward
from ferryman.interop.stored_model import StoredModel, sentencepiece_sides
from ferryman.model.positions import sinusoids
from ferryman.tensor_files import save_tensors
from ferryman.text.directions import directions
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import EOS, PAD, UNKNOWN


def write_huggingface(model: StoredModel, folder: Path) -> None:
    """Write a folder that ``transformers`` loads.

    Post-norm goes out as ``MarianMTModel``, pre-norm as ``PegasusForConditionalGeneration``, which is the same network
    but for that. Sinusoids as in the paper become Marian's by reordering all features, which changes no result. Pegasus
    has one table of embeddings: two vocabularies become one, in which the source's stands behind the target's.

    Raises:
        ConversionError: the format has no such model; the message says what is different.

    """
    shape = model.config.model
    _check(model)
    sides = sentencepiece_sides(model, "a Marian tokenizer")
    kind = "marian" if shape.norm_order == "post" else "pegasus"
    merge = kind == "pegasus" and shape.tie == "two-way"
    weights = dict(model.weights)
    if interleaved := shape.sinusoid_layout == "interleaved":
        weights = to_halves(weights, shape.d_model)
    theirs = outward(weights, [*embedding_table(shape), *layer_table(shape)])
    if merge:
        theirs = merged(theirs)
    if kind == "pegasus":  # whose class reports them as missing else
        theirs |= {name: sinusoids(POSITIONS, shape.d_model, "halves").clone() for name in POSITION_TABLES}
    extras = Extras.of(
        model.config, interleaved=interleaved, merged=model.tokenizers.target.vocab_size if merge else None
    )
    generation = _generation(model)
    write_text(folder / CONFIG, _json(_config(kind, model, theirs, extras) | {"num_beams": generation["num_beams"]}))
    write_text(folder / GENERATION, _json(generation))
    _write_tokenizers(model, sides, folder, merge=merge)
    write_text(folder / card.NAME, card.huggingface_card(model.config, model.tokenizers.source, merged=merge))
    save_tensors(folder / WEIGHTS, theirs, {"format": "pt"})


def merged(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Put both vocabularies into one table, the target's first; tokens of the source are never said."""
    source, target = weights[f"{SOURCE}.weight"], weights[f"{TARGET}.weight"]
    rest = {name: tensor for name, tensor in weights.items() if name not in (f"{SOURCE}.weight", f"{TARGET}.weight")}
    bias = rest.get(BIAS, torch.zeros(1, target.size(0)))
    blocked = torch.full((1, source.size(0)), BLOCKED)
    return rest | {f"{SHARED}.weight": torch.cat((target, source)), BIAS: torch.cat((bias, blocked), dim=1)}


def _check(model: StoredModel) -> None:
    shape, tokenizers = model.config.model, model.tokenizers
    one_vocabulary = tokenizers.joint or vocabulary(tokenizers.source) == vocabulary(tokenizers.target)
    problems = {
        "model.activation: swiglu has a third matrix": shape.activation == "swiglu",
        "model.positions: learned": shape.positions == "learned",
        "model.sinusoid_layout: fairseq": shape.sinusoid_layout == "fairseq",
        f"model.position_offset: {shape.position_offset}": shape.position_offset != 0,
        f"model.norm_epsilon: {shape.norm_epsilon:g}, and theirs is {EPSILON:g}": shape.norm_epsilon != EPSILON,
        "model.tie: none, with pre-norm": shape.tie == "none" and shape.norm_order == "pre",
        "model.language_tokens: both": shape.language_tokens == "both",
        "model.source_end: false": not shape.source_end,
        "model.tie: three-way, of two vocabularies": shape.tie == "three-way" and not one_vocabulary,
    }
    if found := [problem for problem, is_there in problems.items() if is_there]:
        raise ConversionError(
            f"MarianMTModel and its pre-norm twin have no {'; no '.join(found)}; it cannot be written"
        )


def _config(kind: str, model: StoredModel, weights: Mapping[str, Tensor], extras: Extras) -> dict[str, Any]:
    shape, target = model.config.model, model.tokenizers.target
    shared = f"{SHARED}.weight" in weights
    source_rows = weights[f"{SHARED if shared else SOURCE}.weight"].size(0)
    return {
        "architectures": [FAMILIES[kind].architecture],
        "model_type": kind,
        "is_encoder_decoder": True,
        "vocab_size": source_rows,
        **({} if shared else {"decoder_vocab_size": weights[f"{TARGET}.weight"].size(0)}),
        **({"share_encoder_decoder_embeddings": shared} if kind == "marian" else {}),
        "tie_word_embeddings": shape.tie != "none",
        "d_model": shape.d_model,
        "encoder_layers": shape.encoder_layers,
        "decoder_layers": shape.decoder_layers,
        "num_hidden_layers": shape.encoder_layers,
        **{f"{side}_attention_heads": shape.heads for side in ("encoder", "decoder")},
        **{f"{side}_ffn_dim": shape.d_ff for side in ("encoder", "decoder")},
        "activation_function": shape.activation,
        "scale_embedding": shape.scale_embedding,
        "max_position_embeddings": POSITIONS,
        "dropout": shape.dropout,
        "attention_dropout": shape.attention_dropout,
        "activation_dropout": shape.feed_forward_dropout,
        "pad_token_id": target.pad_id,
        "eos_token_id": target.eos_id,
        "bos_token_id": None,
        "decoder_start_token_id": _start(model.tokenizers, shape),
        "forced_eos_token_id": target.eos_id,
        "dtype": "float32",
        "torch_dtype": "float32",
        KEY: extras.model_dump(mode="json", exclude_none=True),
    }


def _start(tokenizers: Tokenizers, shape: ModelConfig) -> int:
    return tokenizers.symbols(shape.start_symbol).start


def _generation(model: StoredModel) -> dict[str, Any]:
    target, decoding = model.tokenizers.target, model.config.decoding
    return {
        "num_beams": decoding.beam,
        "length_penalty": decoding.length_penalty,
        "max_length": MAX_LENGTH,
        "pad_token_id": target.pad_id,
        "eos_token_id": target.eos_id,
        "decoder_start_token_id": _start(model.tokenizers, model.config.model),
        "forced_eos_token_id": target.eos_id,
        "bad_words_ids": [[index] for index in sorted(target.never_text - {target.eos_id})],
    }


def _write_tokenizers(
    model: StoredModel,
    sides: tuple[SentencePieceTokenizer, SentencePieceTokenizer],
    folder: Path,
    *,
    merge: bool,
) -> None:
    source, target = sides
    first = directions(model.config.data)
    pair = next(iter(first)) if len(first) == 1 else None
    ids, target_ids = merged_vocabularies(source, target) if merge else (vocabulary(source), vocabulary(target))
    separate = ids != target_ids
    about: dict[str, Any] = {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": pair.source if pair else None,
        "target_lang": pair.target if pair else None,
        "separate_vocabs": separate,
        "unk_token": UNKNOWN,
        "eos_token": EOS,
        "pad_token": PAD,
        "model_max_length": MAX_LENGTH,
        "sp_model_kwargs": {},
        **({"additional_special_tokens": [TARGET_EOS]} if merge else {}),
    }
    write_bytes(folder / SOURCE_MODEL, source.model_bytes)
    write_bytes(folder / TARGET_MODEL, target.model_bytes)
    write_text(folder / VOCABULARY, _json(ids))
    if separate:
        write_text(folder / TARGET_VOCABULARY, _json(target_ids))
    write_text(folder / ABOUT, _json(about))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
