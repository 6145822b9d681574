"""Models of fairseq 0.6 to 0.12, read without it.

Its checkpoint holds the settings and the weights; the vocabularies (``dict.de.txt``) and what cut the text into them
stand beside it. Dictionaries start with four symbols that their files do not list, and positions are counted from 2.
"""
