"""From an OpenNMT-py checkpoint or an Eole folder to a model of ours."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from torch import Tensor

from ferryman.checkpoint import model_on_meta
from ferryman.config import Config, TokenizerConfig
from ferryman.errors import ConversionError
from ferryman.interop.huggingface.extras import data_config
from ferryman.interop.huggingface.vocabulary import languages
from ferryman.interop.opennmt.eole import read_config
from ferryman.interop.opennmt.legacy import STAND_INS, plain_vocabulary
from ferryman.interop.opennmt.options import read_options
from ferryman.interop.opennmt.settings import Network, Settings
from ferryman.interop.opennmt.tables import EOLE, OPENNMT, Names, add_zero_biases, rename_table, take_constants
from ferryman.interop.opennmt.vocabulary import read_tokenizers, start_symbol
from ferryman.interop.renames import inward
from ferryman.interop.stored import pickle_operations, read_json, read_pickle, read_tensor_file
from ferryman.interop.stored_model import StoredModel

CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocab.json", "model.00.safetensors"


def is_opennmt(path: Path) -> bool:
    """Tell whether a file is a checkpoint of OpenNMT-py: it holds a vocabulary, and behind it options."""
    found = (argument for _, argument in pickle_operations(path) if path.suffix == ".pt")
    return "vocab" in found and "opt" in found


def is_eole(folder: Path) -> bool:
    """Tell whether a folder is Eole's, by its files."""
    return all((folder / name).is_file() for name in (CONFIG, WEIGHTS))


def read_opennmt(path: Path) -> StoredModel:
    """Read a checkpoint of OpenNMT-py, without it; what cuts texts is looked for beside it.

    Raises:
        ConversionError: it is damaged, would run code, or holds a model that ours cannot be.

    """
    checkpoint = read_pickle(path, [Namespace, *STAND_INS])
    if not isinstance(checkpoint, dict) or not isinstance(opt := checkpoint.get("opt"), Namespace):
        raise ConversionError(f"{path}: no checkpoint of OpenNMT-py: it lacks opt, the options of its training")
    checkpoint["vocab"] = plain_vocabulary(checkpoint.get("vocab"))
    settings, vocab = Settings(vars(opt), path), Settings(_mapping(checkpoint, "vocab", path), path)
    vocab.check({"src_feats": ([], {}, None), "data_task": ("seq2seq",)})
    if "model" in checkpoint:
        output = {name.removeprefix("0."): value for name, value in _mapping(checkpoint, "generator", path).items()}
        weights = dict(_mapping(checkpoint, "model", path)) | {f"generator.{name}": output[name] for name in output}
    else:
        weights = _read_parts(path.parent, f"{path.stem}.")
    network = read_options(settings, _width(weights, OPENNMT, path))
    return _assemble(weights, network, OPENNMT, (path.parent, vocab, settings))


def read_eole(folder: Path) -> StoredModel:
    """Read a folder that Eole saved, without it.

    Raises:
        ConversionError: it is damaged, or holds a model that ours cannot be.

    """
    config = Settings(read_json(folder / CONFIG), folder / CONFIG)
    vocab = Settings(read_json(folder / VOCABULARY), folder / VOCABULARY)
    weights = _read_parts(folder, "model.")
    gated = any(name.endswith(".up_proj.weight") for name in weights)
    network = read_config(config, _width(weights, EOLE, folder), gated=gated)
    return _assemble(weights, network, EOLE, (folder, vocab, config))


def _assemble(
    weights: dict[str, Any], network: Network, names: Names, vocabulary: tuple[Path, Settings, Settings]
) -> StoredModel:
    folder, vocab, settings = vocabulary
    where = settings.where
    for name, value in weights.items():
        if not isinstance(value, Tensor):
            raise ConversionError(f"{where}: {name} is a {type(value).__name__}, expected a tensor")
    if wrong := take_constants(weights, network.shape, names):
        raise ConversionError(f"{where}: {wrong} is not what ours computes by its settings")
    tokenizers, kind = read_tokenizers(folder, vocab, settings)
    bias = f"{names.output}.bias" in weights
    shape = network.shape.model_copy(update={"output_bias": bias, "start_symbol": start_symbol(vocab)})
    sizes = tokenizers.source.vocab_size, tokenizers.target.vocab_size
    try:
        several, (source, target) = languages(tokenizers.source), settings.languages()
        config = Config(
            data=data_config([(source, code) for code in several] or [(source, target)]),
            tokenizer=TokenizerConfig(
                kind="unigram" if kind == "sentencepiece" else "words",
                vocab_size=tokenizers.target.vocab_size,
                joint=tokenizers.joint,
                normal_form="identity",
            ),
            model=shape,
        )
    except ValidationError as error:
        raise ConversionError(f"{where}: {error.errors()[0]['msg']}") from error
    expected = {name: tensor.shape for name, tensor in model_on_meta(shape, *sizes).named_parameters()}
    table = rename_table(Network(shape, network.share_embeddings, network.without_bias), names)
    return StoredModel(inward(add_zero_biases(weights, network), table, expected, where), config, tokenizers)


def _mapping(checkpoint: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = checkpoint.get(name)
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ConversionError(f"{path}: {name} is a {type(value).__name__}, expected values by name")
    return value


def _read_parts(folder: Path, prefix: str) -> dict[str, Any]:
    """Read weights in several files, of which names begin with ``prefix``."""
    paths = sorted(path for path in folder.glob("*.safetensors") if path.name.startswith(prefix))
    if not paths:
        raise ConversionError(f"{folder}: no weights in it; expected {prefix}00.safetensors")
    return {name: tensor for path in paths for name, tensor in read_tensor_file(path).items()}


def _width(weights: Mapping[str, Any], names: Names, where: Path) -> int:
    table = weights.get(names.source)
    if not isinstance(table, Tensor) or table.dim() != 2:
        raise ConversionError(f"{where}: no table of embeddings, {names.source}")
    return table.size(1)
