"""Hugging Face transformers' ``MarianMTModel`` from random weights, with what its Trainer takes: fused AdamW.

It knows the paper's order of norms only (post), so beside a pre-norm model it lacks the two final norms.
"""

import torch
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from peers.loop import plain_step
from peers.protocol import EOS, PAD, START, Step, Task, TokenBatch, serve


def marian_config(task: Task) -> MarianConfig:
    """Describe the model of the task."""
    return MarianConfig(
        vocab_size=task.vocab,
        d_model=task.d_model,
        encoder_layers=task.encoder_layers,
        decoder_layers=task.decoder_layers,
        encoder_attention_heads=task.heads,
        decoder_attention_heads=task.heads,
        encoder_ffn_dim=task.d_ff,
        decoder_ffn_dim=task.d_ff,
        activation_function="relu",
        dropout=task.dropout,
        attention_dropout=task.attention_dropout,
        activation_dropout=task.feed_forward_dropout,
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True,
        max_position_embeddings=512,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
        use_cache=False,
    )


def build(task: Task) -> tuple[nn.Module, Step]:
    """Build the model and its training step."""
    model = MarianMTModel(marian_config(task)).to(task.device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=task.learning_rate, betas=tuple(task.betas), weight_decay=0.0, fused=True
    )
    criterion = nn.CrossEntropyLoss(label_smoothing=task.label_smoothing, ignore_index=PAD, reduction="sum")

    def summed_loss(batch: TokenBatch) -> Tensor:
        logits = model(
            input_ids=batch.source, attention_mask=(batch.source != PAD).long(), decoder_input_ids=batch.target_in
        ).logits
        return criterion(logits.flatten(0, 1), batch.target_out.flatten())

    return model, plain_step(task, model, optimizer, summed_loss)


if __name__ == "__main__":
    serve("transformers", build)
