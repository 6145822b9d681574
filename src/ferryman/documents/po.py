"""PO, gettext's catalogues: messages without a translation get one, marked fuzzy, and nothing else changes."""

import gettext
import re
from collections.abc import Callable
from functools import lru_cache, partial

from ferryman.corpus.languages import canonical, related
from ferryman.documents.accelerators import Label
from ferryman.documents.document import Document, Edit, Found, Reading, Segment
from ferryman.documents.encoding import as_document, decoded
from ferryman.documents.po_messages import Field, Message, quoted, read_messages
from ferryman.errors import DataError
from ferryman.text.languages import word_separator
from ferryman.text.protected import find_spans

_CHARSET = re.compile(rb'Content-Type:[^"\n]*?charset=\s*([\w.:-]+)', re.IGNORECASE)
_CREDITS = {"translator-credits", "translator_credits", "translation-credits", "Your names", "Your emails"}
_PLURAL_FORMS = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)")
_LANGUAGE = re.compile(r"^Language:[ \t]*(\S+)", re.MULTILINE)
_WRAPPED = 80  # a longer line within quotation marks: a file that does not wrap
_NUMBERS = 1000  # things to count, for knowing which numbers a plural form is for


def read_po(data: bytes, reading: Reading) -> Document:
    """Read a catalogue.

    Translated and obsolete messages, fuzzy ones (unless wanted), the header and translators' credits are kept. Of a
    message with a plural each form is translated: that for one thing from ``msgid``, the others from ``msgid_plural``.

    Raises:
        DataError: not PO syntax, not the charset that the header names, or a catalogue of another language.

    """
    declared = _CHARSET.search(data)
    name = declared[1].decode("ascii", "replace") if declared and declared[1] != b"CHARSET" else None
    file, found = decoded(data, reading.name, name), Found()
    messages, obsolete = read_messages(file.text, reading.name)
    header = next((one.forms[0].value for one in messages if not one.text("msgid") and 0 in one.forms), "")
    _check_language(header, reading)
    if obsolete:
        found.kept["obsolete"] = obsolete
    line_end = "\r\n" if "\r\n" in file.text else "\n"
    spaced = not reading.target_language or word_separator(reading.target_language) == " "
    for message in messages:
        if reason := _reason_to_keep(message, reading):
            found.kept[reason] += bool(message.text("msgid"))
            continue
        marks = _marks(message, reading, line_end)
        for number, form in message.forms.items():
            if form.value and "fuzzy" not in message.flags:
                continue
            source = _source(message, number, header)
            label = Label.of(source.value.strip())
            finish = partial(label.put_on, spaced=spaced)
            write = partial(_write, source, form, finish, marks, line_end)
            found.segments.append(Segment(label.text, write, message.line, in_place=False))
    found.kept = +found.kept
    return as_document(file, found)


def _check_language(header: str, reading: Reading) -> None:
    found = _LANGUAGE.search(header)
    language = canonical(found[1]) if found else ""
    if language and reading.target_language and not related(reading.target_language, language):
        raise DataError(
            f"{reading.name}: a catalogue in {language} by its header, but the model translates into "
            f"{reading.target_language}; take another model, or correct the header's Language"
        )


def _reason_to_keep(message: Message, reading: Reading) -> str:
    if not message.text("msgid"):
        return "header"
    if message.text("msgid") in _CREDITS:
        return "translators' credits"
    if message.translated and "fuzzy" in message.flags:
        return "" if reading.fuzzy else "fuzzy"
    if message.translated:
        return "already translated"
    return "" if any(map(str.isalpha, message.text("msgid"))) else "no words"


def _source(message: Message, number: int, header: str) -> Field:
    """Choose what a plural form is translated from.

    The form for one thing may be that for 21 and 31 too, where ``One file`` would be wrong but ``%d file`` is right.
    """
    plural = message.fields.get("msgid_plural")
    single = message.fields["msgid"]
    if plural is None:
        return single
    numbers = _numbers_of(number, header)
    if 1 not in numbers:
        return plural
    same = _placeholders(single.value) == _placeholders(plural.value)
    return single if numbers == {1} or (same and len(message.forms) > 1) else plural


def _placeholders(text: str) -> list[str]:
    return sorted(span.text for span in find_spans(text, ["placeholder"]))


@lru_cache
def _numbers_of(form: int, header: str) -> set[int]:
    """Tell how many things a plural form is for, by the formula of the header; without one, as in English."""
    found = _PLURAL_FORMS.search(header)
    try:
        choose = gettext.c2py(found[2].strip()) if found else (lambda number: int(number != 1))
        return {number for number in range(_NUMBERS) if choose(number) == form}
    except (ValueError, ArithmeticError):
        return {1} if form == 0 else set()


def _marks(message: Message, reading: Reading, line_end: str) -> list[Edit]:
    """Say in the flags that a person should look at the translation, or if that is not wanted, no longer."""
    if message.flag_line is None:
        return [Edit(message.start, message.start, (f"#, fuzzy{line_end}",))] if reading.mark else []
    if ("fuzzy" in message.flags) == reading.mark:
        return []
    flags = ["fuzzy"] * reading.mark + [flag for flag in message.flags if flag and flag != "fuzzy"]
    start, end = message.flag_line
    return [Edit(start, end, (f"#, {', '.join(flags)}",)) if flags else Edit(start, end + len(line_end), ())]


def _write(
    source: Field, form: Field, finish: Callable[[str], str], marks: list[Edit], line_end: str, translation: str
) -> list[Edit]:
    """Write one form; the white space and line breaks around the source are gettext's rule for the translation too."""
    inner = source.value.strip()
    before, _, after = source.value.partition(inner)
    value = before + finish(translation.strip()) + after
    written = quoted(value, line_end=line_end, wrapped=source.longest <= _WRAPPED)
    return [Edit(form.start, form.end, (written,)), *marks]
