"""Checkpoints of OpenNMT-py 2 and older: their vocabulary is objects of torchtext, which are read as plain data."""

from typing import Any, Self


class Inert:
    """Stands for whatever a class would have made: keeps its attributes, and does nothing."""

    def __new__(cls, *_: object) -> Self:
        """Take what a constructor would be given, and leave it."""
        return super().__new__(cls)

    def __init__(self, *_: object) -> None:
        """Do nothing."""

    def __setstate__(self, state: object) -> None:
        """Keep attributes."""
        if isinstance(state, dict):
            self.__dict__.update(state)


STAND_INS = [
    (Inert, name)
    for name in (
        "torchtext.data.field.Field",
        "torchtext.data.field.RawField",
        "torchtext.data.utils._split_tokenizer",
        "torchtext.vocab.Vocab",
        "onmt.inputters.text_dataset.TextMultiField",
        "onmt.inputters.text_dataset._feature_tokenize",
        "functools.partial",
    )
]
"""For ``read_pickle``."""


def plain_vocabulary(vocab: Any) -> Any:
    """Return a vocabulary of torchtext's as one of today, with lists of tokens; anything else as it is."""
    try:
        source, target = ([field.vocab.itos for _, field in _fields(vocab, side)] for side in ("src", "tgt"))
        return {"src": source[0], "src_feats": source[1:], "tgt": target[0]}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return vocab


def _fields(vocab: Any, side: str) -> Any:
    """Return the fields of a side, the words' and then those of their features, and their names."""
    field = vocab[side]
    return field.fields if hasattr(field, "fields") else [(side, field)]
