"""Attention as a picture of characters."""

from rich.cells import cell_len

from ferryman.workflows.attention import AttentionMap

SHADES = " ░▒▓█"


def draw(attention: AttentionMap) -> str:
    """Draw one row a target token and one column a source token; the darker, the more attention."""
    labels = [_label(piece) for piece in attention.target]
    width = max(map(cell_len, labels))
    source = [_label(piece) for piece in attention.source]
    height = max(map(len, source))
    lines = [
        " " * width + "  " + "".join(f"{word[row] if row < len(word) else ' '} " for word in source)
        for row in range(height)
    ]
    for label, weights in zip(labels, attention.weights.tolist(), strict=True):
        cells = "".join(SHADES[min(len(SHADES) - 1, round(weight * len(SHADES)))] * 2 for weight in weights)
        lines.append(" " * (width - cell_len(label)) + label + "  " + cells)
    return "\n".join(lines)


def _label(piece: str) -> str:
    return "end" if piece == "</s>" else piece.replace("▁", "") or "_"
