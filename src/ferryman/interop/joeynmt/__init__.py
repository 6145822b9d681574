"""Run folders of Joey NMT, 1.x and 2.x: a ``config.yaml``, two vocabularies and checkpoints. They are read.

Its Transformer is pre-norm in 1.x and either in 2.x. Its recurrent networks are another kind of model, and refused.
"""
