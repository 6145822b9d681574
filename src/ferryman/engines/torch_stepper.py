"""The reference stepper: the model itself, one token a step, with cached keys and values."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ferryman.model.state import DecoderState
from ferryman.model.transformer import Transformer


class TorchStepper:
    """Runs ``Transformer`` behind the stepper protocol of ``ferryman.decoding``."""

    def __init__(
        self, model: Transformer, source: Int[Tensor, "batch src"], real: Bool[Tensor, "batch src"] | None
    ) -> None:
        self.model = model
        self.source = source
        self.real = real
        self.beam = 1
        self.state: DecoderState | None = None

    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        self.beam = beam
        self.state = self.model.encode(self.source, self.real)
        return self.source.size(0)

    def step(self, tokens: Int[Tensor, "rows"]) -> Float[Tensor, "rows vocab"]:
        """Append one token to each row; return the log-probabilities of the next (linear + log-softmax, §3.4)."""
        hidden, self.state = self.model.decode(tokens[:, None], self._started())
        logits = self.model.project(hidden[:, -1])
        return torch.log_softmax(logits.float(), dim=-1)

    def reorder(self, rows: Int[Tensor, "rows"]) -> None:
        """Let row i continue the past of ``rows[i]``."""
        self.state = self._started().reorder(rows)

    def keep(self, sentences: Int[Tensor, "kept"]) -> None:
        """Go on with these sentences alone."""
        self.state = self._started().keep(sentences, self.beam)

    def _started(self) -> DecoderState:
        if self.state is None:
            raise RuntimeError("start() comes before step()")
        return self.state
