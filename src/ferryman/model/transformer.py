"""The Transformer (Figure 1): source tokens -> memory -> target logits."""

from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ferryman.config import ModelConfig
from ferryman.model.build import build_decoder, build_embedding, build_encoder
from ferryman.model.initialise import initialise
from ferryman.model.masks import source_mask
from ferryman.model.observe import Observer, within
from ferryman.model.state import DecoderState


class Transformer(nn.Module):
    """The encoder-decoder of the paper, an ordinary ``nn.Module``.

    >>> model = Transformer(source_vocab=8000, target_vocab=8000, config=ModelConfig(d_model=128, d_ff=256, heads=4))
    >>> logits = model(source, target_in)  # (batch, tgt, vocab)

    Three tables of shape (vocab, d_model) may be one and the same parameter (§3.4): ``source_table``, ``target_table``
    and ``output_table``, the linear layer before the softmax.
    """

    def __init__(
        self,
        source_vocab: int,
        target_vocab: int,
        config: ModelConfig | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        config = config or ModelConfig()
        self.config = config
        self.target_table = nn.Parameter(torch.empty(target_vocab, config.d_model))
        if config.tie == "three-way":
            if source_vocab != target_vocab:
                raise ValueError(f"three-way tying needs one vocabulary, not {source_vocab} and {target_vocab} tokens")
            self.source_table = self.target_table
        else:
            self.source_table = nn.Parameter(torch.empty(source_vocab, config.d_model))
        self.output_table = (
            nn.Parameter(torch.empty(target_vocab, config.d_model)) if config.tie == "none" else self.target_table
        )
        self.output_bias = nn.Parameter(torch.zeros(target_vocab)) if config.output_bias else None
        self.source_embedding = build_embedding(config)
        self.target_embedding = build_embedding(config)
        self.encoder = build_encoder(config)
        self.decoder = build_decoder(config)
        if not self.target_table.is_meta:  # nothing to draw; and PyTorch would load its compiler to know that
            self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew; see ``ferryman.model.initialise``."""
        self.apply(partial(initialise, generator=generator))
        for table in {id(table): table for table in (self.target_table, self.source_table, self.output_table)}.values():
            nn.init.normal_(table, std=self.config.d_model**-0.5, generator=generator)
        if self.output_bias is not None:
            nn.init.zeros_(self.output_bias)

    def encode(
        self,
        source: Int[Tensor, "batch src"],
        real: Bool[Tensor, "batch src"] | None = None,
        observe: Observer | None = None,
    ) -> DecoderState:
        """Run the encoder and return the decoder's state before its first token.

        Args:
            source: token ids, padded on the right.
            real: True where a token is real and not padding; None: no padding.
            observe: called with the name and value of every intermediate result.
        """
        mask = None if real is None else source_mask(real)
        embedded = self.source_embedding(source, self.source_table, 0, within(observe, "source_embedding"))
        memory = self.encoder(embedded, mask, within(observe, "encoder"))
        if observe:
            observe("memory", memory)
        return self.decoder.start(memory, mask)

    def decode(
        self, target_in: Int[Tensor, "rows new"], state: DecoderState, observe: Observer | None = None
    ) -> tuple[Float[Tensor, "rows new d_model"], DecoderState]:
        """Run the decoder over new target positions: all of them (teacher forcing) or one a step.

        Returns the decoder's output, to be given to ``project``, and the state after these positions. ``rows`` is a
        multiple of the state's batch: the beams of a sentence follow one another.
        """
        embedded = self.target_embedding(
            target_in, self.target_table, state.position, within(observe, "target_embedding")
        )
        hidden: tuple[Tensor, DecoderState] = self.decoder(embedded, state, within(observe, "decoder"))
        return hidden

    def project(
        self, hidden: Float[Tensor, "*shape d_model"], observe: Observer | None = None
    ) -> Float[Tensor, "*shape vocab"]:
        """Turn decoder outputs into logits, one a vocabulary entry (§3.4); their softmax is observed too."""
        logits = F.linear(hidden, self.output_table, self.output_bias)
        if observe:
            observe("logits", logits)
            observe("probabilities", logits.float().softmax(dim=-1))
        return logits

    def forward(
        self,
        source: Int[Tensor, "batch src"],
        target_in: Int[Tensor, "batch tgt"],
        real: Bool[Tensor, "batch src"] | None = None,
    ) -> Float[Tensor, "batch tgt vocab"]:
        """Compute the logits of every next target token in one pass (teacher forcing).

        Args:
            source: token ids, padded on the right.
            target_in: the start symbol and the target tokens, padded on the right. No mask is needed: padding comes
                after all real positions, and no position sees what comes after it.
            real: True where a source token is real; None: no padding.
        """
        hidden, _ = self.decode(target_in, self.encode(source, real))
        return self.project(hidden)
