"""Time to quality: BLEU over the minutes of training, from an empty folder on.

    python benchmarks/time_to_quality.py multi30k data/multi30k --minutes 5 15

Trains the corpus's own configuration once for every budget, evaluates each model on the test set as ``ferryman
evaluate`` does, and writes ``CORPUS.csv`` (validations while training, and the test at its end) and ``CORPUS.png`` to
the output folder. What is finished there is not trained again, and what was interrupted goes on; so the picture can be
drawn anew. Validation translates greedily, the test with the configuration's beam. The picture needs matplotlib (extra
``plot``).
"""

import argparse
import csv
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import cycle
from pathlib import Path
from types import ModuleType
from typing import Any

from ferryman.files import replacing, write_text

TESTS = {"multi30k": ["test2016.en", "test2016.de"], "tatoeba-en-zh": ["test.tsv"]}
REFERENCES = {"multi30k": (33.7, "fairseq 0.12.2 after 15 minutes, on test2016: 33.7")}
"""What a peer reached on the same test set on a machine of this kind, by the same signature."""
TITLES = {"multi30k": "Multi30k, English to German", "tatoeba-en-zh": "Tatoeba, English to Chinese"}
COLOURS = ["#9a6fb0", "#2a78b5", "#d1682c", "#3d8c5c"]


@dataclass(frozen=True)
class Point:
    """One figure of a learning curve: a line of the CSV."""

    corpus: str
    budget: str  # such as "15 minutes"
    seconds: float  # of training, everything from the start of the process included
    step: int
    split: str  # "validation" or the test set's name
    bleu: float
    chrf: float
    signature: str  # of BLEU; validation, which chooses checkpoints, has none


def ferryman(*arguments: str | Path) -> str:
    """Run the command and return what it says on standard output.

    Raises:
        SystemExit: it failed, and has said why.

    """
    command = [sys.executable, "-m", "ferryman", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout


def train(arguments: argparse.Namespace, budget: str, setting: str) -> Path:
    """Train with a budget, or go on, or find it done; return the run's folder."""
    run: Path = arguments.output / f"{arguments.corpus}-{budget.replace(' ', '-')}"
    if run.exists():
        ferryman("train", "--resume", run)
    else:
        data = f"data.directory={arguments.data}"
        ferryman("train", arguments.corpus, "-o", run, data, setting, *arguments.settings)
    return run


def read_validations(run: Path, corpus: str, budget: str) -> list[Point]:
    """Read what a run's validations found."""
    points = []
    for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        event: dict[str, Any] = json.loads(line)
        if event["kind"] == "validation":
            found = event["figures"]
            at = (event["seconds"], event["step"])
            points.append(Point(corpus, budget, *at, "validation", found["bleu"], found["chrf"], ""))
    return points


def test(arguments: argparse.Namespace, run: Path, last: Point) -> Point:
    """Score a run's model on the corpus's test set."""
    names = TESTS[arguments.corpus]
    scores = json.loads(ferryman("evaluate", run, *(arguments.data / name for name in names), "--json"))
    bleu, chrf = scores["bleu"], scores["chrf"]
    found = (bleu["score"], chrf["score"], bleu["signature"])
    return Point(last.corpus, last.budget, last.seconds, last.step, Path(names[0]).stem, *found)


def write_csv(path: Path, points: Sequence[Point]) -> None:
    """Write a line a point."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(Point)], lineterminator="\n")
    writer.writeheader()
    for point in points:
        seconds, bleu, chrf = (round(value, 2) for value in (point.seconds, point.bleu, point.chrf))
        writer.writerow(asdict(point) | {"seconds": seconds, "bleu": bleu, "chrf": chrf})
    write_text(path, text.getvalue())


def draw(plt: ModuleType, path: Path, corpus: str, points: Sequence[Point]) -> None:
    """Draw BLEU over minutes: a line a budget, its test score at the end, and a peer's score to compare with."""
    figure, axes = plt.subplots(figsize=(8, 4.4), dpi=160, layout="constrained")
    for colour, budget in zip(cycle(COLOURS), dict.fromkeys(point.budget for point in points), strict=False):
        *curve, end = [point for point in points if point.budget == budget]
        x, label = end.seconds / 60, f"validation, {budget} of training"
        axes.plot(
            [p.seconds / 60 for p in curve], [p.bleu for p in curve], "-o", color=colour, ms=3.5, lw=2, label=label
        )
        axes.plot(x, end.bleu, "D", color=colour, ms=8.5, mec="white", clip_on=False, zorder=3)
        box = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"}
        where = {"xytext": (0, 10), "textcoords": "offset points", "ha": "center", "bbox": box}
        axes.annotate(f"{end.bleu:.1f}", (x, end.bleu), color=colour, weight="bold", **where)
    axes.plot([], [], "D", color="#555555", ms=7, label=f"the finished model on {points[-1].split}")
    if corpus in REFERENCES:
        score, label = REFERENCES[corpus]
        axes.axhline(score, color="#777777", ls=(0, (5, 3)), lw=1.2, label=label, zorder=1)
    axes.set(title=TITLES[corpus], xlabel="minutes, preparation of the text included", ylabel="BLEU")
    axes.set_xlim(0, max(point.seconds for point in points) / 60 * 1.04)
    axes.set_ylim(0, max(point.bleu for point in points) * 1.12 + 1)
    axes.grid(axis="y", color="#e4e4e4")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", facecolor="white")
    plt.close(figure)


def find_matplotlib() -> ModuleType | None:
    """Find what draws, set up to draw without a screen; None: it is not installed."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is missing; pip install 'ferryman[plot]', then run this again", file=sys.stderr)
        return None
    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"font.size": 11, "axes.titlesize": 13, "axes.titleweight": "bold", "axes.titlepad": 12})
    return pyplot


def main() -> None:
    """Train, evaluate, write the table and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", choices=TESTS, help="also the name of the configuration")
    parser.add_argument("data", type=Path, help="folder of the corpus")
    parser.add_argument("settings", nargs="*", help="for training, as section.key=value")
    budgets = parser.add_mutually_exclusive_group()
    budgets.add_argument("--minutes", type=float, nargs="+", default=[5.0, 15.0], help="budgets; default: 5 15")
    budgets.add_argument("--steps", type=int, nargs="+", help="budgets in optimiser steps instead")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/time-to-quality"))
    arguments = parser.parse_intermixed_args()
    plt = find_matplotlib()
    unit, amounts = ("steps", arguments.steps) if arguments.steps else ("minutes", arguments.minutes)
    points: list[Point] = []
    for amount in amounts:
        budget = f"{amount:g} {unit}"
        run = train(arguments, budget, f"training.{unit}={amount}")
        validations = read_validations(run, arguments.corpus, budget)
        points += [*validations, test(arguments, run, validations[-1])]
        write_csv(arguments.output / f"{arguments.corpus}.csv", points)
        print(f"{budget}: {points[-1].split} BLEU {points[-1].bleu:.1f} after {points[-1].seconds / 60:.1f} minutes")
    if plt:
        draw(plt, arguments.output / f"{arguments.corpus}.png", arguments.corpus, points)


if __name__ == "__main__":
    main()
