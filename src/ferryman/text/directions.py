"""From which language into which: what a configuration says of it, one direction for each kind of pair."""

from dataclasses import dataclass

from ferryman.config_data import CorpusConfig, DataConfig
from ferryman.errors import ConfigError, TranslationError
from ferryman.text.languages import check_language

UNKNOWN = "und"  # BCP 47 for a language that nobody told


@dataclass(frozen=True, slots=True)
class Direction:
    """Two languages, as BCP-47 codes in their usual case; empty where unknown."""

    source: str
    target: str

    @classmethod
    def of(cls, corpus: CorpusConfig) -> "Direction":
        """Tell the direction of a corpus with nothing unset."""
        return cls(*(code and check_language(code) for code in (corpus.source_language, corpus.target_language)))

    def __str__(self) -> str:
        return f"{self.source or UNKNOWN} → {self.target or UNKNOWN}"

    @property
    def name(self) -> str:
        """Name it in figures: ``en-de``."""
        return f"{self.source}-{self.target}"


def directions(data: DataConfig) -> dict[Direction, CorpusConfig]:
    """List the directions of a run, each with its first corpus; the main corpus's is the first."""
    found: dict[Direction, CorpusConfig] = {}
    for corpus in data.every_corpus.values():
        found.setdefault(Direction.of(corpus), corpus)
    return found


def target_languages(data: DataConfig) -> list[str]:
    """List the languages that a run learns to translate into."""
    return list(dict.fromkeys(direction.target for direction in directions(data)))


def source_of(data: DataConfig, target: str) -> str:
    """Return the language that is translated into ``target``; empty if there are several."""
    sources = {direction.source for direction in directions(data) if direction.target == target}
    return sources.pop() if len(sources) == 1 else ""


def find_target(data: DataConfig, to: str | None) -> str:
    """Choose the language to translate into; the only one need not be named.

    Raises:
        TranslationError: it is none of the model's, or there are several and none is named.
    """
    known = target_languages(data)
    if to is None and len(known) == 1:
        return known[0]
    shown = ", ".join(known)
    if to is None:
        raise TranslationError(f"this model translates into {shown}: say into which (--to LANGUAGE, in Python to=…)")
    try:
        code = check_language(to)
    except ConfigError as error:
        raise TranslationError(f"{error} This model translates into {shown}") from error
    if code not in known:
        raise TranslationError(f"this model does not translate into {to!r}, only into {shown}")
    return code
