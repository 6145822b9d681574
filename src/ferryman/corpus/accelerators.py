"""Keyboard accelerators of menus: the ``_`` of ``_File`` (GTK) and the ``&`` of ``&File`` (Qt, Windows)."""

import re

LONGEST_LABEL = 80
"""Characters; longer messages are no labels of buttons or menus."""

_WORDS = {marker: re.compile(rf"([^\W_]*){marker}([^\W_]+)\b(?!;)") for marker in "_&"}
# How scripts without Latin letters show it: 文件(_F)
_APPENDED = {marker: re.compile(rf"\s*[(（]{marker}\w[)）]") for marker in "_&"}


def remove_accelerators(source: str, target: str) -> tuple[str, str]:
    """Remove the accelerator marker from a label and its translation.

    Which letter is marked is chosen anew in every menu and says nothing of the meaning, but it breaks the word for the
    tokenizer: ``_File``/``_Datei`` and ``Fi_le``/``Date_i`` should both teach File/Datei. Identifiers hold the same
    signs, so a marker counts only in short texts with exactly one on each side, where the source's word starts with it
    or with a capital and the marked words differ: ``file_name``, ``AT&T`` and longer texts are returned as they are.
    """
    if max(len(source), len(target)) <= LONGEST_LABEL:
        for marker in "_&":
            if source.count(marker) == target.count(marker) == 1 and _is_accelerator(source, target, marker):
                return _without(source, marker), _without(target, marker)
    return source, target


def _is_accelerator(source: str, target: str, marker: str) -> bool:
    here, there = _WORDS[marker].search(source), _WORDS[marker].search(target)
    if not here or not there:
        return False
    before, after = here.groups()
    if before:
        alike = here[0] == there[0]
        return not alike and before[0].isupper() and not (before[-1].isupper() and after[0].isupper())
    return here[0] != there[0] or after[0].isupper()


def _without(text: str, marker: str) -> str:
    return _APPENDED[marker].sub("", text).replace(marker, "")
