"""Let CTranslate2 convert the Marian model: ``python -m decoding_peers.to_ctranslate2 MODEL TARGET float32|int8``."""

import json
import sys
from pathlib import Path
from typing import Any

from ctranslate2.converters import TransformersConverter

from decoding_peers.conversion import MARIAN, SHAPE
from decoding_peers.protocol import EOS, UNKNOWN


class Numbers:
    """What the converter asks a tokenizer: the names of tokens, here their numbers.

    It knows padding, which it takes out of the vocabulary, by its name.
    """

    def __init__(self, vocab: int) -> None:
        self.vocab = vocab
        self.eos_token, self.unk_token, self.pad_token, self.bos_token = str(EOS), str(UNKNOWN), "<pad>", None

    def get_vocab(self) -> dict[str, int]:
        """Map names to numbers."""
        return {str(number): number for number in range(self.vocab - 1)} | {self.pad_token: self.vocab - 1}


class Converter(TransformersConverter):
    """The converter, with a vocabulary that has no texts."""

    def load_tokenizer(self, tokenizer_class: type, model_name_or_path: str, **options: Any) -> Numbers:
        """Make the vocabulary of numbers."""
        shape = json.loads((Path(model_name_or_path).parent / SHAPE).read_text(encoding="utf-8"))
        return Numbers(shape["vocab"])


def main() -> None:
    """Convert a model."""
    source, target, compute = sys.argv[1:4]
    Converter(str(Path(source) / MARIAN)).convert(target, quantization=None if compute == "float32" else compute)


if __name__ == "__main__":
    main()
