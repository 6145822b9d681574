"""The models that are served, and the ways from one language to another through them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ferryman.config import DecodingConfig
from ferryman.documents.translating import Tools, open_tools
from ferryman.errors import ConfigError
from ferryman.explain import trace
from ferryman.serving.refusals import LanguageError
from ferryman.text.directions import directions, source_of
from ferryman.text.languages import base_language, check_language
from ferryman.translator import Translation, Translator


@dataclass(frozen=True, eq=False)
class Served:
    """A translator and what it is called."""

    name: str
    translator: Translator

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The languages it translates from and into."""
        return [(each.source, each.target) for each in directions(self.translator.config.data)]

    @cached_property
    def tools(self) -> dict[str, Tools]:
        """The memory and the glossary that ``documents`` names, by the language translated into.

        Raises:
            ConfigError, DataError: one cannot be read.

        """
        config = self.translator.config
        targets = dict.fromkeys(target for _, target in self.pairs)
        return {
            target: open_tools(self.translator, (source_of(config.data, target), target), config.documents)
            for target in targets
        }


@dataclass(frozen=True)
class Hop:
    """One translation: a model, from a language into another."""

    model: Served
    source: str
    target: str


@dataclass(frozen=True)
class Manner:
    """How sentences are translated: those of the same manner can be translated together."""

    model: Served
    target: str
    decoding: DecodingConfig

    def perform(self, texts: Sequence[str]) -> list[Translation]:
        """Translate texts, each by itself, with the glossary's terms; see ``Translator.translate``."""
        found, enforcer = self.model.translator.translate(texts, self.decoding, to=self.target), self.tools.enforcer
        return found if enforcer is None else replace(enforcer, decoding=self.decoding).enforce(texts, found)

    @property
    def tools(self) -> Tools:
        """The model's memory and glossary."""
        return self.model.tools[self.target]

    def recall(self, text: str) -> Translation | None:
        """Return the translation that the memory has of a text; none where several are wanted."""
        return self.tools.recall(text) if self.decoding.n_best == 1 else None


@dataclass(frozen=True)
class Explanation:
    """How sentences are looked into."""

    model: Served
    target: str

    def perform(self, texts: Sequence[str]) -> list[str]:
        """Trace the translation of each text; return the traces as JSON. Raises what ``trace`` raises."""
        return [trace(self.model.translator, text, to=self.target).to_json() for text in texts]


