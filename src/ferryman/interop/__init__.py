"""Other people's formats: Hugging Face Marian, M2M-100 and NLLB in and out; fairseq in; CTranslate2, Argos, ONNX out.

A conversion is a table of invertible renames (``renames``) and a mapping of settings. Whatever does not fit is named
and refused.
"""
