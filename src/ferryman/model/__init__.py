"""BATCH -> LOGITS: the encoder-decoder Transformer of *Attention Is All You Need*.

Read in this order: ``attention``, ``feed_forward``, ``positions``, ``embedding``, ``masks``, ``norm``, ``layers``,
``state``, ``transformer``; ``build`` makes one from a configuration.
"""
