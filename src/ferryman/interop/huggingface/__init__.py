"""Hugging Face folders, in three families of one kind of network.

``MarianMTModel`` is post-norm, ``PegasusForConditionalGeneration`` the same network, pre-norm: these are read and
written. ``M2M100ForConditionalGeneration``, which NLLB is too, is read.
"""
