"""The curves of a training run (extra ``plot``), from its ``metrics.jsonl``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ferryman.errors import DataError
from ferryman.explain.plots import check_matplotlib, save_figure
from ferryman.training.metrics import read_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRICS = "metrics.jsonl"
Records = Sequence[dict[str, Any]]
_SCORES = {"bleu": "BLEU", "chrf": "chrF"}


def draw_curves(run: Path, path: Path) -> None:
    """Draw loss, validation scores and learning rate over the steps, as PNG or SVG by the ending of ``path``.

    Raises:
        DataError: the folder has no figures of a run.
        ConfigError: matplotlib is not installed, or the ending is another.

    """
    check_matplotlib()
    if not (run / METRICS).is_file():
        raise DataError(f"{run}: no {METRICS} in it; give the folder of a training run")
    records = read_metrics(run / METRICS)
    steps = [record for record in records if record.get("kind") == "step"]
    validations = [record for record in records if record.get("kind") == "validation"]
    if not steps and not validations:
        raise DataError(f"{run / METRICS}: no figures in it yet; train for training.log_every_steps steps at least")
    from matplotlib.figure import Figure

    scored = any(name in record["figures"] for record in validations for name in _SCORES)
    figure = Figure(figsize=(7.5, 2.6 * (2 + scored)), layout="constrained")
    panels = list(figure.subplots(2 + scored, 1, sharex=True))
    panels[0].set_title(run.resolve().name)
    _draw_loss(panels[0], steps, validations)
    if scored:
        _draw_scores(panels[1], validations)
    _line(panels[-1], steps, "learning_rate", label=None)
    panels[-1].set_ylabel("learning rate")
    panels[-1].set_xlabel("steps")
    for axes in panels:
        axes.grid(alpha=0.3)
    save_figure(figure, path)


def _draw_loss(axes: "Axes", steps: Records, validations: Records) -> None:
    _line(axes, steps, "loss", label="training, with label smoothing and dropout", color="#9db4c0")
    _line(axes, steps, "nll", label="training, with dropout", color="#0b6e8f")
    _line(axes, _figures(validations), "loss", label="validation", color="#d1495b", marker="o")
    axes.set_ylabel("nats a token")
    axes.legend(fontsize=8)


def _draw_scores(axes: "Axes", validations: Records) -> None:
    for name, label in _SCORES.items():
        _line(axes, _figures(validations), name, label=label, marker="o")
    axes.set_ylabel("validation, 0 to 100")
    axes.legend(fontsize=8)


def _figures(validations: Records) -> Records:
    return [{"step": record["step"], **record["figures"]} for record in validations]


def _line(axes: "Axes", records: Records, name: str, *, label: str | None, **style: Any) -> None:
    """Draw a figure by step, where it is known: it may have been no finite number."""
    points = [(record["step"], record[name]) for record in records if record.get(name) is not None]
    if points:
        axes.plot(*zip(*points, strict=True), label=label, **{"linewidth": 1.4, "markersize": 3.5, **style})
