"""What became of the texts of a document, and how far the work is."""

import time
from collections import Counter
from dataclasses import dataclass, field

MOVED = "mark-up moved"
TERM_MISSING = "term_missing"
REMEMBERED = "remembered"  # the flag of what the memory knew


@dataclass(frozen=True)
class Result:
    """The translation of a text, and where it came from."""

    text: str
    flags: tuple[str, ...] = ()
    """What is out of the ordinary: the flags of ``Translation``; ``term_missing``; ``mark-up moved`` (some was lost
    and all of it is written after the text)."""
    remembered: bool = False
    """Whether it is from the translation memory."""
    resumed: bool = False
    """Whether it was translated in an earlier run."""


@dataclass
class Progress:
    """How far a document is; grows while it is translated, for whoever watches."""

    total: int = 0
    """Texts to translate that are different; counted when the document was read."""
    done: int = 0
    seconds: float = 0.0
    """Up to the latest text."""
    began: float = field(default_factory=time.monotonic)

    def add(self, texts: int) -> None:
        """Count texts that are translated."""
        self.done += texts
        self.seconds = time.monotonic() - self.began


@dataclass
class Summary:
    """What was done with a document, in segments."""

    translated: int = 0
    remembered: int = 0
    """Of these, from the translation memory."""
    resumed: int = 0
    """Of these, in an earlier run that was interrupted."""
    kept: Counter[str] = field(default_factory=Counter)
    """As they were, by reason."""
    skipped: Counter[str] = field(default_factory=Counter)
    """To be translated, but not, by reason."""
    flags: Counter[str] = field(default_factory=Counter)
    """Translated, but to be looked at, by reason; see ``Result.flags``."""

    def add(self, result: Result) -> None:
        """Count a segment that is translated."""
        self.translated += 1
        self.remembered += result.remembered
        self.resumed += result.resumed
        self.flags.update(result.flags)
