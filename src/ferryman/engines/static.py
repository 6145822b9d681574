"""A decoder step that always has the same shapes, in memory that stays where it is, as a CUDA graph must have it.

Sentences, source tokens and target positions are rounded up, so that few shapes serve all. What is only there to fill
up is hidden by masks, and rows never look at each other, so that it changes nothing.
"""

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ferryman.engines.key_mask import additive
from ferryman.engines.packed import PackedModel, Product
from ferryman.model.transformer import Transformer

PATIENCE = 8  # steps of a shape before it is captured: to capture costs about as much as a few steps
KEPT_SHARE = 8  # one part in so many of a GPU's memory is for buffers whose shapes may come again,
KEPT_BYTES = 1 << 28  # and so much of a computer's

Run = Callable[[], Tensor]
Capture = Callable[[Run], Run]
"""Makes of a step one that does exactly the same again, in the same memory, at less cost."""


class Shape(NamedTuple):
    """What a step is as large as."""

    batch: int  # sentences
    beam: int
    source: int  # tokens
    capacity: int  # target positions


class Buffers:
    """What a decoder reads and writes in every step of one shape."""

    def __init__(self, model: "StaticModel", shape: Shape) -> None:
        """Reserve the memory."""
        packed, table, (batch, beam, source, capacity) = model.packed, model.table, shape
        self.shape = shape
        self.steps = 0  # so far
        self.replay: Run | None = None
        with torch.inference_mode(mode=False):  # so that every caller may write into it
            self.tokens = torch.zeros(batch * beam, dtype=torch.long, device=table.device)
            self.position = self.tokens.new_zeros(1)
            # All beams of a sentence side by side: a row sees its own past through the mask, see ``PackedStepper``.
            self.past = [table.new_zeros(batch, capacity, beam, 2 * packed.d_model) for _ in packed.decoder_layers]
            self.seen = table.new_zeros(batch, beam, capacity, beam)
            self.own = additive(torch.eye(beam, dtype=torch.bool, device=table.device), table.dtype)[None, :, None]
            head = (batch, packed.heads, source, packed.d_model // packed.heads)
            self.cross = [(table.new_zeros(head), table.new_zeros(head)) for _ in packed.decoder_layers]
            self.source_seen = table.new_zeros(batch, 1, 1, source)
            places = min(capacity, model.positions or capacity)
            self.encodings = packed.embed_target.positions(0, places, table).detach()
        self.size_bytes = sum(each.nbytes for each in (*self.past, *sum(self.cross, ()), self.seen))

    def clear(self) -> None:
        """Forget everything; what a mask hides must still be a number."""
        for past, (keys, values) in zip(self.past, self.cross, strict=True):
            for buffer in (past, keys, values):
                buffer.zero_()
        self.seen.fill_(-math.inf)
        self.source_seen.zero_()


class StaticModel:
    """A model packed once for all translations, and the buffers of their steps. Its weights must not change."""

    def __init__(self, model: Transformer, precision: torch.dtype, capture: Capture | None = None) -> None:
        """Lay out the weights; without ``capture`` every step is run anew."""
        if model.target_table.dtype != precision:
            model = copy.deepcopy(model).to(precision)
        self.packed = PackedModel(model, linear)
        self.table = model.target_table.detach()
        self.project = exact(model.output_table, model.output_bias)
        self.positions = model.config.max_positions if model.config.positions == "learned" else None
        self.capture = capture
        self.trouble = ""  # why nothing is captured any more
        self._kept_bytes = KEPT_BYTES
        if self.table.device.type == "cuda":
            self._kept_bytes = torch.cuda.get_device_properties(self.table.device).total_memory // KEPT_SHARE
        self._free: list[Buffers] = []

    def borrow(self, shape: Shape) -> Buffers:
        """Take clear buffers that nobody else uses; ``give_back`` afterwards."""
        buffers = next((each for each in self._free[::-1] if each.shape == shape and self._taken(each)), None)
        buffers = buffers or Buffers(self, shape)
        buffers.clear()
        return buffers

    def give_back(self, buffers: Buffers) -> None:
        """Let others use buffers; those that have waited longest are given up if there are too many."""
        self._free.append(buffers)
        while len(self._free) > 1 and sum(each.size_bytes for each in self._free) > self._kept_bytes:
            del self._free[:1]

    def run(self, buffers: Buffers) -> Float[Tensor, "rows vocab"]:
        """Append a token to each row and return the logits of the next, to be read before the next run."""
        capture = self.capture
        if capture is not None and buffers.replay is None and buffers.steps >= PATIENCE:
            try:
                buffers.replay = capture(partial(self.step, buffers))
            except RuntimeError as error:  # too little memory, or an operation that cannot be captured
                self.capture, self.trouble = None, str(error).partition("\n")[0]
        buffers.steps += 1
        return buffers.replay() if buffers.replay else self.step(buffers)

    def step(self, buffers: Buffers) -> Float[Tensor, "rows vocab"]:
        """Do what ``run`` does; done again, it changes nothing."""
        packed, (batch, beam, _, capacity) = self.packed, buffers.shape
        vectors = self.table.index_select(0, buffers.tokens)
        x = torch.add(buffers.encodings.index_select(0, buffers.position), vectors, alpha=packed.embed_target.scale)
        buffers.seen.index_copy_(2, buffers.position, buffers.own.expand(batch, -1, -1, -1))
        seen = buffers.seen.view(batch, 1, beam, capacity * beam)
        for (layer, asking), past, cross in zip(packed.decoder_layers, buffers.past, buffers.cross, strict=True):
            pre_norm = layer.pre_norm
            queries, new = layer.project(layer.norm(x) if pre_norm else x).tensor_split([packed.d_model], dim=1)
            past.index_copy_(1, buffers.position, new.view(batch, 1, beam, -1))
            keys, values = (
                part.view(batch, capacity * beam, packed.heads, -1).transpose(1, 2)
                for part in past.flatten(1, 2).chunk(2, dim=2)
            )
            x = layer.project_out(self._attend(queries, keys, values, seen)).add_(x)
            x = x if pre_norm else layer.norm(x)
            asked = asking.ask(asking.norm(x) if pre_norm else x)
            x = asking.ask_out(self._attend(asked, *cross, buffers.source_seen)).add_(x)
            x = x if pre_norm else asking.norm(x)
            x = layer.feed(layer.feed_norm(x) if pre_norm else x).add_(x)
            x = x if pre_norm else layer.feed_norm(x)
        return self.project(packed.decoder_norm(x))

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, seen: Tensor) -> Tensor:
        """Let the rows of a sentence ask as queries of one sequence: (rows, d_model) -> (rows, d_model)."""
        asking = queries.view(keys.size(0), -1, self.packed.heads, keys.size(3)).transpose(1, 2)
        attended = F.scaled_dot_product_attention(asking, keys, values, attn_mask=seen)
        return attended.transpose(1, 2).reshape(queries.shape)

    def _taken(self, buffers: Buffers) -> bool:
        try:
            self._free.remove(buffers)
        except ValueError:  # another thread was faster
            return False
        return True


