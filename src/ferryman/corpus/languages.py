"""Language tags: which text of a file is in the language that is wanted."""

import re

from ferryman.errors import DataError

_SCRIPT_OF_REGION = {"zh-cn": "zh-hans-cn", "zh-sg": "zh-hans-sg", "zh-tw": "zh-hant-tw", "zh-hk": "zh-hant-hk"}
_SCRIPT_OF_MODIFIER = {"latin": "-latn", "cyrillic": "-cyrl"}
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")

EXACT, REGIONAL, OTHER = 2, 1, 0


class OtherLanguageError(DataError):
    """A file says of itself that it is in neither of the languages wanted."""


def canonical(tag: str) -> str:
    """Write a BCP-47 tag or a locale's name (``de_AT.UTF-8``, ``sr@latin``) in one way; empty if it is neither.

    Chinese by region also gets its script, so that ``zh-Hans`` finds ``zh_CN``.
    """
    name, _, modifier = tag.strip().lower().replace("_", "-").partition("@")
    name = name.partition(".")[0] + _SCRIPT_OF_MODIFIER.get(modifier, "")
    return _SCRIPT_OF_REGION.get(name, name) if _TAG.fullmatch(name) else ""


def closeness(wanted: str, found: str) -> int:
    """Rank how well a text's language is the one wanted: ``EXACT``, ``REGIONAL`` (en for en-US) or ``OTHER``."""
    wanted, found = canonical(wanted), canonical(found)
    if not wanted or not found:
        return OTHER
    if wanted == found:
        return EXACT
    return REGIONAL if found.startswith(wanted + "-") else OTHER


def related(wanted: str, found: str) -> bool:
    """Tell whether two tags share their language, whatever region or script either adds."""
    return canonical(wanted).partition("-")[0] == canonical(found).partition("-")[0] != ""
