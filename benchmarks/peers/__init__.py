"""The sides of the training benchmark: a file each, run in a process of its own, some in an environment of their own.

``protocol`` and ``loop`` are what they share, ``workers`` talks to them, ``environments`` installs them.
"""
