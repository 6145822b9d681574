"""Ferryman: train, see into and ship encoder-decoder Transformers."""

__version__ = "0.1.0"
