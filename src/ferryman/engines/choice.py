"""Which engine runs the decoder steps."""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ferryman.decoding import Stepper
from ferryman.engines.cuda_graph import GraphCapture
from ferryman.engines.devices import choose_precision
from ferryman.engines.int8 import has_kernel, quantised
from ferryman.engines.packed import PackedModel
from ferryman.engines.packed_stepper import PackedStepper
from ferryman.engines.static import StaticModel
from ferryman.engines.static_stepper import StaticEngine
from ferryman.engines.torch_stepper import TorchStepper
from ferryman.errors import ConfigError
from ferryman.model.transformer import Transformer

Name = Literal["torch", "packed", "int8", "static"]
Engine = Callable[[Int[Tensor, "batch src"], Bool[Tensor, "batch src"] | None], Stepper]
"""Makes a stepper for a batch: (source, which of its tokens are real)."""


def choose_engine(name: str, device: torch.device) -> Name:
    """Turn ``auto``, ``torch``, ``packed``, ``int8`` or ``static`` into an engine.

    Raises:
        ConfigError: int8 is not available here.

    """
    if name == "int8" and (device.type != "cpu" or not has_kernel()):
        raise ConfigError(
            f"decoding.engine: int8 needs a CPU and a PyTorch with oneDNN, and this is {device.type}; choose auto"
        )
    if name == "auto":
        return "packed" if device.type == "cpu" else "static" if device.type == "cuda" else "torch"
    return name  # type: ignore[return-value]


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
    packed = PackedModel(model, quantised if name == "int8" else None)
    return lambda source, real: PackedStepper(packed, source, real)
