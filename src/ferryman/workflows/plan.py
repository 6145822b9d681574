"""What ``ferryman train`` was asked to do: from the words on the command line to a configuration and a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ferryman.config import Config, CorpusConfig, DataConfig
from ferryman.config_file import config_names, is_config, load_config, parse_config, read_settings
from ferryman.corpus import resolve
from ferryman.corpus.files import FORMATS, format_of, is_pattern
from ferryman.corpus.survey import Survey, survey, together
from ferryman.errors import ConfigError
from ferryman.text import check_language
from ferryman.workflows.changes import with_budget
from ferryman.workflows.file_languages import contradictions, language_of
from ferryman.workflows.recipe import Recipe, choose
from ferryman.workflows.sizes import Machine


class Plan(NamedTuple):
    """A run to be made."""

    config: Config
    folder: Path
    notices: tuple[str, ...] = ()  # what was chosen for it, and why


def plan(words: Sequence[str], settings: Sequence[str] = (), output: Path | None = None) -> Plan:
    """Resolve ``CONFIG``, or ``SOURCE TARGET`` (or one file of pairs) and choose what is not set; and the run's folder.

    Args:
        words: a configuration's name or file, or the files of a corpus.
        settings: texts ``section.key=value``; of those for a corpus none is changed, the rest is chosen around them.
        output: the run's folder; unset: ``runs/`` and the configuration's name or the languages.

    Raises:
        ConfigError: too many files, no such configuration, a wrong setting, or languages that cannot be told.
        DataError: the corpus cannot be read.
        CheckpointError: ``training.start_from`` is no model.

    """
    first = words[0]
    if not names_corpus(words):
        if len(words) > 1:
            raise ConfigError(f"{words[1]}: expected only settings (section.key=value) after the configuration {first}")
        config = load_config(first, with_budget(settings))
        _check_languages(config.data)
        return Plan(config, output or Path("runs") / Path(first).stem, tuple(contradictions(config.data)))
    if len(words) > 2:
        raise ConfigError(f"expected a source and a target file, found {len(words)}: {' '.join(words)}")
    if len(words) == 1 and not (format_of(Path(first)) or Path(first).is_dir() or is_pattern(Path(first))):
        raise ConfigError(f"{first}: expected SOURCE and TARGET files, or one file of pairs ({' '.join(FORMATS)})")
    config, notices = _chosen([*corpus_settings(words), *settings])
    return Plan(
        config, output or Path("runs") / f"{config.data.source_language}-{config.data.target_language}", notices
    )


def names_corpus(words: Sequence[str]) -> bool:
    """Tell the files of a corpus from a configuration's name or file."""
    return not is_config(words[0]) and (len(words) > 1 or _is_corpus(words[0]))


def _check_languages(data: DataConfig) -> None:
    if not data.source_language or not data.target_language:
        raise ConfigError(
            "the languages cannot be told from the file names; set data.source_language=en data.target_language=de"
        )


def _check_different(data: DataConfig, contradicting: Sequence[str]) -> None:
    source, target = check_language(data.source_language), check_language(data.target_language)
    if source == target:
        raise ConfigError(
            "; ".join([f"data.source_language and data.target_language are both {source}", *contradicting])
        )


def _chosen(settings: list[str]) -> tuple[Config, tuple[str, ...]]:
    """Choose a configuration around settings that name a corpus."""
    tree = read_settings(settings)
    start = tree.get("training", {}).get("start_from")
    if start:
        from ferryman.workflows.fine_tuning import inherited_settings  # loads PyTorch, which few who plan need

        tree = read_settings([*inherited_settings(Path(start)), *settings])
    data = parse_config({"data": tree["data"]}, "the settings").data
    _check_languages(data)
    contradicting = contradictions(data)
    _check_different(data, contradicting)
    recipe = _recipe(data, tree)
    for key, value in recipe.settings.items():
        section, _, name = key.partition(".")
        tree.setdefault(section, {})[name] = value
    return parse_config(tree, "the settings, with what was chosen around them"), (*contradicting, *recipe.reasons)


def _recipe(data: DataConfig, tree: dict[str, Any]) -> Recipe:
    """Look at the corpus and the machine."""
    from ferryman.engines.devices import choose_device, choose_precision, measure_gflops, set_threads  # loads PyTorch

    training = tree.get("training", {})
    device = choose_device(training.get("device", "auto"))
    precision = choose_precision(training.get("precision", "auto"), device)
    threads = set_threads(training.get("threads", 0))
    machine = Machine(device.type, threads, measure_gflops(device, precision))
    given = {f"{section}.{key}": value for section, keys in tree.items() for key, value in keys.items()}
    used = [corpus for corpus in data.every_corpus.values() if corpus.weight]
    return choose(together([_survey(corpus, data) for corpus in used]), machine, given)


def _survey(corpus: CorpusConfig, data: DataConfig) -> Survey:
    languages = corpus.source_language, corpus.target_language
    paths = resolve(data.directory, corpus.train, languages)
    return survey(
        paths, languages=languages, columns=corpus.columns or data.columns, fields=corpus.fields or data.fields
    )


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
