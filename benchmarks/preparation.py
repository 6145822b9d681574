"""Memory and time to prepare a large corpus: reading, cleaning, training the tokenizer, writing the token store.

    python benchmarks/preparation.py --pairs 2000000 --json
    python benchmarks/preparation.py --pairs 2000000 --script han --json

The corpus is made of random words, seeded, in sentences about as long as everyday ones. With ``--script han`` both
sides are Chinese characters without spaces, the hardest case: nothing between two spaces comes twice. Memory is the
process's peak resident set, memory-mapped pages included.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from ferryman.config_file import load_config
from ferryman.workflows.prepare import prepare

SCRIPTS = {
    "latin": ("abcdefghijklmnopqrstuvwxyz", (2, 9), " "),
    "han": ("".join(map(chr, range(0x4E00, 0x4E00 + 3500))), (1, 3), ""),
}
"""Letters, the shortest and the longest word, and what stands between words."""


def write_corpus(folder: Path, pairs: int, script: str) -> None:
    """Write two aligned files of random words."""
    generator = random.Random(1)
    letters, lengths, space = SCRIPTS[script]
    weights = list(accumulate(1 / rank for rank in range(1, 50_001)))  # as in any language: Zipf's law
    words = ["".join(generator.choices(letters, k=generator.randint(*lengths))) for _ in range(50_000)]
    names = (folder / "train.en", folder / "train.de")
    with names[0].open("w", encoding="utf-8") as source, names[1].open("w", encoding="utf-8") as target:
        for number in range(pairs):
            length = generator.randint(4, 24)
            source.write(f"{number} {space.join(generator.choices(words, cum_weights=weights, k=length))}\n")
            target.write(f"{number} {space.join(generator.choices(words, cum_weights=weights, k=length))}\n")


def main() -> None:
    """Prepare a corpus and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=2_000_000)
    parser.add_argument("--script", choices=SCRIPTS, default="latin")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), arguments.pairs, arguments.script)
        settings = ["data.source_language=en", "data.target_language=de", f"data.directory={folder}"]
        config = load_config("small", settings)
        times = []
        for _ in range(2):
            start = time.perf_counter()
            prepared = prepare(config, Path(folder) / "prepared")
            times.append(time.perf_counter() - start)
    unit = 1 if sys.platform == "darwin" else 1024
    result = {
        "script": arguments.script,
        "pairs": len(prepared.store),
        "seconds": round(times[0], 1),
        "seconds_when_prepared_before": round(times[1], 2),
        "peak_resident_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6),
    }
    print(json.dumps(result) if arguments.json else "\n".join(f"{name:>30}  {value}" for name, value in result.items()))


if __name__ == "__main__":
    main()
