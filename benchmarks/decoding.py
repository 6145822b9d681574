"""Decoding: ours beside CTranslate2, Hugging Face and a naive loop, with the same weights, in turns.

    python benchmarks/decoding.py --quick --json
    python benchmarks/decoding.py --json
    python benchmarks/decoding.py --device cuda --json

All sides run the same model (see ``decoding_peers/copying.py``), converted here, on token ids, and their translations
are compared first: a side that says something else is left out, with the reason. Then each finds its fastest
arrangement (processes, replicas of the model, threads of each, tokens of a batch) for every case:

    batch 1     one sentence after another
    batch 32    32 sentences at a time, of all lengths
    file        all sentences, batches made as the side likes best

with greedy search and beam 4, without length penalty, by one thread and by two. Each case is run by fresh processes in
turns, so that a machine whose speed drifts is fair to all, and the median of a side's turns counts. Peers are installed
in environments of their own the first time. ``--quick`` is the whole file with ``small-deep``, beam 4 and all threads
beside CTranslate2 alone. ``--device cuda`` is ours and Hugging Face on a GPU, in float32 and bfloat16.

Tokens are target tokens, end symbols counted. ``fraction_of_peak`` is the arithmetic that the search needs, by the time
and the machine's fastest matrix product with as many threads, in float32 (on a GPU: bfloat16);
``fraction_of_bandwidth``, of batch 1, the weights that have to be read, by the time and the fastest reading.
``start_seconds`` is from the start of a side's processes to their first translation; ``peak_megabytes`` adds up the
resident memory of its processes at its peak (a GPU's is not counted). A peer in int8 or bfloat16 is compared with ours
in the same. ``equal`` is the share of a side's translations that are ours in float32, ``log_prob_difference`` the
largest among these, in nats a token.
"""

import argparse
import json
import platform
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import torch

from decoding_peers.arithmetic import Limits, decoding_flop, weights_read
from decoding_peers.checking import EQUAL, DifferentError, agreement, check
from decoding_peers.copying import FORM, make_sentences
from decoding_peers.crews import ON_CPU, ON_GPU, SIDES, Arrangement, Yard
from decoding_peers.measuring import GPU_SIZES, QUICK_SIZES, THOROUGH_SIZES, Case, Plan, leave_out, measure
from decoding_peers.models import make_model
from decoding_peers.protocol import Task
from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.engines.devices import choose_device, set_threads
from ferryman.errors import FerrymanError
from peers.environments import NotInstalledError, default_folder
from peers.workers import WorkerError

QUICK = ("ferryman", "ferryman_int8", "ctranslate2_float32", "ctranslate2_int8")
SENTENCES = {1: 24, 32: 128}
CHECKED, CHECKED_BATCH = 200, 1024
QUICKLY_CHECKED = 100


Agreed = dict[str, dict[int, dict[str, float | None]]]
"""Of each side and beam, what ``checking.agreement`` found."""


def make_yard(config: Config, preset: str, arguments: argparse.Namespace, messages: Path) -> Yard:
    """Write the sentences and the model."""
    vocab = config.tokenizer.vocab_size
    sentences = messages / "sentences.json"
    rows = make_sentences(vocab, arguments.sentences)
    sentences.write_text(json.dumps(rows), encoding="utf-8")
    task = Task(
        folder=str(make_model(config, arguments.environments)),
        sentences=str(sentences),
        preset=preset,
        settings=[*FORM, *arguments.settings],
        pad=vocab - 1,
        max_length=2 * max(map(len, rows)) + 20,
        device=arguments.device,
        compute="float32",
        replicas=1,
        threads=1,
    )
    return Yard(task, arguments.environments, messages)


def agreeing(names: list[str], yard: Yard, cases: list[Case], missing: dict[str, str]) -> Agreed:
    """Tell how far what the others say agrees with ours, by beam; say in ``missing`` why some are left out."""
    found: Agreed = {}
    for case in cases:
        ours: list[Any] = []
        for name in [name for name in names if name not in missing]:
            share = SIDES[name].share
            try:
                crew = yard.borrow(name, Arrangement(threads=case.threads))
                said = crew.work(case.request(share, CHECKED_BATCH, outputs=True))["outputs"]
                if name == "ferryman":
                    ours = said
                    continue
                same = agreement(ours[::share], said)
                found.setdefault(name, {})[case.beam] = same
                check(same, SIDES[name].compute)
            except (NotInstalledError, WorkerError, DifferentError) as error:
                leave_out(name, error, missing)
    return found


