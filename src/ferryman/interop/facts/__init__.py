"""What a model of another toolkit is, told from its files: nothing is run, and nothing unpacked to disk.

For formats that are only written, and for kinds of models that ours cannot be. What cannot be told is left out.
"""
