"""Text to tokens and back: the normal form, the tokenizer and the names of languages."""

from ferryman.text.languages import base_language, check_language
from ferryman.text.normal_form import NORMAL_FORMS, normalise
from ferryman.text.sentencepiece_tokenizer import SentencePieceTokenizer
from ferryman.text.tokenizer import Tokenizer
from ferryman.text.tokenizer_training import TokenizerRecipe, train_tokenizer
from ferryman.text.word_tokenizer import WordTokenizer

__all__ = [
    "NORMAL_FORMS",
    "SentencePieceTokenizer",
    "Tokenizer",
    "TokenizerRecipe",
    "WordTokenizer",
    "base_language",
    "check_language",
    "normalise",
    "train_tokenizer",
]
