"""The model folder: everything a translation needs, and nothing that runs code when it is loaded.

    config.yaml          the resolved configuration
    model.safetensors    the weights; tied ones are stored once
    tokenizer.model      one SentencePiece model, or source.model and target.model
    *.ids.json           optional: piece -> id, for models whose ids are not SentencePiece's
    *.vocab, *.codes,    instead of *.model, where words or their parts are tokens: these one a line, the merges that
    *.words.json         make the parts, and how a text becomes words
    README.md            what this model is

A run's folder is a model folder too: of its best model so far.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from ferryman.config import Config, ModelConfig
from ferryman.config_file import dump_config, load_config
from ferryman.data.batch import Symbols
from ferryman.errors import CheckpointError, ConfigError, TokenizerError
from ferryman.files import write_text
from ferryman.model.transformer import Transformer
from ferryman.tensor_files import read_about, save_tensors
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import EOS, PAD, Tokenizer
from ferryman.text.word_tokenizer import WordTokenizer

VERSION = "1"
CONFIG, WEIGHTS, CARD = "config.yaml", "model.safetensors", "README.md"


@dataclass(frozen=True)
class Tokenizers:
    """One tokenizer a side; the same object twice where both sides cut text alike, with one vocabulary."""

    source: Tokenizer
    target: Tokenizer

    @property
    def joint(self) -> bool:
        """Whether both sides share one vocabulary; two languages may still be cut into words differently."""
        return self.source is self.target or self.source.same_pieces(self.target)

    def symbols(self, start_symbol: str, *, source_end: bool = True) -> Symbols:
        """Name the control symbols of the target side; the source's must be the same.

        Where there is none for padding, the end symbol does that too: padding is never looked at.

        Raises:
            TokenizerError: a symbol is missing, or the end symbol has two ids.

        """
        target = self.target
        ends = target.eos_id, self.source.special_ids.get(EOS, target.eos_id)
        if source_end and len(set(ends)) > 1:
            raise TokenizerError(f"{EOS} is {ends[1]} in the source's vocabulary and {ends[0]} in the target's")
        match start_symbol:
            case "bos":
                start = target.bos_id
            case "eos":
                start = target.eos_id
            case _:
                start = target.pad_id
        pad = target.special_ids.get(PAD, target.eos_id)
        return Symbols(pad=pad, start=start, eos=target.eos_id, ends_source=source_end)

    @property
    def fingerprint(self) -> str:
        """A hash of what the tokenizers are, kept with the weights so that other ones are told."""
        digest = hashlib.blake2b(digest_size=8)
        for tokenizer in self.by_name.values():
            digest.update(tokenizer.content)
        return digest.hexdigest()

    def save(self, folder: Path) -> None:
        """Write their files into a model folder."""
        for name, tokenizer in self.by_name.items():
            tokenizer.save(folder, name)

    @property
    def by_name(self) -> dict[str, Tokenizer]:
        """Return them by the names that their files have."""
        one = self.source is self.target
        return {"tokenizer": self.target} if one else {"source": self.source, "target": self.target}


def load_tokenizers(folder: Path, normal_form: str) -> Tokenizers:
    """Read a model folder's tokenizers.

    Raises:
        CheckpointError: there is none.
        TokenizerError: one is damaged.

    """

    def load(name: str) -> Tokenizer | None:
        if (folder / f"{name}.model").exists():
            return SentencePieceTokenizer.load(folder, name, normal_form=normal_form)
        if (folder / f"{name}.vocab").exists():
            return WordTokenizer.load(folder, name, normal_form=normal_form)
        return None

    if joint := load("tokenizer"):
        return Tokenizers(joint, joint)
    source, target = load("source"), load("target")
    if source is None or target is None:
        missing = " and no ".join(f"{name}.model" for name, one in (("source", source), ("target", target)) if not one)
        raise CheckpointError(f"{folder}: no tokenizer.model, and no {missing}; not a model folder?")
    return Tokenizers(source, target)


def weights_of(model: Transformer) -> dict[str, Tensor]:
    """Name every weight once, on the CPU."""
    return {name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()}


def load_weights(model: Transformer, weights: Mapping[str, Tensor], where: Path) -> None:
    """Copy weights into a model, all of them and no others; see ``check_weights``."""
    check_weights(model, weights, where)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])


def check_weights(model: Transformer, weights: Mapping[str, Tensor], where: Path) -> None:
    """Check that weights are the model's, all of them and no others.

    Raises:
        CheckpointError: names the weights that are missing, left over or of another shape.

    """
    parameters = dict(model.named_parameters())
    problems = [f"missing {name}" for name in parameters.keys() - weights.keys()]
    problems += [f"left over {name}" for name in weights.keys() - parameters.keys()]
    for name in parameters.keys() & weights.keys():
        if parameters[name].shape != weights[name].shape:
            problems.append(f"{name} is {tuple(weights[name].shape)}, expected {tuple(parameters[name].shape)}")
        elif not weights[name].is_floating_point():
            problems.append(f"{name} holds {weights[name].dtype}, no floating-point numbers")
    if problems:
        shown = "; ".join(sorted(problems)[:5]) + (f"; and {len(problems) - 5} more" if len(problems) > 5 else "")
        raise CheckpointError(f"{where}: the weights do not fit the configuration: {shown}")


def save_weights(path: Path, weights: Mapping[str, Tensor], about: Mapping[str, str] | None = None) -> None:
    """Write weights, whole or not at all, with more ``about`` them if there is; see ``save_tensors``."""
    save_tensors(path, weights, {"format": "ferryman", "version": VERSION, **(about or {})})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a weights file.

    Raises:
        CheckpointError: it is missing, damaged or of another version.

    """
    if not path.exists():
        raise CheckpointError(f"{path}: no such file; is {path.parent} a model folder?")
    about = read_about(path)
    if about.get("version", VERSION) != VERSION:
        raise CheckpointError(
            f"{path}: written by a later version (format {about['version']}); this one reads {VERSION}"
        )
    try:
        weights: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot read the weights: {error}") from error
    return weights


