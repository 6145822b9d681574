"""Memory and time to prepare a large corpus: reading, cleaning, training the tokenizer, writing the token store.

    python benchmarks/preparation.py --pairs 2000000 --json

The corpus is made of random words, seeded, about as long as everyday sentences. Memory is the process's peak resident
set, memory-mapped pages included.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from ferryman.config_file import load_config
from ferryman.workflows.prepare import prepare


def write_corpus(folder: Path, pairs: int) -> None:
    """Write two aligned files of random words, half of each sentence's words the same on both sides."""
    generator = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(generator.choices(letters, k=generator.randint(2, 9))) for _ in range(50_000)]
    with (folder / "train.en").open("w") as source, (folder / "train.de").open("w") as target:
        for number in range(pairs):
            length = generator.randint(4, 24)
            source.write(f"{number} {' '.join(generator.choices(words, k=length))}\n")
            target.write(f"{number} {' '.join(generator.choices(words, k=length))}\n")


def main() -> None:
    """Prepare a corpus and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), arguments.pairs)
        settings = ["data.source_language=en", "data.target_language=de", f"data.directory={folder}"]
        config = load_config("small", settings)
        times = []
        for _ in range(2):
            start = time.perf_counter()
            prepared = prepare(config, Path(folder) / "prepared")
            times.append(time.perf_counter() - start)
    unit = 1 if sys.platform == "darwin" else 1024
    result = {
        "pairs": len(prepared.store),
        "seconds": round(times[0], 1),
        "seconds_when_prepared_before": round(times[1], 2),
        "peak_resident_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6),
    }
    print(json.dumps(result) if arguments.json else "\n".join(f"{name:>30}  {value}" for name, value in result.items()))


if __name__ == "__main__":
    main()
