"""Start several processes that know of each other, as torchrun does, without its own start and its own messages."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence

WORLD = 2


def start_together(arguments: Sequence[object], **variables: str) -> list[subprocess.Popen[bytes]]:
    """Start ``python ARGUMENTS`` twice, as ranks 0 and 1."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": WORLD, "OMP_NUM_THREADS": 1, **variables}
    return [
        subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env={**os.environ, **{name: str(value) for name, value in common.items()}, "RANK": str(rank)}
            | {"LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for rank in range(WORLD)
    ]


def end_together(processes: Sequence[subprocess.Popen[bytes]], timeout: float = 240) -> list[tuple[int, str]]:
    """Wait for all of them; return exit codes and what they wrote on standard error."""
    try:
        errors = [process.communicate(timeout=timeout)[1].decode() for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(process.returncode, text) for process, text in zip(processes, errors, strict=True)]
