"""The built-in phrasebook."""

from ferryman.corpus.phrasebook.generate import TARGET_LANGUAGES as LANGUAGES
from ferryman.corpus.phrasebook.generate import generate
from ferryman.corpus.phrasebook.pair import AlignedPair

__all__ = ["LANGUAGES", "AlignedPair", "generate"]
