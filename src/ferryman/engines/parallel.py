"""Several batches at once, each on a thread of its own, in place of many threads on one small product."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Apply a function to all items, ``workers`` at a time, with one PyTorch thread each; keep the order of the items.

    The first error, or Ctrl-C, is raised once the items at work are done; those that wait are left.
    """
    threads = torch.get_num_threads()
    pool = ThreadPoolExecutor(workers, "ferryman", initializer=torch.set_num_threads, initargs=(1,))
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        torch.set_num_threads(threads)  # a worker's number reaches further than its thread: MKL has one for all
