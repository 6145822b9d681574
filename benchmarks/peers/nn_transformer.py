"""PyTorch's own parts: ``nn.Transformer``, tied embeddings, sinusoids, ``CrossEntropyLoss``, fused Adam."""

import math

import torch
from torch import Tensor, nn

from peers.loop import plain_step
from peers.protocol import PAD, Step, Task, TokenBatch, serve


class PlainTransformer(nn.Module):
    """What one writes around ``nn.Transformer``."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.embedding = nn.Embedding(task.vocab, task.d_model)
        nn.init.normal_(self.embedding.weight, std=task.d_model**-0.5)
        self.transformer = nn.Transformer(
            task.d_model,
            task.heads,
            task.encoder_layers,
            task.decoder_layers,
            task.d_ff,
            dropout=task.dropout,
            activation="relu",
            batch_first=True,
            norm_first=task.norm_first,
        )
        for module in self.transformer.modules():  # its one rate is for four places
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = task.attention_dropout
            elif isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = task.feed_forward_dropout
        self.dropout = nn.Dropout(task.dropout)
        self.loss = nn.CrossEntropyLoss(label_smoothing=task.label_smoothing, ignore_index=PAD, reduction="sum")
        self.register_buffer("positions", sinusoids(1024, task.d_model))

    def embed(self, tokens: Tensor) -> Tensor:
        """Embed tokens and add their positions."""
        scale = math.sqrt(self.embedding.embedding_dim)
        return self.dropout(self.embedding(tokens) * scale + self.positions[: tokens.size(1)])

    def forward(self, batch: TokenBatch) -> Tensor:
        """Compute the summed loss."""
        padding = batch.source == PAD
        hidden = self.transformer(
            self.embed(batch.source),
            self.embed(batch.target_in),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(batch.target_in.size(1), device=padding.device),
            src_key_padding_mask=padding.float().masked_fill(padding, -math.inf),
            memory_key_padding_mask=padding.float().masked_fill(padding, -math.inf),
            tgt_is_causal=True,
        )
        logits = hidden @ self.embedding.weight.T
        return self.loss(logits.flatten(0, 1), batch.target_out.flatten())


def sinusoids(length: int, d_model: int) -> Tensor:
    """Compute the positions of §3.5: sine and cosine in alternating dimensions."""
    rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def build(task: Task) -> tuple[nn.Module, Step]:
    """Build the model and its training step."""
    model = PlainTransformer(task).to(task.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=task.learning_rate, betas=tuple(task.betas), fused=True)
    return model, plain_step(task, model, optimizer, model)


if __name__ == "__main__":
    serve("torch", build)
