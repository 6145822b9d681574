"""Other people's formats, in and out.

In: Hugging Face's Marian, M2M-100 and NLLB, fairseq, OpenNMT-py, Eole, Joey NMT. Out: Hugging Face, CTranslate2, Argos,
ONNX.

A conversion is a table of invertible renames (``renames``) and a mapping of settings. Whatever does not fit is named
and refused.
"""
