"""Ferryman's own search, as ``ferryman translate`` calls it."""

import json
from collections.abc import Sequence
from pathlib import Path

from safetensors.torch import load_file

from decoding_peers.conversion import OURS, SHAPE
from decoding_peers.protocol import EOS, Output, Search, Task, serve
from ferryman.checkpoint import load_weights
from ferryman.config_file import load_config
from ferryman.data.batch import Symbols
from ferryman.engines.devices import keep_memory, set_threads
from ferryman.model.transformer import Transformer
from ferryman.translator.searching import Searcher


def build(task: Task) -> Search:
    """Load the model."""
    set_threads(task.threads)
    keep_memory()  # as ferryman translate does
    config = load_config(task.preset, task.settings)
    weights = Path(task.folder) / OURS
    vocab = json.loads((Path(task.folder) / SHAPE).read_text(encoding="utf-8"))["vocab"]
    model = Transformer(vocab, vocab, config.model).eval()
    load_weights(model, load_file(weights), weights)
    model.to(task.device)
    searcher = Searcher(model, Symbols(pad=task.pad, start=task.pad, eos=EOS), [task.pad])

    def search(rows: Sequence[list[int]], beam: int, batch_tokens: int) -> list[Output]:
        tokens = batch_tokens or len(rows) * (max(map(len, rows)) + 1)
        changes = {"beam": beam, "length_penalty": 0.0, "n_best": 1, "batch_tokens": tokens * beam}
        changes |= {"engine": "int8"} if task.compute == "int8" else {"precision": task.compute}
        found = searcher.search(rows, config.decoding.model_copy(update=changes))
        return [(best.tokens[:-1] if best.finished else best.tokens, best.log_prob) for best, *_ in found]

    return search


if __name__ == "__main__":
    serve("ferryman", build)
