"""Text to tokens and back: the normal form, the tokenizer and the names of languages."""

from ferryman.text.languages import base_language, check_language
from ferryman.text.normal_form import NORMAL_FORMS, normalise
from ferryman.text.tokenizer import Tokenizer
from ferryman.text.tokenizer_training import TokenizerRecipe, train_tokenizer

__all__ = [
    "NORMAL_FORMS",
    "Tokenizer",
    "TokenizerRecipe",
    "base_language",
    "check_language",
    "normalise",
    "train_tokenizer",
]
