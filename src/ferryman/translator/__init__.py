"""The line from text to text: tokens -> encoder -> decoder steps -> search -> text."""

from ferryman.translator.translation import Translation
from ferryman.translator.translator import Translator

__all__ = ["Translation", "Translator"]
