"""Make the guide: run its experiments, draw its figures, check every number and link it has.

    python docs/guide/make.py             everything, from the training of the guide's translator on
    python docs/guide/make.py 04 09       some chapters
    python docs/guide/make.py --accept    take what was found into results.json and the text; then read that again
    python docs/guide/make.py --links     only let the links lead to the lines where the code is now

Exits with 1 when a number said is not what was found.
"""

import argparse
import importlib.util
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
EXPERIMENTS = HERE / "experiments"
RESULTS = EXPERIMENTS / "results.json"
sys.path[:0] = [str(HERE), str(EXPERIMENTS)]

import chapters  # noqa: E402 - its folder is known now

Experiment = Callable[[bool], dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(description="Make the guide.")
    parser.add_argument("numbers", nargs="*", metavar="NN", help="chapters; without any, all")
    parser.add_argument("--accept", action="store_true", help="take what was found into the text")
    parser.add_argument("--links", action="store_true", help="refresh line numbers only")
    parser.add_argument(
        "--short", action="store_true", help="only see that the experiments run: no results, no figures"
    )
    asked = parser.parse_args(arguments)
    for page in chapters.chapters():
        chapters.refresh_links(page)
    if asked.links:
        return tell(problem for page in chapters.chapters() for problem in chapters.link_problems(page))
    if not asked.numbers and not asked.short:
        shutil.rmtree(HERE.parents[1] / "runs" / "guide", ignore_errors=True)
    found = run(asked.numbers, short=asked.short)
    if asked.short:
        return 0
    if asked.accept:
        accept(found)
    return tell(problems(found, {key[:2] for key in found}))


def run(chosen: Sequence[str], *, short: bool) -> dict[str, float]:
    """Run experiments one after another; return their results, each key with its chapter before it."""
    found: dict[str, float] = {}
    for number, path in experiments().items():
        if chosen and number not in chosen:
            continue
        began, used = time.monotonic(), time.process_time()
        results = load(path)(short)
        found |= {f"{number}.{key}": value for key, value in results.items()}
        print(f"{path.stem}: {time.monotonic() - began:.0f} s, {time.process_time() - used:.0f} s of processor time")
        for key, value in results.items():
            print(f"  {number}.{key} = {value:.6g}", flush=True)
    return found


def experiments() -> dict[str, Path]:
    """List the experiments by chapter number."""
    return {path.name[:2]: path for path in sorted(EXPERIMENTS.glob("[0-9][0-9]_*.py"))}


def load(path: Path) -> Experiment:
    """Import an experiment and return its ``run``."""
    spec = importlib.util.spec_from_file_location(f"guide_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    experiment: Experiment = module.run
    return experiment


def committed() -> dict[str, float]:
    """Read the results that the text was written from."""
    results: dict[str, float] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return results


def accept(found: dict[str, float]) -> None:
    """Take results into ``results.json`` and the text."""
    chosen = {key[:2] for key in found}
    kept = {key: value for key, value in committed().items() if key[:2] not in chosen}
    rounded = {key: float(f"{value:.6g}") for key, value in found.items()}
    whole = dict(sorted((kept | rounded).items()))
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8", newline="\n")
    for page in chapters.chapters():
        chapters.accept_numbers(page, found)


def problems(found: dict[str, float], chosen: set[str]) -> list[str]:
    """Compare what the chapters say with what was found."""
    said = [number for page in chapters.chapters() for number in chapters.numbers(page) if number.key[:2] in chosen]
    wrong = [number.problem(found, fresh=True) for number in said]
    return [problem for problem in wrong if problem is not None]


def tell(found: Iterable[str]) -> int:
    """Print problems; return the exit status."""
    listed = list(found)
    print("\n".join(listed) if listed else "the guide says what was found")
    return 1 if listed else 0


if __name__ == "__main__":
    sys.exit(main())
