"""Joey NMT: its model, batch class, label-smoothed loss and optimiser, as its ``TrainManager`` uses them."""

from types import SimpleNamespace
from typing import Any

import torch
from joeynmt.batch import Batch
from joeynmt.builders import build_optimizer
from joeynmt.model import build_model
from joeynmt.vocabulary import Vocabulary
from torch import Tensor, nn

from peers.loop import plain_step
from peers.protocol import EOS, FIRST_WORD, PAD, START, UNKNOWN, Step, Task, TokenBatch, serve


def vocabulary(size: int) -> Vocabulary:
    """Make a vocabulary of numbered words after the control symbols."""
    symbols = SimpleNamespace(
        unk_token="<unk>",
        unk_id=UNKNOWN,
        pad_token="<pad>",
        pad_id=PAD,
        bos_token="<s>",
        bos_id=START,
        eos_token="</s>",
        eos_id=EOS,
        sep_token=None,
        sep_id=None,
        lang_tags=[],
    )
    return Vocabulary([str(word) for word in range(FIRST_WORD, size)], symbols)


def model_config(task: Task) -> dict[str, Any]:
    """Describe the model of the task, as the ``model`` section of a Joey NMT configuration does."""
    sides = {
        side: {
            "type": "transformer",
            "num_layers": layers,
            "num_heads": task.heads,
            "hidden_size": task.d_model,
            "ff_size": task.d_ff,
            "dropout": task.dropout,
            "layer_norm": "pre" if task.norm_first else "post",
            "embeddings": {"embedding_dim": task.d_model, "scale": True, "dropout": task.dropout},
        }
        for side, layers in (("encoder", task.encoder_layers), ("decoder", task.decoder_layers))
    }
    return {"tied_embeddings": True, "tied_softmax": True, **sides}


def set_dropout(model: nn.Module, task: Task) -> None:
    """Give attention weights and feed-forward layers rates of their own: Joey NMT has one for all."""
    for layer in [*model.encoder.layers, *model.decoder.layers]:
        layer.feed_forward.pwff_layer[2].p = task.feed_forward_dropout
        for name, part in layer.named_children():
            if name.endswith("_att"):
                part.dropout.p = task.attention_dropout


def build(task: Task) -> tuple[nn.Module, Step]:
    """Build the model and its training step."""
    words = vocabulary(task.vocab)
    model = build_model(model_config(task), words, words).to(task.device)
    model.loss_function = ("crossentropy", task.label_smoothing)
    set_dropout(model, task)
    settings = {"optimizer": "adam", "learning_rate": task.learning_rate, "adam_betas": tuple(task.betas)}
    optimizer = build_optimizer(settings, model.parameters())
    device = torch.device(task.device)

    def summed_loss(tokens: TokenBatch) -> Tensor:
        target = torch.cat((tokens.target_in[:, :1], tokens.target_out), dim=1)
        lengths = (tokens.source != PAD).sum(1)
        order = torch.arange(len(lengths), device=device)
        batch = Batch(tokens.source, lengths, None, target, None, order, device, PAD, EOS)
        batch.sort_by_src_length()
        return model(return_type="loss", **vars(batch))[0]

    return model, plain_step(task, model, optimizer, summed_loss)


if __name__ == "__main__":
    serve("joeynmt", build)
