"""Whether a model and its conversion translate alike: sample sentences, through both sides from text to text."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferryman.checkpoint import assemble
from ferryman.corpus.phrasebook.generate import generate
from ferryman.interop.stored_model import StoredModel
from ferryman.text.directions import Direction, directions
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.languages import base_language
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator import Translation, Translator

SAMPLES, WORDS = 20, 6
BROKEN = "\N{REPLACEMENT CHARACTER}"
PLAIN: dict[str, Any] = {
    "length_penalty": 0.0,  # theirs have other formulas
    "min_length": 0,
    "fallback": False,
    "protect": (),
    "split_sentences": False,
    "n_best": 1,
    "beam_groups": 1,
    "sampling": False,
    "engine": "auto",
    "device": "cpu",
}
"""Settings under which the search of every toolkit is the same."""


@dataclass(frozen=True)
class Task:
    """What both sides translate."""

    texts: Sequence[str]
    to: str
    beam: int
    limits: Sequence[int]
    """Most tokens of each translation, the end symbol counted."""


Peer = Callable[[Task], list[str]]
"""Translates; made by whoever knows the other toolkit."""


@dataclass(frozen=True)
class Agreement:
    """How many sentences both sides translate alike."""

    peer: str
    sentences: int
    equal: int
    difference: tuple[str, str, str] | None
    """The first that is not: the source, our translation and theirs."""

    def to_json(self) -> dict[str, Any]:
        """Give it as a value that ``json`` can write."""
        return vars(self)


def compare(model: StoredModel, peer: Peer, name: str, texts: Sequence[str] | None = None) -> Agreement:
    """Translate with a model of ours and with ``peer``, whose name and version is ``name``.

    What the peer says with half a character in it, as untrained models do, is not compared: ours never does.

    Args:
        model: ours.
        peer: the other side.
        name: what to call it.
        texts: to translate; unset: ``samples``.

    """
    direction, decoding = next(iter(directions(model.config.data))), model.config.decoding
    chosen = list(texts) if texts is not None else samples(model.tokenizers.source, direction)
    found = _translations(model, chosen, direction.target)
    ended = [(text, one) for text, one in zip(chosen, found, strict=True) if "truncated" not in one.flags]
    limits = [len(one.tokens) + decoding.max_length_extra for _, one in ended]
    task = Task([text for text, _ in ended], direction.target, decoding.beam, limits)
    sides = zip(task.texts, [one.text for _, one in ended], peer(task), strict=True)
    pairs = [(text, ours, theirs) for text, ours, theirs in sides if BROKEN in ours or BROKEN not in theirs]
    different = [pair for pair in pairs if pair[1] != pair[2]]
    return Agreement(name, len(pairs), len(pairs) - len(different), different[0] if different else None)


def read_back(model: StoredModel) -> tuple[Peer, str]:
    """Take a model that was read back for the other side, and name it, where there is no other toolkit."""
    return (
        lambda task: [one.text for one in _translations(model, task.texts, task.to)],
        "Ferryman, which read it back",
    )


def _translations(model: StoredModel, texts: Sequence[str], to: str) -> list[Translation]:
    network = assemble(model.weights, model.config, model.tokenizers, Path())
    translator = Translator(network, model.config, model.tokenizers)
    decoding = model.config.decoding.model_copy(update=PLAIN)
    return [translator.translate([text], decoding, to=to)[0] for text in texts]


def samples(tokenizer: Tokenizer, direction: Direction) -> list[str]:
    """Take English sentences of the phrasebook; of another language, make texts of the words in the vocabulary."""
    if direction.source and base_language(direction.source) in ("en", "eng"):
        return [pair.source for pair in generate("de", "test", SAMPLES)]
    spelled = [spelling.decode(errors="replace") for spelling in tokenizer.spellings]
    words = [text.replace(SPACE_SYMBOL, "") for text in spelled if SPACE_SYMBOL in text]
    words = [word for word in words if word.isalpha()] or ["a"]
    chance = random.Random(1)
    return [" ".join(chance.choices(words, k=chance.randint(1, WORDS))) for _ in range(SAMPLES)]
