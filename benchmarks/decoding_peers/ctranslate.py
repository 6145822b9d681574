"""CTranslate2, in float32 or with int8 weights; replicas share their weights. Names of tokens are made beforehand."""

from collections.abc import Sequence
from pathlib import Path

import ctranslate2

from decoding_peers.conversion import CTRANSLATE2
from decoding_peers.protocol import EOS, Output, Search, Task, serve


def build(task: Task) -> Search:
    """Load the model."""
    folder = Path(task.folder) / CTRANSLATE2.format(task.compute)
    translator = ctranslate2.Translator(
        str(folder),
        device="cpu",
        compute_type=task.compute,
        inter_threads=task.replicas,
        intra_threads=task.threads,
    )

    def search(rows: Sequence[list[int]], beam: int, batch_tokens: int) -> list[Output]:
        limits = (
            {"max_batch_size": batch_tokens, "batch_type": "tokens"}
            if batch_tokens
            else {"max_batch_size": -(-len(rows) // task.replicas), "batch_type": "examples"}
        )
        found = translator.translate_batch(
            [[str(token) for token in [*row, EOS]] for row in rows],
            beam_size=beam,
            length_penalty=0.0,
            max_decoding_length=task.max_length,
            return_scores=True,
            **limits,
        )
        return [([int(token) for token in result.hypotheses[0]], result.scores[0]) for result in found]

    return search


if __name__ == "__main__":
    serve("ctranslate2", build)
