"""From a name, a YAML file and ``section.key=value`` overrides to a checked ``Config``, and back to YAML."""

import difflib
import io
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ferryman.config import Config
from ferryman.errors import ConfigError

Tree = dict[str, Any]


def config_names() -> list[str]:
    """Name the configurations that ship with the package."""
    folder = resources.files("ferryman") / "configs"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def load_config(name_or_path: str | Path | None, overrides: Sequence[str] = ()) -> Config:
    """Read a configuration: defaults, then the file, then the overrides.

    Args:
        name_or_path: a shipped configuration's name, the path of a YAML file, or None for the defaults.
        overrides: texts ``section.key=value``; the value is read as YAML.

    Raises:
        ConfigError: file missing, not YAML, an unknown key (with a suggestion) or an impossible value.
    """
    where, tree = ("the defaults", {}) if name_or_path is None else _read(name_or_path)
    given: Tree = {}
    for override in overrides:
        _apply(tree, override)
        _apply(given, override)
    if problem := next(_unknown_keys(given, Config, ""), None):
        raise ConfigError(f"the settings: {problem}")
    return parse_config(tree, where, overrides)


def change_config(config: Config, overrides: Sequence[str]) -> Config:
    """Change a configuration by ``section.key=value`` texts.

    Raises:
        ConfigError: an unknown key (with a suggestion) or an impossible value.
    """
    tree, settings = config.model_dump(mode="json"), read_settings(overrides)
    for override in overrides:
        _apply(tree, override)
    return parse_config(tree, "the configuration", overrides) if settings else config


def read_settings(settings: Sequence[str]) -> Tree:
    """Read ``section.key=value`` texts into a nested mapping, for more to be put beside them.

    Every value is checked by itself; whether they go together, ``parse_config`` says of the whole.

    Raises:
        ConfigError: an unknown key (with a suggestion) or an impossible value.
    """
    tree: Tree = {}
    for setting in settings:
        _apply(tree, setting)
    if problem := next(_unknown_keys(tree, Config, ""), None):
        raise ConfigError(f"the settings: {problem}")
    try:
        Config.model_validate(tree)
    except ValidationError as error:
        if wrong := [one for one in error.errors() if one["type"] != "value_error"]:
            raise ConfigError(f"the settings: {_explain(wrong[0])}") from error
    return tree


def parse_config(tree: Mapping[str, Any], where: str, settings: Sequence[str] = ()) -> Config:
    """Check a nested mapping and make it a ``Config``.

    Args:
        tree: sections and their keys.
        where: names its origin in messages.
        settings: those of its values that came as ``section.key=value`` texts instead.

    Raises:
        ConfigError: an unknown key (with a suggestion) or an impossible value.
    """
    problem = next(_unknown_keys(tree, Config, ""), None)
    if problem:
        raise ConfigError(f"{where}: {problem}")
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        problem = _explain(error.errors()[0])
        raise ConfigError(f"{'the settings' if _is_about(problem, settings) else where}: {problem}") from error


def _is_about(problem: str, settings: Sequence[str]) -> bool:
    """Tell whether a problem is with the value of one of these settings, or with a part of it."""
    key = problem.partition(":")[0]
    return any(f"{key}.".startswith(f"{setting.partition('=')[0]}.") for setting in settings)


def dump_config(config: Config, *, only_changes: bool = False) -> str:
    """Write a configuration as YAML, all of it or what differs from the defaults.

    Of ``documents`` and ``serving``, which are no part of a run, only that they were set.
    """
    stream = io.StringIO()
    yaml = YAML()
    yaml.default_flow_style = None
    yaml.width = 120
    unset = {name for name in ("documents", "serving") if getattr(config, name) == Config.model_fields[name].default}
    yaml.dump(config.model_dump(mode="json", exclude=unset, exclude_defaults=only_changes), stream)
    return stream.getvalue()


def is_config(name_or_path: str | Path) -> bool:
    """Whether this names a configuration: one that ships, or a YAML file."""
    return str(name_or_path) in config_names() or Path(name_or_path).suffix in (".yaml", ".yml")


def _read(name_or_path: str | Path) -> tuple[str, Tree]:
    name = str(name_or_path)
    if name in config_names():
        text = (resources.files("ferryman") / "configs" / f"{name}.yaml").read_text(encoding="utf-8")
        return f"config {name}", _parse_yaml(text, name)
    path = Path(name_or_path)
    if not path.is_file():
        raise ConfigError(f"{path}: no such file, and no configuration of that name{_suggest(name, config_names())}")
    try:
        return str(path), _parse_yaml(path.read_text(encoding="utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from error


def _parse_yaml(text: str, where: str) -> Tree:
    try:
        tree = YAML(typ="safe", pure=True).load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigError(f"{where}, line {line}: not YAML: {error.problem}") from error
    except YAMLError as error:
        raise ConfigError(f"{where}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise ConfigError(f"{where}: nested too deeply; a configuration has sections and their keys") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(
            f"{where}: expected sections ({', '.join(Config.model_fields)}), found a {type(tree).__name__}"
        )
    return tree


def _apply(tree: Tree, override: str) -> None:
    key, equals, text = override.partition("=")
    parts = key.split(".")
    if not equals or len(parts) < 2 or not all(parts):
        raise ConfigError(f"{override!r}: expected section.key=value, such as training.minutes=15")
    value = _parse_value(text)
    node = tree
    for part in parts[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            raise ConfigError(f"{override!r}: {part} is not a section")
    node[parts[-1]] = value


def _parse_value(text: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(text) if text.strip() else None
    except (YAMLError, RecursionError):
        return text  # such as {source}.txt, which is no YAML


def _unknown_keys(tree: Mapping[str, Any], section: type[BaseModel], prefix: str) -> Iterator[str]:
    for key, value in tree.items():
        if key not in section.model_fields:
            where = f"in section {prefix.rstrip('.')}" if prefix else "as a section"
            yield f"unknown key {prefix}{key} {where}{_suggest(str(key), list(section.model_fields), prefix)}"
            continue
        kind, named = section_kind(section.model_fields[key].annotation)
        if kind is None:
            continue
        for path, inner in _named(value, f"{prefix}{key}") if named else [(f"{prefix}{key}", value)]:
            if not isinstance(inner, Mapping):
                yield f"{path}: expected a section with keys, found {inner!r}"
            else:
                yield from _unknown_keys(inner, kind, f"{path}.")


def _named(sections: Any, path: str) -> list[tuple[str, Any]]:
    """List sections that have names of the user's choice."""
    if not isinstance(sections, Mapping):
        return [(path, sections)]
    return [(f"{path}.{name}", inner) for name, inner in sections.items()]


def section_kind(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """Tell whether a key holds a section, and of which kind; and whether it holds many of them, by name."""
    kinds = get_args(annotation)
    named = get_origin(annotation) is dict
    kind = kinds[1] if named else annotation
    return (kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None), named


def _suggest(word: str, candidates: Sequence[str], prefix: str = "") -> str:
    close = difflib.get_close_matches(word, candidates, n=1, cutoff=0.5)
    return f"; did you mean {prefix}{close[0]}?" if close else f"; there are: {', '.join(candidates)}"


def _explain(first: ErrorDetails) -> str:
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":
        # Our own checks begin with the key they are about.
        return f"{key}.{message}" if key else message
    return f"{key}: {message[0].lower()}{message[1:]}, found {first['input']!r}"
