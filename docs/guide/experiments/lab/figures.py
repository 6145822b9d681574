"""How the guide's figures look: light ground of their own, so that they are legible on dark pages too."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[2] / "understand" / "figures"
COLOURS = ("#0b6e8f", "#c4541a", "#3c8031", "#7b4fa3", "#8a6d00", "#666666")
STYLE = {
    "svg.hashsalt": "ferryman",  # so that the same figure is the same file
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "figure.facecolor": "#ffffff",
    "savefig.facecolor": "#ffffff",
    "legend.frameon": False,
}


def panels(count: int, *, width: float = 4.2, height: float = 3.3) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels side by side; sizes in inches, of one panel."""
    plt.rcParams.update(STYLE)
    figure, axes = plt.subplots(1, count, figsize=(width * count, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def save(figure: Figure, name: str) -> None:
    """Write a figure as ``NAME.svg``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