def judge(config: Config, case: Case, sides: dict[str, Any], yard: Yard, limits: tuple[float, float]) -> dict[str, Any]:
    """Put ratios and shares of what the machine can do beside the figures of a case."""
    vocab, (peak, bandwidth) = config.tokenizer.vocab_size, limits
    rows = json.loads(Path(yard.task.sentences).read_text(encoding="utf-8"))[: case.sentences]
    lengths = [(len(row) + 1, len(row) + 1) for row in rows]
    tokens = sum(target for _, target in lengths)
    flop = decoding_flop(config.model, vocab, lengths, case.beam) / tokens
    for name, side in sides.items():
        rate = side["tokens_per_second"]
        side["fraction_of_peak"] = round(flop * rate / peak, 3)
        if case.at_once == 1:
            read = weights_read(config.model, vocab, lengths, SIDES[name].compute) / tokens
            side["fraction_of_bandwidth"] = round(read * rate / bandwidth, 3)
    rates = {name: side["tokens_per_second"] for name, side in sides.items()}
    ours = {compute: rates.get(f"ferryman_{compute}", rates["ferryman"]) for compute in EQUAL}
    return {
        **{
            f"ratio_vs_{name}": round(ours[SIDES[name].compute] / rate, 3)
            for name, rate in rates.items()
            if not name.startswith("ferryman")
        },
        "peak_gflop_per_second": round(peak / 1e9, 1),
        "bandwidth_gigabytes_per_second": round(bandwidth / 1e9, 1),
        "mflop_per_target_token": round(flop / 1e6, 2),
        "sides": sides,
    }


def run_preset(preset: str, arguments: argparse.Namespace, missing: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Give the figures of every case, and say in ``missing`` why a side has none."""
    config = load_config(preset, [*FORM, *arguments.settings])
    sizes = GPU_SIZES if arguments.device == "cuda" else QUICK_SIZES if arguments.quick else THOROUGH_SIZES
    plan, limits = Plan(arguments.rounds, sizes), Limits(choose_device(arguments.device))
    with tempfile.TemporaryDirectory() as folder, closing(make_yard(config, preset, arguments, Path(folder))) as yard:
        count = min(QUICKLY_CHECKED if arguments.quick else CHECKED, arguments.sentences)
        checks = [Case(count, 0, beam, max(arguments.threads)) for beam in arguments.beams]
        agreed = agreeing(arguments.sides, yard, checks, missing)
        for threads, beam, at_once in product(arguments.threads, arguments.beams, arguments.batches):
            count = min(arguments.sentences, SENTENCES.get(at_once, arguments.sentences))
            case = Case(count, at_once, beam, threads)
            names = [name for name in arguments.sides if name not in missing]
            limits.measure(threads)
            sides = measure(case, names, yard, plan, missing)
            about = {"preset": preset, "threads": threads, "beam": beam, "batch": at_once or "file"}
            figures = judge(config, case, sides, yard, limits.measure(threads))
            for name, same in agreed.items():
                figures["sides"].get(name, {}).update(same[beam])
            yield {**about, **figures}


def processor(device: str) -> str:
    """Name the machine's processor, or its GPU."""
    if device == "cuda":
        return torch.cuda.get_device_name()
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return platform.processor()
    names = [line for line in information.read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
    return names[0].partition(":")[2].strip() if names else platform.machine()


def headline(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    """Pick the ratios that stand for all: small-deep, beam 4, a whole file, as many threads as there are."""
    stand = ("small-deep", 4, "file")
    found = [row for row in rows if (row["preset"], row["beam"], row["batch"]) == stand]
    most = max(found, key=lambda row: row["threads"], default={})
    return {name: most.get(name) for name in ("ratio_vs_ctranslate2_float32", "ratio_vs_ctranslate2_int8")}


def show(row: dict[str, Any]) -> None:
    """Print a case for people."""
    print("  ".join(f"{name} {value}" for name, value in row.items() if name != "sides"))
    for name, side in row.get("sides", {}).items():
        print(f"{name:>22}  " + "  ".join(f"{figure} {value}" for figure, value in side.items()))


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="*", help="as section.key=value, such as decoding.engine=torch")
    parser.add_argument("--quick", action="store_true", help="one case, under two minutes")
    parser.add_argument("--presets", nargs="+", default=["small-deep", "base"])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--sides", nargs="+", choices=SIDES, help="by default, all that run there")
    parser.add_argument("--threads", nargs="+", type=int, help="by default, one, and on a CPU also all")
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 4])
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 32, 0], help="sentences at a time; 0: a file")
    parser.add_argument("--sentences", type=int, default=1000, help="of the file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--environments", type=Path, default=default_folder(), help="where peers and models are kept")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_intermixed_args()
    on_gpu = arguments.device == "cuda"
    arguments.sides = arguments.sides or list(ON_GPU if on_gpu else ON_CPU)
    arguments.threads = arguments.threads or ([1] if on_gpu else sorted({1, set_threads(0)}))
    if arguments.quick:
        arguments.presets, arguments.beams, arguments.batches = ["small-deep"], [4], [0]
        arguments.threads, arguments.rounds = [1 if on_gpu else set_threads(0)], 2
        arguments.sides = list(ON_GPU if on_gpu else QUICK)
    return arguments


def main() -> None:
    """Run all cases and print the figures of each, and the ratios of the quick case if it was among them."""
    arguments = read_arguments()
    missing: dict[str, str] = {}
    rows = []
    try:
        for preset in arguments.presets:
            for row in run_preset(preset, arguments, missing):
                rows.append(row)
                if not arguments.json:
                    show(row)
    except (FerrymanError, WorkerError) as error:
        raise SystemExit(str(error)) from error
    result = {
        **headline(rows),
        "torch": torch.__version__,
        "processor": processor(arguments.device),
        "missing": missing,
    }
    if arguments.json:
        print(json.dumps({**result, "cases": rows}))
    else:
        show(result)


if __name__ == "__main__":
    main()
