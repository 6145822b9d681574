"""What the decoder looks at while it writes a translation that is known."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ferryman.data.batch import Symbols, pad_rows
from ferryman.errors import ConfigError
from ferryman.model.state import DecoderState
from ferryman.model.transformer import Transformer


def attending(
    model: Transformer, memory: DecoderState, target_in: Int[Tensor, "batch tgt"], layers: Sequence[int]
) -> tuple[Float[Tensor, "batch tgt d_model"], list[Float[Tensor, "batch heads tgt src"]]]:
    """Run the decoder over whole translations; return its output and the encoder-decoder attention of some layers."""
    wanted = [f"decoder.{layer}.cross_attention.weights" for layer in layers]
    seen: dict[str, Tensor] = {}

    def observe(name: str, tensor: Tensor) -> None:
        if name in wanted:
            seen[name] = tensor

    hidden, _ = model.decode(target_in, memory, observe if wanted else None)
    return hidden, [seen[name] for name in wanted]


@torch.inference_mode()
def attend_to_pair(
    model: Transformer, symbols: Symbols, source: Sequence[int], target: Sequence[int], layers: Sequence[int]
) -> Float[np.ndarray, "layers heads tgt src"]:
    """Return how much each target token looked at each source token and, if the model reads one, at its end.

    One pair at a time, so that no other can change a digit of it. ``target`` has its end symbol, if it was said.
    """
    device = next(model.parameters()).device
    source_ids, _ = pad_rows([source], pad=symbols.pad, last=symbols.source_end)
    target_in, _ = pad_rows([target[:-1]], pad=symbols.pad, first=symbols.start)
    memory = model.eval().encode(source_ids.to(device))
    _, seen = attending(model, memory, target_in.to(device), layers)
    weights: Float[np.ndarray, "layers heads tgt src"] = torch.cat(seen).float().cpu().numpy()
    return weights


def alignment_layer(model: Transformer, number: int) -> int:
    """Turn the number of a decoder layer, from 1, into its index; 0: the last but one, but of one or two the last.

    The last but one aligns words best in deep decoders (Garg et al., 2019).

    Raises:
        ConfigError: there is no such layer.

    """
    layers = model.config.decoder_layers
    if number > layers:
        raise ConfigError(f"decoding.alignment_layer: {number}, but the decoder has {layers}; 0 chooses one")
    return number - 1 if number else (layers - 2 if layers > 2 else layers - 1)


def last_two(model: Transformer) -> range:
    """Return the indices of the last two decoder layers.

    To put back what was taken out of a source their mean is used: whichever of the two aligns better, it is near that
    (of 100 words of the phrasebook 84; one of them alone 85, the other 80).
    """
    layers = model.config.decoder_layers
    return range(max(0, layers - 2), layers)
