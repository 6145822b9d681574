"""From a Hugging Face folder to a model of ours."""

import re
from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from torch import Tensor

from ferryman.checkpoint import Tokenizers, model_on_meta
from ferryman.config import Config, DataConfig, ModelConfig, TokenizerConfig
from ferryman.errors import ConversionError, FerrymanError
from ferryman.interop.huggingface.extras import Extras, data_config
from ferryman.interop.huggingface.settings import Settings
from ferryman.interop.huggingface.tables import (
    BIAS,
    SHARED,
    SOURCE,
    TARGET,
    check_positions,
    embedding_table,
    layer_table,
    to_halves,
)
from ferryman.interop.huggingface.vocabulary import ABOUT, Wanted, as_language, languages, read_tokenizers
from ferryman.interop.renames import inward
from ferryman.interop.stored import read_json_if_there, read_tensors
from ferryman.interop.stored_model import StoredModel

_PAIR = re.compile(r"opus-mt-(?:tc-)?(?:big-|base-)?([A-Za-z_]+)-([A-Za-z_]+)$")
_SOURCE_LANGUAGE = {"m2m_100": ("en", "eng-Latn")}  # where none is named, as its own tokenizers do


def read_huggingface(folder: Path) -> StoredModel:
    """Read a model that ``transformers`` saved, without it.

    Raises:
        ConversionError: the folder holds no such model, a damaged one, or one that ours cannot be.

    """
    settings = Settings.read(folder)
    extras = Extras.read(settings.config, settings.where)
    weights, where = read_tensors(folder)
    if wrong := check_positions(weights):
        raise ConversionError(f"{where}: {wrong} is not what {settings.family.architecture} computes")
    shape = settings.model_config()
    if extras.merged is not None:
        weights, shape = _part(weights, extras.merged, where), _with(shape, tie="two-way")
    shape = _with(shape, output_bias=BIAS in weights)
    sizes = _rows(weights, SOURCE, where), _rows(weights, TARGET, where)
    form = "identity" if extras.tokenizer is None else extras.tokenizer.normal_form
    wanted = Wanted(sizes, settings.forbidden(), extras.merged, form)
    tokenizers = read_tokenizers(folder, settings.model_type, wanted)
    shape = _with(shape, start_symbol=_start_symbol(settings, tokenizers))
    expected = {name: tensor.shape for name, tensor in model_on_meta(shape, *sizes).named_parameters()}
    found = inward(weights, [*embedding_table(shape), *layer_table(shape)], expected, where)
    if extras.interleaved:
        found, shape = to_halves(found, shape.d_model, back=True), _with(shape, sinusoid_layout="interleaved")
    try:
        config = Config(
            data=_data(folder, settings, tokenizers, extras),
            tokenizer=_tokenizer(settings, tokenizers, extras),
            model=shape,
            decoding=extras.decoding or settings.decoding_config(),
        )
    except ValidationError as error:
        raise ConversionError(f"{settings.where}: {error.errors()[0]['msg']}") from error
    return StoredModel(found, config, tokenizers)


def _with(shape: ModelConfig, **changes: object) -> ModelConfig:
    return ModelConfig.model_validate({**shape.model_dump(), **changes})


def _part(weights: dict[str, Tensor], target_rows: int, where: Path) -> dict[str, Tensor]:
    """Take a table of both vocabularies apart; see ``writing.merged``."""
    shared, bias = weights.pop(f"{SHARED}.weight", None), weights.pop(BIAS, None)
    if shared is None or shared.dim() != 2 or shared.size(0) <= target_rows:
        raise ConversionError(f"{where}: {SHARED}.weight does not hold the two vocabularies that its settings name")
    if bias is not None and bias.dim() != 2:
        raise ConversionError(f"{where}: {BIAS} is {tuple(bias.shape)}, expected one row")
    copies = {f"{name}.weight" for name in (SOURCE, TARGET, "lm_head")}
    rest = {name: tensor for name, tensor in weights.items() if name not in copies}
    parts = {f"{TARGET}.weight": shared[:target_rows], f"{SOURCE}.weight": shared[target_rows:]}
    own_bias = {} if bias is None or not bias[:, :target_rows].any() else {BIAS: bias[:, :target_rows]}
    return rest | parts | own_bias


def _rows(weights: dict[str, Tensor], name: str, where: Path) -> int:
    table = weights.get(f"{name}.weight", weights.get(f"{SHARED}.weight"))
    if table is None or table.dim() != 2:
        raise ConversionError(f"{where}: no table of embeddings, {name}.weight or {SHARED}.weight")
    return table.size(0)


def _start_symbol(settings: Settings, tokenizers: Tokenizers) -> Literal["bos", "eos", "pad"]:
    start, target = settings.generation_value("decoder_start_token_id"), tokenizers.target
    named: dict[Literal["pad", "eos", "bos"], int] = {}
    name: Literal["pad", "eos", "bos"]
    for name in ("pad", "eos", "bos"):
        try:
            named[name] = getattr(target, f"{name}_id")
        except FerrymanError:
            continue
    if settings.config.get("eos_token_id") not in (named.get("eos"), [named.get("eos")]):
        raise ConversionError(
            f"{settings.where}: eos_token_id is {settings.config.get('eos_token_id')}, but </s> is {named.get('eos')}"
        )
    if tokenizers.source.eos_id != target.eos_id:
        raise ConversionError(f"{settings.where}: </s> has two ids, {tokenizers.source.eos_id} and {target.eos_id}")
    for name, index in named.items():
        if index == start:
            return name
    raise ConversionError(f"{settings.where}: decoder_start_token_id is {start}, which is none of {named}")


def _tokenizer(settings: Settings, tokenizers: Tokenizers, extras: Extras) -> TokenizerConfig:
    return extras.tokenizer or TokenizerConfig(
        kind="bpe" if settings.model_type == "m2m_100" else "unigram",
        vocab_size=tokenizers.target.vocab_size,
        joint=settings.config.get("share_encoder_decoder_embeddings", True),
        normal_form="identity",
    )


def _data(folder: Path, settings: Settings, tokenizers: Tokenizers, extras: Extras) -> DataConfig:
    if extras.directions:
        return data_config(extras.directions)
    about = read_json_if_there(folder / ABOUT)
    named = _PAIR.search(str(settings.config.get("_name_or_path") or "")) or _PAIR.search(folder.resolve().name)
    source, target = (
        as_language(str(about.get(key) or (named[place] if named else "") or ""))
        for key, place in (("source_lang", 1), ("target_lang", 2))
    )
    several = languages(tokenizers.source)
    if settings.model_type == "m2m_100":
        default = next((code for code in _SOURCE_LANGUAGE["m2m_100"] if code in several), several[0])
        source = as_language(str(about.get("src_lang") or "")) or default
    return data_config([(source, code) for code in several] or [(source, target)])
