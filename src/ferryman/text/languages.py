"""Language codes: BCP-47 tags (RFC 5646), checked for their form and brought into their usual case."""

import re

from ferryman.errors import ConfigError

_TAG = re.compile(
    r"""
    (?P<language>[a-z]{2,3}) (?P<extended>(-[a-z]{3}){0,3})
    (-(?P<script>[a-z]{4}))?
    (-(?P<region>[a-z]{2}|[0-9]{3}))?
    (?P<variants>(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)
    (?P<extensions>(-[a-wyz0-9](-[a-z0-9]{2,8})+)*)
    (?P<private>(-x(-[a-z0-9]{1,8})+)?)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_PRIVATE_TAG = re.compile(r"x(-[a-z0-9]{1,8})+", re.IGNORECASE | re.ASCII)


def check_language(code: str) -> str:
    """Return a well-formed BCP-47 tag in its usual case: ``zh-hans-cn`` gives ``zh-Hans-CN``.

    Only the form is checked (RFC 5646, 2.1), not whether the language is registered. Names of four to eight letters,
    which the grammar reserves and no registered language uses, are refused: they are spelled-out names (``english``).

    Raises:
        ConfigError: the code is not well-formed; the message says what to write.
    """
    if usual := _usual_case(code):
        return usual
    suggestion = _usual_case(re.split(r"[.@]", code.strip())[0].replace("_", "-"))
    hint = f"write '{suggestion}'." if suggestion else "write a BCP-47 code such as en, de, zh-Hans or pt-BR."
    raise ConfigError(f"'{code}' is not a language code: {hint}")


def base_language(code: str) -> str:
    """Return the language alone: ``zh-Hans-CN`` gives ``zh``; a wholly private tag (``x-…``) is returned whole.

    Raises:
        ConfigError: the code is not well-formed.
    """
    tag = check_language(code)
    return tag if tag.startswith("x-") else tag.partition("-")[0]


def _usual_case(code: str) -> str | None:
    if _PRIVATE_TAG.fullmatch(code):
        return code.lower()
    if not (tag := _TAG.fullmatch(code)):
        return None
    parts = [tag["language"].lower() + tag["extended"].lower()]
    if tag["script"]:
        parts.append(tag["script"].title())
    if tag["region"]:
        parts.append(tag["region"].upper())
    return "-".join(parts) + (tag["variants"] + tag["extensions"] + tag["private"]).lower()


# Scripts written without spaces between words, as what stands between the brackets of a regular expression: Thai, Lao,
# Tibetan, Burmese, Khmer, Chinese characters, kana.
NO_SPACE_SCRIPTS = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_NO_SPACES = frozenset({"zh", "yue", "wuu", "ja", "th", "lo", "km", "my", "bo"})


_UNSPACED = re.compile(f"[{NO_SPACE_SCRIPTS}]")


def is_unspaced(character: str) -> bool:
    """Tell whether a character belongs to a script that writes no spaces between words."""
    return _UNSPACED.match(character) is not None


def word_separator(code: str) -> str:
    """Return what stands between words in this language's script: a space, or nothing (Chinese, Japanese, Thai …)."""
    return "" if base_language(code) in _NO_SPACES else " "
