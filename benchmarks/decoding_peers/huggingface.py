"""Hugging Face transformers: ``MarianMTModel.generate``, with its cache."""

from pathlib import Path

import torch
from transformers import MarianMTModel

from decoding_peers.conversion import MARIAN
from decoding_peers.protocol import EOS, Output, Search, Task, in_batches, serve


def build(task: Task) -> Search:
    """Load the model."""
    torch.set_num_threads(task.threads)
    model = MarianMTModel.from_pretrained(Path(task.folder) / MARIAN).eval()
    model.to(task.device, getattr(torch, task.compute))

    @torch.inference_mode()
    def search(rows: list[list[int]], beam: int) -> list[Output]:
        longest = max(map(len, rows)) + 1
        ids = torch.tensor([row + [EOS] + [task.pad] * (longest - len(row) - 1) for row in rows], device=task.device)
        found = model.generate(
            input_ids=ids,
            attention_mask=(ids != task.pad).long(),
            num_beams=beam,
            do_sample=False,
            length_penalty=0.0,
            max_new_tokens=min(2 * longest + 20, task.max_length),
            return_dict_in_generate=True,
            output_scores=beam > 1,
        )
        scores = found.sequences_scores.tolist() if beam > 1 else [None] * len(rows)
        return [(until_end(row[1:]), score) for row, score in zip(found.sequences.tolist(), scores, strict=True)]

    return in_batches(search)


def until_end(row: list[int]) -> list[int]:
    """Cut a row at its end symbol."""
    return row[: row.index(EOS)] if EOS in row else row


if __name__ == "__main__":
    serve("transformers", build)
