"""Whole files translated so that everything but their words stays as it is, byte for byte.

A document is read into segments, which hold the text to translate, with its inline mark-up as short tags that the
translator protects. It is written by editing the original text where a segment was translated, and nowhere else: what
is not translated cannot change. A module a format; ``formats`` knows them all.
"""
