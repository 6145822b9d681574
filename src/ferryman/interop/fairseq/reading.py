"""From a checkpoint of fairseq to a model of ours."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError
from torch import Tensor

from ferryman.checkpoint import Tokenizers, model_on_meta
from ferryman.config import Config, ModelConfig, TokenizerConfig
from ferryman.errors import ConversionError
from ferryman.interop.fairseq.checkpoint import read_checkpoint
from ferryman.interop.fairseq.files import find_checkpoint
from ferryman.interop.fairseq.languages import find_pair
from ferryman.interop.fairseq.settings import Settings
from ferryman.interop.fairseq.vocabulary import NORMAL_FORM, kind_of, read_tokenizers
from ferryman.interop.fairseq.weights import (
    POSITIONS,
    SOURCE,
    TARGET,
    network_weights,
    weight_table,
)
from ferryman.interop.huggingface.extras import data_config
from ferryman.interop.huggingface.vocabulary import as_language
from ferryman.interop.renames import inward
from ferryman.interop.stored_model import StoredModel


def read_fairseq(path: Path) -> StoredModel:
    """Read a checkpoint and what stands beside it, without fairseq.

    Args:
        path: the checkpoint, or the folder where it is.

    Raises:
        ConversionError: it is damaged, something is missing beside it, or it is a model that ours cannot be.

    """
    file = find_checkpoint(path)
    state = read_checkpoint(file)
    settings, weights = Settings.of(state, file), network_weights(state, file)
    shape = settings.model_config(_positions(weights))
    settings = settings.of_pair(find_pair(file.parent, settings, (_rows(weights, SOURCE), _rows(weights, TARGET))))
    tokenizers = read_tokenizers(file.parent, settings)
    sizes = tokenizers.source.vocab_size, tokenizers.target.vocab_size
    _check(settings, shape, weights, tokenizers)
    expected = {name: tensor.shape for name, tensor in model_on_meta(shape, *sizes).named_parameters()}
    found = inward(weights, weight_table(shape), expected, file)
    try:
        config = Config(
            data=data_config([(as_language(settings.pair[0]), as_language(settings.pair[1]))]),
            tokenizer=TokenizerConfig(
                kind=kind_of(tokenizers.target),
                vocab_size=sizes[1],
                joint=tokenizers.joint,
                normal_form=NORMAL_FORM,
            ),
            model=shape,
            decoding=settings.decoding_config(),
        )
    except ValidationError as error:
        raise ConversionError(f"{file}: {error.errors()[0]['msg']}") from error
    return StoredModel(found, config, tokenizers)


def _check(settings: Settings, shape: ModelConfig, weights: Mapping[str, Tensor], tokenizers: Tokenizers) -> None:
    """Tell what does not fit together where the reason is known; ``inward`` tells the rest."""
    for language, name, tokenizer in zip(
        settings.pair, (SOURCE, TARGET), (tokenizers.source, tokenizers.target), strict=True
    ):
        rows = _rows(weights, name)
        if rows and rows != tokenizer.vocab_size:
            raise ConversionError(
                f"{settings.where}: {name} has {rows} rows, but dict.{language}.txt names {tokenizer.vocab_size} "
                "symbols, the four that are not listed in it counted; it belongs to another model"
            )
    if shape.tie == "three-way" and not tokenizers.joint:
        raise settings.refuse("share_all_embeddings", "but the dictionaries of the two languages differ")
    tables = [weights[name] for name in POSITIONS if name in weights]
    if shape.positions == "learned" and len({table.shape for table in tables}) > 1:
        raise settings.refuse(
            "max_target_positions",
            f"but max_source_positions is {settings.get('max_source_positions')}, and ours has one value for both",
        )
    for stack in ("encoder", "decoder"):
        if shape.norm_order == "pre" and f"{stack}.layer_norm.weight" not in weights:
            raise settings.refuse(
                f"{stack}_normalize_before",
                f"but there is no {stack}.layer_norm behind the last layer, as in its first versions; ours has one",
            )


def _positions(weights: Mapping[str, Tensor]) -> int:
    """Return the rows of the smaller table of learned positions, where there are any."""
    return min((_rows(weights, name) for name in POSITIONS if name in weights), default=0)


def _rows(weights: Mapping[str, Tensor], name: str) -> int:
    return len(weights[name]) if name in weights and weights[name].dim() else 0
