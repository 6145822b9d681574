"""CUDA graphs: hundreds of small kernels launched as one."""

import threading

import torch
from torch import Tensor

from ferryman.engines.static import Run

_ONE_AT_A_TIME = threading.Lock()  # PyTorch captures no two graphs of a process at once


class GraphCapture:
    """Captures steps that run one after the other, so that all graphs may share the memory of what lies between."""

    def __init__(self, device: torch.device) -> None:
        """Set up a stream to capture on."""
        self.stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self.pool = torch.cuda.graph_pool_handle()

    def __call__(self, run: Run) -> Run:
        """Run a step once, so that libraries set themselves up, and capture it without running it.

        Raises:
            RuntimeError: it cannot be captured, or there is too little memory.

        """
        graph, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream(self.stream.device)
        with _ONE_AT_A_TIME:
            self.stream.wait_stream(current)
            try:
                # Not ``torch.cuda.graph``, which empties PyTorch's memory cache and, after a failure, stays on its
                # stream.
                with torch.cuda.stream(self.stream):
                    run()
                    graph.capture_begin(pool=self.pool, capture_error_mode="thread_local")
                    try:
                        output = run()
                    finally:
                        graph.capture_end()
            finally:
                current.wait_stream(self.stream)

        def replay() -> Tensor:
            graph.replay()
            return output

        return replay
