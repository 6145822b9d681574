"""Attention as a picture of characters."""

from collections.abc import Sequence

from rich.cells import cell_len

from ferryman.explain import Trace
from ferryman.explain.values import Token

SHADES = " ░▒▓█"


def draw(trace: Trace) -> str:
    """Draw one row a target token and one column a source token; the darker, the more attention in the last layer."""
    weights = trace.tensors[f"decoder.{trace.model.decoder_layers - 1}.cross_attention.weights"].mean(axis=0)
    labels, source = _labels(trace.target.tokens), _labels(trace.source.tokens)
    width = max(map(cell_len, labels))
    height = max(map(len, source))
    lines = [
        " " * width + "  " + "".join(f"{word[row] if row < len(word) else ' '} " for word in source)
        for row in range(height)
    ]
    for label, row in zip(labels, weights.tolist(), strict=True):
        cells = "".join(SHADES[min(len(SHADES) - 1, round(weight * len(SHADES)))] * 2 for weight in row)
        lines.append(" " * (width - cell_len(label)) + label + "  " + cells)
    return "\n".join(lines)


def _labels(tokens: Sequence[Token]) -> list[str]:
    return ["end" if token.piece == "</s>" else token.text or "_" for token in tokens]
