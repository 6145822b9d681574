"""Products in eight bits: weights quantised once by column, activations at every step, each row with its own scale.

A scale of its own makes a row independent of its neighbours, and sums of integers do not depend on their order; so a
sentence is translated the same whatever it is translated with. The kernel is oneDNN's, as PyTorch brings it.
"""

from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.engines.packed import Product, transposed

ZERO = 128  # what stands for 0 among unsigned bytes
LEVELS = 127
WORTH_IT = 1 << 17  # elements of a matrix; the kernel's own cost is that of a smaller one in float32
USUAL_ROWS = 128  # the kernel lays weights out for so many; others are right too
NARROW_LEVELS = 63  # of weights, for processors that add two products in 16 bits, where 2 * 255 * 127 does not fit


def has_kernel() -> bool:
    """Whether this PyTorch has the kernel."""
    return "onednn" in torch.backends.quantized.supported_engines and hasattr(torch.ops.onednn, "qlinear_pointwise")


def weight_levels(capabilities: Mapping[str, Any]) -> int:
    """Choose how finely weights are quantised, by what the processor can do."""
    return LEVELS if any(capabilities.get(name) for name in ("avx512_vnni", "avx_vnni", "amx_int8")) else NARROW_LEVELS


def quantised_rows(
    rows: Float[Tensor, "rows features"], levels: int
) -> tuple[Int[Tensor, "rows features"], Float[Tensor, "rows 1"]]:
    """Return integers from -levels to levels and a scale for each row, whose products are about the rows."""
    scale = rows.abs().amax(1, keepdim=True).clamp_min_(1e-30).mul_(1 / levels)
    return torch.div(rows, scale).round_().to(torch.int8), scale


def quantised(weight: Float[Tensor, "out in"], bias: Float[Tensor, "out"] | None) -> Product:
    """Make a product in eight bits of a weight matrix, or in float32 of one so small that this is faster."""
    if weight.numel() < WORTH_IT:
        return transposed(weight, bias)
    integers, scale = quantised_rows(weight.detach(), weight_levels(torch.cpu.get_capabilities()))
    packed = torch.ops.onednn.qlinear_prepack(integers, [USUAL_ROWS, weight.size(1)])
    column_scale, column_zero = scale.flatten(), torch.zeros(len(scale), dtype=torch.int32)
    vector = None if bias is None else bias.detach()

    def product(x: Tensor) -> Tensor:
        size = x.abs().amax(1, keepdim=True).clamp_min_(1e-30)
        row_scale = size * (1 / LEVELS)
        # By way of signed bytes, which wrap around to the unsigned ones meant, and are three times faster to make.
        unsigned = torch.mul(x, LEVELS / size).round_().to(torch.int8).view(torch.uint8).add_(ZERO)
        result: Tensor = torch.ops.onednn.qlinear_pointwise(
            *(unsigned, 1.0, ZERO),
            *(packed, column_scale, column_zero, None),
            *(1.0, 0, torch.float32, "none", [], ""),
        )
        return result.mul_(row_scale) if vector is None else torch.addcmul(vector, result, row_scale, out=result)

    return product
