"""What the names of text files tell of their languages, and what follows from it."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.config import CorpusConfig, DataConfig
from ferryman.corpus.files import format_of
from ferryman.errors import ConfigError
from ferryman.text import base_language, check_language
from ferryman.text.directions import Direction, directions


def language_of(path: Path) -> str | None:
    """Take ``train.en``, ``train.en.txt`` or ``train.en.gz`` at its word."""
    for suffix in reversed(path.suffixes):
        code = suffix.removeprefix(".")
        if code in ("gz", "txt"):
            continue
        try:
            return check_language(code) if 2 <= len(base_language(code)) <= 3 else None
        except ConfigError:
            return None
    return None


def direction_for(text: Path, data: DataConfig, target: str, model: Path) -> tuple[Direction, CorpusConfig]:
    """Choose in which of a model's directions into ``target`` a text is translated: by its name, else the first.

    Raises:
        ConfigError: the text's name tells a language that the model does not translate from.
    """
    possible = {one: corpus for one, corpus in directions(data).items() if one.target == target}
    first = next(iter(possible.items()))
    check_name(text, [one.source for one in possible], model)
    return next((each for each in possible.items() if _may_be(text, each[0].source)), first)


def check_name(text: Path, expected: Sequence[str], model: Path) -> None:
    """Refuse a text whose name tells a language other than those that a model expects: all the work would be lost.

    Raises:
        ConfigError: names both.
    """
    if not any(_may_be(text, language) for language in expected):
        raise ConfigError(
            f"{text}: its name tells {language_of(text)}, but where {model} expects {' or '.join(expected)}; take the "
            "model or the text of the other direction (or, if the text is right, give it a name without a language)"
        )


def _may_be(text: Path, language: str) -> bool:
    found = None if format_of(text) else language_of(text)
    return not found or not language or base_language(found) == base_language(language)


def contradictions(data: DataConfig) -> list[str]:
    """Say which aligned files of the corpora are taken as another language than their names tell."""
    found = []
    for corpus in data.every_corpus.values():
        sides = {"source_language": corpus.source_language, "target_language": corpus.target_language}
        for names in (corpus.train, corpus.valid, corpus.test):
            found += [
                f"{name}: its name tells {language_of(Path(name))}, but it is taken as {language} ({key}); on purpose?"
                for name, (key, language) in zip(names, sides.items(), strict=False)
                if len(names) == 2 and not _may_be(Path(name), language)
            ]
    return found
