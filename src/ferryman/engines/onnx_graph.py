"""Graphs for ONNX Runtime: linear layers, norms and attention as operators, in float32 or in eight bits."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from ferryman.engines.int8 import LEVELS, ZERO, quantised_rows, weight_levels

OPSET, IR_VERSION = 17, 9  # old enough for every ONNX Runtime that has the operators
MICROSOFT = "com.microsoft"  # the domain of ONNX Runtime's own operators
WORTH_IT = 1 << 15  # elements of a matrix; smaller ones are as fast in float32
LARGE = 1 << 12  # bytes; a constant of so many is not copied into the graph
SLOW = ["SkipLayerNormFusion"]  # six times slower than the two operators that it replaces
NUMPY = {torch.float32: np.float32, torch.int64: np.int64, torch.int32: np.int32}
TYPES = {torch.float32: TensorProto.FLOAT, torch.int64: TensorProto.INT64, torch.int32: TensorProto.INT32}

Axes = Sequence[str | int]


class Graph:
    """A graph being written. Values go by their names; matrices have one row a position."""

    def __init__(self, *, heads: int, eight_bits: bool) -> None:
        self.heads = heads
        self.eight_bits = eight_bits
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outside: dict[str, np.ndarray[Any, Any]] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def input(self, name: str, dtype: torch.dtype, axes: Axes) -> str:
        """Name a tensor that is given."""
        self._inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], axes))
        return name

    def output(self, value: str, name: str, axes: Axes) -> None:
        """Name a float32 tensor that is asked for."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, axes))

    def constant(self, value: Tensor) -> str:
        """Put a tensor into the graph. A large one stays where it is and must not change."""
        name, array = f"c{len(self._constants)}", value.detach().contiguous().numpy()
        if array.nbytes < LARGE:
            self._constants.append(numpy_helper.from_array(array, name))
            return name
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        outside = TensorProto(name=name, dims=array.shape, data_type=kind, data_location=TensorProto.EXTERNAL)
        outside.external_data.add(key="location", value=name)
        self._constants.append(outside)
        self._outside[name] = array
        return name

    def apply(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Apply an operator with one result; an empty name stands for an input that it is not given."""
        return self.apply_all(operator, *inputs, results=1, domain=domain, **attributes)[0]

    def apply_all(
        self, operator: str, *inputs: str, results: int, domain: str = "", **attributes: Any
    ) -> tuple[str, ...]:
        """Apply an operator with several results."""
        names = tuple(f"v{len(self._nodes)}_{number}" for number in range(results))
        self._nodes.append(helper.make_node(operator, list(inputs), list(names), domain=domain, **attributes))
        return names

    def norm(self, x: str, norm: nn.LayerNorm) -> str:
        """Normalise (§3.1)."""
        weight, bias = self.constant(norm.weight), self.constant(norm.bias)
        return self.apply("LayerNormalization", x, weight, bias, axis=-1, epsilon=norm.eps)

    def linear(self, x: str, weight: Tensor, bias: Tensor | None) -> str:
        """Multiply by a weight matrix (out, in) and add a bias (out)."""
        if self.quantises(weight):
            product = self.apply("Mul", *self.unscaled(x, weight))
            return product if bias is None else self.apply("Add", product, self.constant(bias))
        added = () if bias is None else (self.constant(bias),)
        return self.apply("Gemm", x, self.constant(weight), *added, transB=1)

    def quantises(self, weight: Tensor) -> bool:
        """Whether a matrix is multiplied in eight bits."""
        return self.eight_bits and weight.numel() >= WORTH_IT

    def unscaled(self, x: str, weight: Tensor) -> tuple[str, str]:
        """Multiply by a weight matrix (out, in) in eight bits; return that and the scales of the rows, (rows, 1)."""
        integers, scale = quantised_rows(weight.detach(), weight_levels(torch.cpu.get_capabilities()))
        size = self.apply("ReduceMax", self.apply("Abs", x), axes=[1], keepdims=1)
        size = self.apply("Max", size, self._number(1e-30))
        scaled = self.apply("Mul", x, self.apply("Div", self._number(float(LEVELS)), size))
        one, zero = self._number(1.0), self.constant(torch.tensor(ZERO, dtype=torch.uint8))
        rows = self.apply("QuantizeLinear", scaled, one, zero)
        matrix, columns = self.constant(integers.t()), self.constant(scale.flatten())
        no_zeros = self.constant(torch.zeros(len(integers), dtype=torch.int8))
        product = self.apply("MatMulIntegerToFloat", rows, matrix, one, columns, zero, no_zeros, domain=MICROSOFT)
        return product, self.apply("Mul", size, self._number(1 / LEVELS))

    def attention(
        self, queries: str, keys: str, values: str, *, real: str = "", seen: str = "", past: tuple[str, str] = ("", "")
    ) -> tuple[str, str, str]:
        """Attend (§3.2) and return the result and all keys and values (batch, heads, keys, d_k).

        Args:
            queries: (batch, queries, d_model).
            keys: the same, or (batch, heads, keys, d_k), to which nothing is added.
            values: the same.
            real: which keys are not padding, (batch, keys) in int32.
            seen: what is added to scores, (batch, 1, queries, keys).
            past: keys and values, (batch, heads, keys, d_k), to put before the others.
        """
        inputs = (queries, keys, values, "", real, seen, *past)
        options: dict[str, Any] = {"domain": MICROSOFT, "num_heads": self.heads}
        if not past[0]:
            return self.apply("MultiHeadAttention", *inputs, **options), keys, values
        attended, all_keys, all_values = self.apply_all("MultiHeadAttention", *inputs, results=3, **options)
        return attended, all_keys, all_values

    def _number(self, value: float) -> str:
        return self.constant(torch.tensor(value))

    def session(self, threads: int) -> onnxruntime.InferenceSession:
        """Make what runs the graph, and keeps its large constants, which are read where they lie."""
        graph = helper.make_graph(self._nodes, "ferryman", self._inputs, self._outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.enable_mem_pattern = False  # it would plan anew for every length
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        outside = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in self._outside.values()]
        options.add_external_initializers(list(self._outside), outside)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW
        )
        session.ferryman_constants = outside
        return session


def bind(binding: onnxruntime.IOBinding, given: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    """Say which contiguous tensors a graph reads, and into which it writes; they must live until it has run."""
    for name, tensor in given.items():
        binding.bind_input(name, "cpu", 0, NUMPY[tensor.dtype], tuple(tensor.shape), tensor.data_ptr())
    for name, tensor in wanted.items():
        binding.bind_output(name, "cpu", 0, NUMPY[tensor.dtype], tuple(tensor.shape), tensor.data_ptr())
