"""Gettext messages to pairs: what PO and MO have in common."""

import gettext
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ferryman.corpus.accelerators import remove_accelerators
from ferryman.corpus.characters import is_blank, one_line
from ferryman.corpus.languages import OTHER, OtherLanguageError, canonical, closeness, related
from ferryman.corpus.pair import Pair
from ferryman.corpus.report import ReadingReport

# What GNOME's and KDE's translators fill with their own names and addresses.
_CREDITS = {"translator-credits", "translator_credits", "translation-credits", "Your names", "Your emails"}
_PLURAL_FORMS = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)")


def read_catalogue(messages: Any, path: Path, languages: tuple[str, str], report: ReadingReport) -> Iterator[Pair]:
    """Turn a catalogue's messages into pairs of ``msgid`` and ``msgstr``.

    - The header is no pair; obsolete, fuzzy and untranslated messages and translators' credits are skipped and counted.
    - A message with a plural gives two pairs: ``msgid`` with the form that ``Plural-Forms`` chooses for one thing, and
      ``msgid_plural`` with the last form, which is the general plural. Without that header: the first and the last.
    - Accelerator markers (``_File``, ``&File``) are removed from both sides (``remove_accelerators``) and counted.
    - The catalogue's language (the header's ``Language``, else the folder above ``LC_MESSAGES``) decides the direction:
      if it is the *source* language, the sides are exchanged; if it is neither, ``OtherLanguageError`` is raised. Where
      nothing names it, the catalogue is taken to be in the target language.

    Args:
        messages: what polib read.
        path: the file, for messages.
        languages: source and target language.
        report: counts what is skipped.
    """
    backwards = _is_backwards(_language(messages, path), languages, path)
    forms = messages.metadata.get("Plural-Forms", "")
    for number, message in enumerate(messages, start=1):
        if reason := _reason_to_skip(message):
            report.skipped[reason] += 1
            continue
        line = getattr(message, "linenum", None) or number
        for original, translation in _sides(message, forms):
            if is_blank(original) or is_blank(translation):
                report.skipped["untranslated message"] += 1
                continue
            marked = one_line(original), one_line(translation)
            plain = remove_accelerators(*marked)
            if plain != marked:
                report.altered["accelerator marker removed"] += 1
            source, target = reversed(plain) if backwards else plain
            yield Pair(source, target, str(path), line)


def _language(messages: Any, path: Path) -> str:
    header = canonical(messages.metadata.get("Language", ""))
    return header or (canonical(path.parent.parent.name) if path.parent.name == "LC_MESSAGES" else "")


def _is_backwards(language: str, languages: tuple[str, str], path: Path) -> bool:
    """Tell whether the catalogue translates into the source language."""
    source, target = languages
    if not language or not target or closeness(target, language) != OTHER:
        return False
    if closeness(source, language) != OTHER:
        return True
    if related(target, language):
        return False
    raise OtherLanguageError(
        f"{path}: a catalogue in {language}, but the languages are {source or '(none)'} and {target}; "
        "name another file, or correct its header's Language"
    )


def _reason_to_skip(message: Any) -> str:
    if message.obsolete:
        return "obsolete message"
    if "fuzzy" in getattr(message, "flags", ()):
        return "fuzzy message"
    if message.msgid in _CREDITS:
        return "translators' credits"
    return ""


def _sides(message: Any, plural_forms: str) -> list[tuple[str, str]]:
    if not message.msgid_plural:
        return [(message.msgid, message.msgstr)]
    forms: dict[int, str] = message.msgstr_plural
    one, last = _one_and_last(plural_forms, forms)
    return [(message.msgid, forms.get(one, "")), (message.msgid_plural, forms.get(last, ""))]


def _one_and_last(header: str, forms: dict[int, str]) -> tuple[int, int]:
    """Choose the form for one thing and the last one."""
    found = _PLURAL_FORMS.search(header)
    try:
        return (gettext.c2py(found[2].strip())(1), int(found[1]) - 1) if found else (0, max(forms, default=0))
    except (ValueError, ArithmeticError):  # the header's formula is not one
        return 0, max(forms, default=0)