def roomy(count: int, least: int = 1) -> int:
    """Round up to the next 2^n or 3 * 2^n, and at least to ``least``."""
    count = max(count, least)
    step = 1 << max(0, count.bit_length() - 2)
    return -(-count // step) * step


def linear(weight: Tensor, bias: Tensor | None) -> Product:
    """Make a product in the weights' precision; nothing is copied."""
    weight, bias = weight.detach(), None if bias is None else bias.detach()
    return lambda x: F.linear(x, weight, bias)


def exact(weight: Tensor, bias: Tensor | None) -> Product:
    """Make a product whose sums, taken in float32, stay so: logits in bfloat16 would be off by hundredths."""
    weight, bias = weight.detach(), None if bias is None else bias.detach().float()
    matrix = weight.t()
    if weight.dtype != torch.float32:
        try:
            torch.mm(weight[:1], matrix[:, :1], out_dtype=torch.float32)
        except (RuntimeError, TypeError):  # not on this device, or not in this PyTorch
            weight = weight.float()
    if weight.dtype == torch.float32:
        return lambda x: F.linear(x.float(), weight, bias)
    if bias is None:
        return lambda x: torch.mm(x, matrix, out_dtype=torch.float32)
    return lambda x: torch.mm(x, matrix, out_dtype=torch.float32).add_(bias)
