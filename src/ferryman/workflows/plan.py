"""What ``ferryman train`` was asked to do: from the words on the command line to a configuration and a folder."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.config import Config
from ferryman.config_file import config_names, is_config, load_config
from ferryman.corpus.files import FORMATS, format_of, is_pattern
from ferryman.errors import ConfigError
from ferryman.text import base_language, check_language
from ferryman.workflows.changes import with_budget

DEFAULT_CONFIG = "tiny"


def plan(words: Sequence[str], settings: Sequence[str], output: Path | None) -> tuple[Config, Path]:
    """Resolve ``CONFIG`` or ``SOURCE TARGET`` (or one file of pairs) and the run's folder.

    Raises:
        ConfigError: too many files, no such configuration, or languages that cannot be told.

    """
    first = words[0]
    if is_config(first) or (len(words) == 1 and not _is_corpus(first)):
        if len(words) > 1:
            raise ConfigError(f"{words[1]}: expected only settings (section.key=value) after the configuration {first}")
        config = load_config(first, with_budget(settings))
        name = Path(first).stem
    else:
        if len(words) > 2:
            raise ConfigError(f"expected a source and a target file, found {len(words)}: {' '.join(words)}")
        if len(words) == 1 and not (format_of(Path(first)) or Path(first).is_dir() or is_pattern(Path(first))):
            raise ConfigError(f"{first}: expected SOURCE and TARGET files, or one file of pairs ({' '.join(FORMATS)})")
        config = _default_config([*corpus_settings(words), *with_budget(settings)])
        name = f"{config.data.source_language}-{config.data.target_language}"
    if not config.data.source_language or not config.data.target_language:
        raise ConfigError(
            "the languages cannot be told from the file names; set data.source_language=en data.target_language=de"
        )
    return config, output or Path("runs") / name


def _default_config(settings: Sequence[str]) -> Config:
    config = load_config(DEFAULT_CONFIG, settings)
    if config.training.start_from is None:
        return config
    from ferryman.workflows.fine_tuning import inherited_settings  # loads PyTorch, which few who plan need

    return load_config(DEFAULT_CONFIG, [*inherited_settings(config.training.start_from), *settings])


def _is_corpus(word: str) -> bool:
    return Path(word).exists() or any(sign in word for sign in "*?/") or (word not in config_names() and "." in word)


def corpus_settings(words: Sequence[str]) -> list[str]:
    """Name the files on a command line as settings, with the languages that their names tell."""
    names = [str(Path(word)) for word in words]
    quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
    settings = [f"data.train=[{quoted}]"]
    if len(words) == 2:
        for key, word in zip(("source_language", "target_language"), words, strict=True):
            language = language_of(Path(word))
            if language:
                settings.append(f"data.{key}={language}")
    return settings


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
