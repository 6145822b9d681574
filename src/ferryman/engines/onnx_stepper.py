"""A stepper whose products, norms and attention are ONNX Runtime's."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.engines.key_mask import KeyMask
from ferryman.engines.onnx_graph import bind
from ferryman.engines.onnx_model import OnnxModel, cache_names
from ferryman.engines.packed_stepper import TIDY_EVERY


class OnnxStepper:
    """Runs an ``OnnxModel`` behind the stepper protocol of ``ferryman.decoding``.

    Keys and values of all rows of a sentence lie side by side, as in ``PackedStepper``; but the runtime wants them
    without gaps, so that each step copies them.
    """

    def __init__(
        self, model: OnnxModel, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None
    ) -> None:
        self.model = model
        self.source = source
        self.real = torch.ones(source.shape, dtype=torch.int32) if real is None else real.int()

    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        self.beam, self.batch, self.position = beam, self.source.size(0), 0
        self.seen = KeyMask(self.batch, beam, self.source.device)
        heads, d_k = self.model.heads, self.model.d_model // self.model.heads
        layers = [cache_names(layer) for layer in range(self.model.layers)]
        self.past = {name: torch.empty(self.batch, heads, 0, d_k) for names in layers for name in names[:2]}
        memory = (self.batch, heads, self.source.size(1), d_k)
        self.cross = {name: torch.empty(memory) for names in layers for name in names[2:]}
        position = self.real.flatten().nonzero().flatten()
        token = torch.zeros(self.source.shape, dtype=torch.long)
        token.view(-1)[position] = torch.arange(len(position))
        x = self.model.embed_source(self.source, 0).index_select(0, position)
        self.model.encode({"x": x, "token": token, "position": position, "real": self.real}, self.cross)
        self._settle()
        return self.batch

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the log-probabilities of the next (linear + log-softmax, §3.4)."""
        if self.beam > 1 and self.position % TIDY_EVERY == TIDY_EVERY - 1:
            order = self.seen.tidy()[:, None, :, None]
            for name, past in self.past.items():
                self.past[name] = past.gather(2, order.expand(-1, past.size(1), -1, past.size(3)))
        x = self.model.embed_target.at(self.position, tokens)
        given = {"x": x, "seen": self._mask(), **{f"past_{name}": past for name, past in self.past.items()}}
        self.past = {
            name: torch.empty(self.batch, past.size(1), past.size(2) + self.beam, past.size(3))
            for name, past in self.past.items()
        }
        logits = self.model.step(self.binding, given, self.past)
        self.position += 1
        return torch.log_softmax(logits, dim=-1, out=logits)

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``, a row of the same sentence."""
        self.seen.reorder(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self.batch = len(sentences)
        self.seen.keep(sentences)
        self.real = self.real[sentences]
        self.cross = {name: tensor[sentences] for name, tensor in self.cross.items()}
        self.past = {name: tensor[sentences] for name, tensor in self.past.items()}
        self._settle()

    def _settle(self) -> None:
        """Bind what stays the same from step to step."""
        self.shape, self.binding = self._shape(self.beam), self.model.binding()
        bind(self.binding, {"shape": self.shape, "real": self.real, **self.cross}, {})

    def _shape(self, length: int) -> Int[Tensor, "3"]:
        return torch.tensor([self.batch, length, self.model.d_model])

    def _mask(self) -> Float[Tensor, "sentences 1 beam keys"]:
        """What is added to scores of keys; of one row a sentence nothing."""
        seen = self.seen.append()
        return seen.contiguous() if self.beam > 1 else torch.zeros(1, 1, 1, self.seen.keys)