def save_model(folder: Path, weights: Mapping[str, Tensor], config: Config, tokenizers: Tokenizers, card: str) -> None:
    """Write a whole model folder; the weights come last."""
    write_text(folder / CONFIG, dump_config(config))
    tokenizers.save(folder)
    write_text(folder / CARD, card)
    save_weights(folder / WEIGHTS, weights, {"tokenizers": tokenizers.fingerprint})


def load_model(folder: Path) -> tuple[Transformer, Config, Tokenizers]:
    """Read a model folder.

    Raises:
        CheckpointError: the folder is none, or its parts do not fit together.

    """
    if not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder}: no {CONFIG} in it; not a model folder")
    try:
        config = load_config(folder / CONFIG)
        tokenizers = load_tokenizers(folder, config.tokenizer.normal_form)
    except (ConfigError, TokenizerError) as error:
        raise CheckpointError(str(error)) from error
    weights = read_weights(folder / WEIGHTS)
    _check_vocabulary(folder, config, tokenizers, weights)
    if read_about(folder / WEIGHTS).get("tokenizers", tokenizers.fingerprint) != tokenizers.fingerprint:
        raise CheckpointError(f"{folder}: its tokenizer is not the one that {WEIGHTS} was trained with; put that back")
    return assemble(weights, config, tokenizers, folder / WEIGHTS), config, tokenizers


def assemble(weights: Mapping[str, Tensor], config: Config, tokenizers: Tokenizers, where: Path) -> Transformer:
    """Make a model of weights, which it shares, ready to translate; see ``check_weights``."""
    model = model_on_meta(config.model, tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    check_weights(model, weights, where)
    _fill(model, weights)
    return model.eval()


def model_on_meta(config: ModelConfig, source_vocab: int, target_vocab: int) -> Transformer:
    """Build a model without memory: its weights are not needed, or about to be put in."""
    with torch.device("meta"):
        return Transformer(source_vocab, target_vocab, config)


def _fill(model: Transformer, weights: Mapping[str, Tensor]) -> None:
    """Make ``weights`` the model's parameters without copying them; tied ones stay one parameter."""
    filled = {id(parameter): nn.Parameter(weights[name]) for name, parameter in model.named_parameters()}
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False, remove_duplicate=False):
            setattr(module, name, filled[id(parameter)])


def _check_vocabulary(folder: Path, config: Config, tokenizers: Tokenizers, weights: Mapping[str, Tensor]) -> None:
    source_table = "target_table" if config.model.tie == "three-way" else "source_table"
    for name, tokenizer in (("target_table", tokenizers.target), (source_table, tokenizers.source)):
        if name not in weights:
            continue
        rows, tokens = weights[name].size(0), tokenizer.vocab_size
        if rows != tokens:
            extra = ""
            if tokens > rows:
                extra = (
                    f"; tokens without a row: {', '.join(tokenizer.pieces(list(range(rows, min(tokens, rows + 5)))))}"
                )
            raise CheckpointError(
                f"{folder}: the tokenizer has {tokens} tokens but {name} has {rows} rows{extra}; "
                "they belong to different models"
            )
