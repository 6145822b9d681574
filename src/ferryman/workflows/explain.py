"""Explanations as files: a trace as JSON, a page or a picture, and the curves of a run."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from ferryman.corpus.phrasebook import find_test_pair
from ferryman.errors import ConfigError
from ferryman.explain import Trace, trace
from ferryman.explain.curves import draw_curves
from ferryman.explain.plots import ENDINGS, check_matplotlib, draw_alignment, draw_attention
from ferryman.workflows.load import load_ready

View = Literal["alignment", "encoder", "decoder", "cross"]
DEMO_CORPUS = "corpus"  # in the folder of a demonstration
_OURS = b"ferryman"
_HEAD = 4096  # bytes in which a file of ours names this program


def check_output(path: Path, endings: tuple[str, ...]) -> None:
    """Refuse an output that cannot be written, or would take the place of something else, before any work is done.

    Raises:
        ConfigError: the ending is none of these, matplotlib is missing, or what is there was not written by Ferryman.

    """
    if path.suffix.lower() not in endings:
        raise ConfigError(f"{path}: the name must end in {', '.join(endings[:-1])} or {endings[-1]}")
    if path.suffix.lower() in ENDINGS:
        check_matplotlib()
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(_HEAD).lower()
        if head and _OURS not in head:
            raise ConfigError(f"{path} was not written by ferryman, and would be replaced; choose another --output")


def explain(folder: Path, text: str, overrides: list[str], *, to: str | None = None) -> Trace:
    """Load a model and trace one sentence; the alignment of a demonstration's test sentence is measured.

    Raises:
        CheckpointError: the folder is no model.
        ConfigError: a setting is wrong.
        TranslationError: see ``ferryman.explain.trace``.

    """
    translator = load_ready(folder, overrides, to=to)
    gold = find_test_pair(folder / DEMO_CORPUS, text.strip(), translator.target_language(to))
    found = trace(translator, text, gold=gold)
    return replace(found, model=replace(found.model, name=folder.resolve().name))


def write_explanation(found: Trace, path: Path, view: View, layer: int | None) -> str:
    """Write a trace as JSON or a picture, by the ending of ``path``; return the characters that no font here has.

    Raises:
        ConfigError: there is no such layer.

    """
    if path.suffix.lower() in ENDINGS:
        if view == "alignment":
            return draw_alignment(found, path)
        return draw_attention(found, view, path, layer)
    found.save(path)
    return ""


def plot_run(run: Path, output: Path | None) -> Path:
    """Draw the curves of a training run; return where.

    Raises:
        DataError: it is no run, or has no figures yet.
        ConfigError: see ``check_output``.

    """
    path = output or run / "curves.png"
    check_output(path, ENDINGS)
    draw_curves(run, path)
    return path
