"""Fill the disk that a run is trained on, again and again: it must say so, keep its last state, and go on with room.

    python benchmarks/full_disk.py        (as root: it mounts a small disk of its own)
    make stress

See ``stress.py``, whose small run and comparison these are. Prints a line a filling; exit code 1 on any difference.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from stress import STEPS, Corpus, compare, contents, errors, make_corpus, metrics_of, start

DISK_BYTES = 16 << 20
STATE = "training_state.safetensors"


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Mount a disk in memory."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(filler: Path, left: int) -> None:
    """Leave so many bytes on a disk."""
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))
    os.truncate(filler, max(0, filler.stat().st_size - left))


def fillings(state_bytes: int) -> Iterator[tuple[int, int]]:
    """Name the step at which the disk is filled, 0: before the start, and the bytes that are left then."""
    yield from ((0, 0), (0, 1 << 13), (0, 1 << 16))
    for step in range(3, STEPS, 2):
        yield step, (0, 1 << 12, state_bytes // 2, state_bytes - 1, state_bytes + (1 << 13))[step // 2 % 5]


def filled(corpus: Corpus, disk: Path) -> list[str]:
    """Train on a disk that is filled now and then; list what went wrong."""
    run, filler, found = disk / "run", disk / "filler", list[str]()
    for step, left in fillings((corpus.peaceful / STATE).stat().st_size):
        if step == 0:
            fill(filler, left)
        process = start(corpus.files, run)
        while step and process.poll() is None and not any(one["step"] >= step for one in metrics_of(run)):
            time.sleep(0.002)
        if step:
            fill(filler, left)
        said = errors(process)
        filler.unlink()
        last = said.strip().splitlines()[-1] if said.strip() else ""
        print(f"filled at step {step:2}, {left:7} bytes left: exit code {process.returncode}, {last}", flush=True)
        if process.returncode != 1 or "Traceback" in said or "make room" not in last or "a file:" in last:
            found.append(f"at step {step}, {left} bytes left: exit code {process.returncode}: {said}")
        if (run / STATE).exists():
            contents(run / STATE)  # whole, or an error
    process = start(corpus.files, run)
    said = errors(process)
    if process.returncode != 0:
        return [*found, f"with room again: {said}"]
    return found + compare(run, corpus.peaceful)


def main() -> None:
    """Fill the disk, print what happens and end with 1 if anything was lost."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        print("not root, so there is no disk that could be filled: left out")
        return
    with TemporaryDirectory(prefix="ferryman-stress-") as name, small_disk(Path(name) / "disk") as disk:
        differences = filled(make_corpus(Path(name)), disk)
    print("\n".join(differences) or "went on from every filling, bit-equal to the run in peace")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
