"""Which engine runs the decoder steps."""

import importlib.util
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ferryman.decoding import Stepper
from ferryman.engines import int8
from ferryman.engines.cuda_graph import GraphCapture
from ferryman.engines.devices import choose_precision
from ferryman.engines.packed import PackedModel
from ferryman.engines.packed_stepper import PackedStepper
from ferryman.engines.static import StaticModel
from ferryman.engines.static_stepper import StaticEngine
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import ConfigError
from ferryman.model.transformer import Transformer

Name = Literal["torch", "packed", "int8", "onnx", "onnx-int8", "static"]
Engine = Callable[[Int[Tensor, "batch src"], Bool[Tensor, "batch src"] | None], Stepper]
"""Makes a stepper for a batch: (source, which of its tokens are real)."""


def choose_engine(name: str, device: torch.device) -> Name:
    """Turn ``auto``, ``torch``, ``packed``, ``onnx``, ``int8`` or ``static`` into an engine.

    Where ONNX Runtime is installed, ``auto`` and ``int8`` take it on a CPU.

    Raises:
        ConfigError: it is not available here.

    """
    on_cpu, runtime = device.type == "cpu", has_runtime()
    if name == "onnx" and not (on_cpu and runtime):
        raise ConfigError(
            f"decoding.engine: onnx needs a CPU, and this is {device.type}; choose auto"
            if runtime
            else "decoding.engine: onnx needs ONNX Runtime; install ferryman[fast] or choose auto"
        )
    if name == "int8" and not (on_cpu and (runtime or int8.has_kernel())):
        raise ConfigError(
            "decoding.engine: int8 needs a CPU and ONNX Runtime (ferryman[fast]) or a PyTorch with oneDNN, and this is "
            f"{device.type}; choose auto"
        )
    if name == "auto":
        if on_cpu:
            return "onnx" if runtime else "packed"
        return "static" if device.type == "cuda" else "torch"
    return "onnx-int8" if name == "int8" and runtime else name  # type: ignore[return-value]


@cache  # each search asks
def has_runtime() -> bool:
    """Whether ONNX Runtime is installed, and what writes graphs for it."""
    return all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnx"))


def eight_bits_from() -> int:
    """Return how many elements a matrix has at least that is multiplied in eight bits."""
    if has_runtime():
        from ferryman.engines.onnx_graph import WORTH_IT

        return WORTH_IT
    return int8.WORTH_IT


def choose_arithmetic(precision: str, name: Name, device: torch.device) -> torch.dtype:
    """Turn the ``float32`` or ``bfloat16`` of ``decoding.precision`` into what an engine computes in.

    Raises:
        ConfigError: the device or the engine cannot.

    """
    chosen = choose_precision(precision, device, "decoding")
    if chosen != torch.float32 and name != "static":
        raise ConfigError(f"decoding.precision: bfloat16 is for the engine static, and this is {name}; choose float32")
    return chosen


def build_engine(name: Name, model: Transformer, precision: torch.dtype = torch.float32) -> Engine:
    """Lay a model out for an engine; its weights must not change afterwards, except under ``torch``."""
    if name == "torch":
        return lambda source, real: TorchStepper(model, source, real)
    if name == "static":
        device = model.target_table.device
        return StaticEngine(StaticModel(model, precision, GraphCapture(device) if device.type == "cuda" else None))
    if name in ("onnx", "onnx-int8"):
        return _onnx_engine(model, eight_bits=name == "onnx-int8")
    packed = PackedModel(model, int8.quantised if name == "int8" else None)
    return lambda source, real: PackedStepper(packed, source, real)


def _onnx_engine(model: Transformer, *, eight_bits: bool) -> Engine:
    """Lay a model out when it is first asked for, once for each number of threads, which a session cannot change."""
    from ferryman.engines.onnx_model import OnnxModel
    from ferryman.engines.onnx_stepper import OnnxStepper

    made: dict[int, OnnxModel] = {}
    lock = Lock()

    def engine(source: Tensor, real: Tensor | None) -> Stepper:
        threads = torch.get_num_threads()
        with lock:
            if threads not in made:
                made[threads] = OnnxModel(model, eight_bits=eight_bits, threads=threads)
        return OnnxStepper(made[threads], source, real)

    return engine
