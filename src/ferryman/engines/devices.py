"""Where and in what arithmetic to compute."""

import ctypes
import os
import platform
import time

import torch

from ferryman.errors import ConfigError

MMAP_THRESHOLD, TRIM_THRESHOLD, TOP_PAD = -3, -1, -2  # mallopt's names for what keep_memory sets
PYTORCH_THREADS = torch.get_num_threads()  # before anybody changed it
MEASURED_SIDE, MEASURING_SECONDS = 512, 0.2  # of square matrices on a CPU; a GPU needs larger ones to be busy


def choose_device(name: str) -> torch.device:
    """Turn ``auto``, ``cpu``, ``cuda`` or ``mps`` into a device.

    Raises:
        ConfigError: that device is not there.

    """
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(kind for kind in ("cuda", "mps", "cpu") if available[kind])
    if not available[name]:
        there = ", ".join(kind for kind, yes in available.items() if yes)
        raise ConfigError(f"device: {name} is not available to PyTorch here; there is: {there}")
    return torch.device(name)


def choose_precision(name: str, device: torch.device, section: str = "training") -> torch.dtype:
    """Turn the ``auto``, ``float32`` or ``bfloat16`` of a section of the configuration into a dtype.

    Raises:
        ConfigError: the device has no fast arithmetic of that kind.

    """
    bfloat16 = device.type == "cuda" and torch.cuda.is_bf16_supported()
    if name == "auto":
        return torch.bfloat16 if bfloat16 else torch.float32
    if name == "bfloat16" and not bfloat16:
        raise ConfigError(
            f"{section}.precision: bfloat16 needs a CUDA GPU that has it; on {device.type} it would be slower than "
            "float32"
        )
    return torch.bfloat16 if name == "bfloat16" else torch.float32


def set_threads(threads: int) -> int:
    """Let PyTorch use so many CPU threads and return the number.

    0: PyTorch's own choice (one a physical core, or ``OMP_NUM_THREADS``), but no more than this process may run on.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else PYTORCH_THREADS
    torch.set_num_threads(threads or min(PYTORCH_THREADS, allowed))
    return torch.get_num_threads()


def keep_memory() -> bool:
    """Let the C library keep the memory that tensors free, for the next ones; return whether it does.

    A training step asks for the same memory as the one before. GNU's allocator gives large pieces back to the system,
    which clears each page anew: 3 % of the time of a small model's step. Other systems are left as they are.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    wanted = ((MMAP_THRESHOLD, 1 << 30), (TRIM_THRESHOLD, (1 << 31) - 1), (TOP_PAD, 64 << 20))
    return all(mallopt(name, value) == 1 for name, value in wanted)


def measure_gflops(device: torch.device, precision: torch.dtype) -> float:
    """Measure how many 10^9 operations a second matrix products reach here, in a fifth of a second.

    Of all that time, not the best moment of it: where others use the processor too, training gets its share as well.
    """
    side = MEASURED_SIDE if device.type == "cpu" else 8 * MEASURED_SIDE
    left, right = (torch.randn(side, side, device=device, dtype=precision) for _ in range(2))
    products, began, seconds = -1, 0.0, 0.0
    while products < 1 or seconds < MEASURING_SECONDS:
        (left @ right)[0, 0].item()  # waits for the device
        products += 1
        if products == 0:
            began = time.perf_counter()  # the first one is slower: it sets up
        seconds = time.perf_counter() - began
    return 2 * side**3 * products / seconds / 1e9
