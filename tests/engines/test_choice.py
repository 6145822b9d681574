"""Which engine computes where, and in what."""

import pytest
import torch

from ferryman.engines import choice
from ferryman.engines.choice import build_engine, choose_arithmetic, choose_engine
from ferryman.engines.static_stepper import StaticEngine
from ferryman.errors import ConfigError

CPU, CUDA, MPS = (torch.device(name) for name in ("cpu", "cuda", "mps"))


def test_what_is_chosen_where(monkeypatch):
    monkeypatch.setattr(choice, "has_runtime", lambda: True)
    assert [choose_engine("auto", device) for device in (CPU, CUDA, MPS)] == ["onnx", "static", "torch"]
    assert [choose_engine(name, CPU) for name in ("int8", "onnx", "static")] == ["onnx-int8", "onnx", "static"]
    for name in ("int8", "onnx"):
        with pytest.raises(ConfigError, match="needs a CPU"):
            choose_engine(name, CUDA)


def test_what_is_chosen_without_onnx_runtime(monkeypatch):
    monkeypatch.setattr(choice, "has_runtime", lambda: False)
    assert [choose_engine("auto", device) for device in (CPU, CUDA, MPS)] == ["packed", "static", "torch"]
    assert choose_engine("int8", CPU) == "int8"
    with pytest.raises(ConfigError, match=r"ferryman\[fast\]"):
        choose_engine("onnx", CPU)


def test_in_what_it_is_computed(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert choose_arithmetic("bfloat16", "static", CUDA) == torch.bfloat16
    assert choose_arithmetic("float32", "static", CUDA) == choose_arithmetic("float32", "packed", CPU) == torch.float32
    with pytest.raises(ConfigError, match=r"^decoding\.precision: bfloat16 is for the engine static, and"):
        choose_arithmetic("bfloat16", "torch", CUDA)
    with pytest.raises(ConfigError, match=r"^decoding\.precision: bfloat16 needs a CUDA GPU that has it; on cpu"):
        choose_arithmetic("bfloat16", "packed", CPU)


def test_on_a_cpu_nothing_is_captured(model):
    engine = build_engine("static", model)
    assert isinstance(engine, StaticEngine)
    assert engine.model.capture is None
    assert engine.model.table.data_ptr() == model.target_table.data_ptr()