class Fleet:
    """All models, by what they translate; of several for the same languages the first is taken."""

    def __init__(self, models: Sequence[Served], pivot: str = "") -> None:
        """Set up; ``pivot`` is the language to go through where there is no direct way.

        Raises:
            ConfigError: a model does not tell its languages, or ``pivot`` is none of them; a memory or a glossary
                cannot be read, or does not tell for which of several directions it is.

        """
        self.models = list(models)
        self._hops: dict[tuple[str, str], Hop] = {}
        for model in models:
            for source, target in model.pairs:
                if not source or not target:
                    raise ConfigError(
                        f"{model.name}: the model does not say from which language into which it translates, which a "
                        "server must know; set data.source_language and data.target_language in its config.yaml"
                    )
                self._hops.setdefault((source, target), Hop(model, source, target))
        self.languages = list(dict.fromkeys(code for pair in self._hops for code in pair))
        self.pivot = pivot and self._pivot(pivot)
        _check_files(models)
        for model in models:
            _ = model.tools  # what cannot be read is told now

    @property
    def sources(self) -> list[str]:
        """The languages that can be translated from."""
        return list(dict.fromkeys(source for source, _ in self._hops))

    @property
    def reachable(self) -> list[str]:
        """The languages that can be translated into."""
        return [code for code in self.languages if any(target == code for _, target in self._hops)]

    def targets(self, source: str) -> list[str]:
        """List the languages that one can be translated into."""
        return [code for code in self.languages if code != source and self._route(source, code)]

    def find(self, code: str) -> str:
        """Return the served language that a code means: ``zh`` may mean ``zh-Hans``.

        Raises:
            LanguageError: there is none.

        """
        try:
            wanted = check_language(code)
        except ConfigError as error:
            raise LanguageError(f"{str(error).rstrip('.')}; there are: {', '.join(self.languages)}") from error
        if wanted in self.languages:
            return wanted
        for known in self.languages:
            if base_language(known) == base_language(wanted):
                return known
        raise LanguageError(f"{code} is not supported; there are: {', '.join(self.languages)}")

    def route(self, source: str, target: str, via: str = "", model: str = "") -> list[Hop]:
        """Return the translations that lead from one served language to another; none if they are the same.

        Args:
            source: language of the text.
            target: language wanted.
            via: language to go through.
            model: name of the one model to translate with.

        Raises:
            LanguageError: there is no way.

        """
        if model:
            return [self._named(model, source, target)]
        if source == target:
            return []
        hops = self._through(source, via, target) if via else self._route(source, target)
        if hops:
            return hops
        through = f" through {via}" if via else ""
        possible = "; ".join(f"{one} → {', '.join(self.targets(one))}" for one in self.sources)
        raise LanguageError(f"no model translates from {source} into {target}{through}; there are: {possible}")

    def _named(self, name: str, source: str, target: str) -> Hop:
        for model in self.models:
            if model.name == name:
                if (source, target) in model.pairs:
                    return Hop(model, source, target)
                shown = ", ".join(f"{one} → {two}" for one, two in model.pairs)
                raise LanguageError(f"model {name} does not translate from {source} into {target}, only {shown}")
        raise LanguageError(f"no model is called {name}; there are: {', '.join(model.name for model in self.models)}")

    def _route(self, source: str, target: str) -> list[Hop]:
        if hop := self._hops.get((source, target)):
            return [hop]
        return self._through(source, self.pivot, target) if self.pivot else []

    def _through(self, source: str, via: str, target: str) -> list[Hop]:
        hops = [self._hops.get((source, via)), self._hops.get((via, target))]
        return [hop for hop in hops if hop] if all(hops) else []

    def _pivot(self, code: str) -> str:
        try:
            return self.find(code)
        except LanguageError as error:
            raise ConfigError(f"serving.pivot: {error}") from error


def _check_files(models: Sequence[Served]) -> None:
    """Refuse a memory or glossary for several directions that does not tell for which its pairs are."""
    for key in ("memory", "glossary"):
        directions_of: dict[Path, set[tuple[str, str]]] = {}
        for model in models:
            path = getattr(model.translator.config.documents, key)
            if path is not None and path.suffix.lower() != ".tmx":
                directions_of.setdefault(path, set()).update(model.pairs)
        for path, pairs in directions_of.items():
            if len(pairs) > 1:
                shown = ", ".join(f"{source} → {target}" for source, target in sorted(pairs))
                raise ConfigError(
                    f"documents.{key}: {path} does not say its languages, and would be for {shown}; take a .tmx file, "
                    "or name it in the config.yaml of one model"
                )


def protected(hops: Sequence[Hop], changes: dict[str, Any]) -> tuple[str, ...]:
    """Return what all models on a way have to protect, so that none loses what another would have kept."""
    kinds = [kind for hop in hops for kind in hop.model.translator.config.decoding.protect]
    return tuple(dict.fromkeys([*kinds, *changes.get("protect", ())]))


def keeping_tags(hops: Sequence[Hop]) -> dict[str, Any]:
    """Return what to change of the last model's ``decoding`` so that tags are kept; nothing if they are anyway."""
    protect = hops[-1].model.translator.config.decoding.protect if hops else ("tag",)
    return {} if "tag" in protect else {"protect": (*protect, "tag")}


def name_models(folders: Sequence[Path]) -> list[str]:
    """Name models after their folders, and those of the same name by a number too."""
    names: list[str] = []
    for folder in folders:
        base = folder.resolve().name
        taken = sum(name == base or name.startswith(f"{base}-") for name in names)
        names.append(base if base not in names else f"{base}-{taken + 1}")
    return names
