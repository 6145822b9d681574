"""Parts of a text that no language changes: addresses, placeholders, tags, emoji and numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ferryman.text.languages import NO_SPACE_SCRIPTS

# What may stand directly beside a number without making one word with it: scripts that write no spaces, and Hangul.
_BESIDE = NO_SPACE_SCRIPTS + "\uac00-\ud7af"
_LETTER = rf"[^\W{_BESIDE}]"
_SYMBOLS = "\u200d\u2190-\u2bff\ufe0f\ufffd\U0001f000-\U0001faff"
_IN_ADDRESS = rf"[^\s<>\"“”„«»‘’`|\\^()\[\]。，、；：！？{_BESIDE}{_SYMBOLS}]"
_ADDRESS_END = rf"[^\s<>\"“”„«»‘’`|\\^()\[\]。，、；：！？{_BESIDE}{_SYMBOLS}.,;:!?'*…]"
_ADDRESS = rf"(?:{_IN_ADDRESS}|\({_IN_ADDRESS}*\))*(?:{_ADDRESS_END}|\({_IN_ADDRESS}*\))"
_PICTURE = (
    "[\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]\ufe0f?"
)
_PICTURE_ON_REQUEST = "[\u00a9\u00ae\u203c-\u25fe\u2934\u2935\u3030\u303d\u3297\u3299]\ufe0f"
_ONE_EMOJI = f"(?:{_PICTURE}|{_PICTURE_ON_REQUEST})[\U0001f3fb-\U0001f3ff]?"
_PERCENT = r"(?:[ \u00a0\u202f]?[%‰٪](?![\w(%{$]))?+"
_BETWEEN_DIGITS = r"[.,:/'’٫٬\u00a0\u202f\u2009]"
_DIGITS = rf"\d++(?:{_BETWEEN_DIGITS}\d++)*+{_PERCENT}"

# In the order in which they are tried where two begin at the same place.
_PATTERNS = {
    "tag": r"""<!--.{0,500}?--> | </[A-Za-z][\w:.-]*+\s*+> |
        <[A-Za-z][\w:.-]*+(?:\s++[\w:@.-]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>=`]++))?+)*+\s*+/?>""",
    "url": rf"""(?<![A-Za-z0-9])(?:https?|ftps?|sftp|wss?|file|git|ssh)://{_ADDRESS} |
        (?<![A-Za-z0-9_@.-])www\.{_ADDRESS} |
        (?<![A-Za-z0-9_@.-])(?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}(?:com|org|net|edu|gov|info|io|dev|app)
            (?![A-Za-z0-9_@-]|\.[A-Za-z0-9])(?:[/?#]{_ADDRESS}|/)?""",
    "email": r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9._%+-]{1,64}+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])",
    "placeholder": r"""\{\{[^{}\n]{0,100}\}\} | [$\#%]\{[^{}\n]{1,100}\} |
        \{(?:[\x21-\x7a|~]{0,64}|\w{1,64},\ ?\w{1,64}(?:,\ ?[^\s{}]{1,64})?)\} |
        %(?:\(\w{1,64}\)|\d{1,2}\$)[-+\#0]*\d*(?:\.\d+)?(?:hh|h|ll|l)?[A-Za-z@] |
        (?<![\d%])%[-+\#0]*(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*))?(?:hh|h|ll|l|[qjztL])?[diouxXeEfFgGcrsapA@]
            (?![A-Za-z]{3}) |
        (?<![A-Za-z0-9_%])%[A-Za-z_][A-Za-z0-9_.]{0,64}%(?![A-Za-z0-9_]) | %% |
        (?<!\$)\$(?:[A-Za-z_][A-Za-z0-9_]{0,64}|[1-9](?!\d|[.,]\d|[%A-Za-z_]))""",
    "emoji": rf"""[0-9\#*]\ufe0f?\u20e3 | [\U0001f1e6-\U0001f1ff]{{1,2}} |
        \U0001f3f4[\U000e0020-\U000e007e]+\U000e007f |
        {_ONE_EMOJI}(?:\u200d{_ONE_EMOJI})* | [\U0001f3fb-\U0001f3ff]""",
    "number": rf"""(?:(?<![\w)\]])[+\-−±])?+(?<!{_LETTER})(?<!\d)(?<!\d{_BETWEEN_DIGITS}){_DIGITS}
        (?!{_LETTER}|\d|[万萬亿億千百兆月만억천백조월])""",
}
_ANY_NUMBER = rf"(?:(?<![\w)\]])[+\-−±])?+{_DIGITS}"  # as a part of a word too
_TRIGGER = re.compile(
    r"[\d@<{%$\u203c-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]|://|www\.|\.(?:com|org|net|edu|gov|info|io|dev|app)\b"
)
KINDS = tuple(_PATTERNS)


@dataclass(frozen=True, slots=True)
class Span:
    """A protected part of a text: ``text[start:end]``."""

    start: int
    end: int
    kind: str
    text: str


def find_spans(text: str, kinds: Iterable[str], *, in_words: bool = False) -> list[Span]:
    """Find the protected spans of some kinds, in order; they do not overlap.

    Args:
        text: any text.
        kinds: of ``KINDS``.
        in_words: count a number that is a part of a word too (``5th``), which translation may change.

    """
    if not _TRIGGER.search(text):
        return []
    pattern = _compiled(frozenset(kinds), in_words)
    if pattern is None:
        return []
    return [Span(*found.span(), found.lastgroup or "", found[0]) for found in pattern.finditer(text)]


@lru_cache
def _compiled(kinds: frozenset[str], in_words: bool) -> re.Pattern[str] | None:
    patterns = _PATTERNS | ({"number": _ANY_NUMBER} if in_words else {})
    chosen = [f"(?P<{kind}>{pattern})" for kind, pattern in patterns.items() if kind in kinds]
    return re.compile("|".join(chosen), re.VERBOSE | re.DOTALL) if chosen else None


class Guard:
    """The protected spans of a text, and whether another text keeps them.

    Attributes:
        spans: in order.
        fewest: how often each must come back.
        most: how often it may: a number may also be a part of a word (``5th``), which need not keep it.
    """

    def __init__(self, text: str, kinds: Iterable[str]) -> None:
        """Find the spans of ``text``."""
        self.text = text
        self.kinds = frozenset(kinds)
        self.spans = find_spans(text, self.kinds)
        self.fewest = Counter(span.text for span in self.spans)
        self.most = self._count(text) | self.fewest if self.spans else Counter[str]()
        self._loose_tags = _loose(self.spans)

    @property
    def only_numbers(self) -> bool:
        """Tell whether there are spans, and all are numbers."""
        return bool(self.spans) and all(span.kind == "number" for span in self.spans)

    def broken(self, translation: str) -> set[str]:
        """Return the spans that a translation does not have as often as the text; of tags, all if one is broken."""
        if not self.spans:
            return set()
        found = find_spans(translation, self.kinds, in_words=True)
        count = Counter(span.text for span in found)
        wrong = {text for text in self.fewest if not self.fewest[text] <= count[text] <= self.most[text]}
        tags = {span.text for span in self.spans if span.kind == "tag"}
        if tags & wrong or (tags and _loose(found) != self._loose_tags):
            wrong |= tags
        return wrong

    def _count(self, text: str) -> Counter[str]:
        return Counter(span.text for span in find_spans(text, self.kinds, in_words=True))


def _loose(spans: Sequence[Span]) -> int:
    """Count the tags that are neither opened nor closed by another."""
    tags = [span for span in spans if span.kind == "tag"]
    return len(tags) - 2 * len(pair_tags(tags))


def tag_name(tag: str) -> str:
    """Return the name of a tag: ``</a>`` and ``<a href="">`` give ``a``."""
    found = re.match(r"</?([\w:.-]+)", tag)
    return found[1].lower() if found else ""


def pair_tags(tags: Sequence[Span]) -> list[tuple[int, int]]:
    """Pair opening tags with closing ones, well nested: the places in ``tags`` of both, in the order of the openings.

    Tags that stand alone (``<br/>``, ``<img>`` without an end) are in no pair.
    """
    pairs: list[tuple[int, int]] = []
    open_tags: list[tuple[str, int]] = []
    waiting: Counter[str] = Counter()
    for place, tag in enumerate(tags):
        name = tag_name(tag.text)
        if not tag.text.startswith("</"):
            if name and not tag.text.endswith("/>"):
                open_tags.append((name, place))
                waiting[name] += 1
            continue
        while waiting[name]:
            other, opening = open_tags.pop()
            waiting[other] -= 1
            if other == name:
                pairs.append((opening, place))
                break
    return sorted(pairs)
