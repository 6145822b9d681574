"""Draw the README's picture from a trained demonstration: ``make demo && python docs/figures.py``."""

import sys
from html import escape
from pathlib import Path

from ferryman import load
from ferryman.explain import Trace, trace

HERE = Path(__file__).parent
SENTENCE = "My sister is drinking two cups of tea in the garden."
CELL, LEFT, TOP = 34, 120, 110


def main() -> None:
    """Translate the sentence and draw where the decoder looked."""
    translator = load(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/demo"))
    (HERE / "attention.svg").write_text(draw(trace(translator, SENTENCE)), encoding="utf-8", newline="\n")


def draw(watched: Trace) -> str:
    """Draw a heat map: columns are source tokens, rows target tokens in the order they were written."""
    attention = watched.tensors[f"decoder.{watched.model.decoder_layers - 1}.cross_attention.weights"].mean(axis=0)
    source, target = ([token.piece for token in side.tokens] for side in (watched.source, watched.target))
    width = LEFT + CELL * len(source) + 40
    height = TOP + CELL * len(target) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Noto Sans, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, Helvetica, Arial, sans-serif" '
        'font-size="15" role="img">',
        "<title>Encoder-decoder attention: darker where the decoder looked</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff" rx="8"/>',
    ]
    for column, piece in enumerate(source):
        x = LEFT + CELL * column + CELL / 2
        parts.append(
            f'<text transform="translate({x + 4:g},{TOP - 10}) rotate(-50)" fill="#222222">{label(piece)}</text>'
        )
    for row, (piece, weights) in enumerate(zip(target, attention.tolist(), strict=True)):
        y = TOP + CELL * row
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + CELL / 2 + 5:g}" text-anchor="end" fill="#222222">{label(piece)}</text>'
        )
        for column, weight in enumerate(weights):
            parts.append(
                f'<rect x="{LEFT + CELL * column}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" rx="3" '
                f'fill="#0b6e8f" fill-opacity="{0.05 + 0.95 * weight:.2f}"/>'
            )
    return "\n".join([*parts, "</svg>", ""])


def label(piece: str) -> str:
    """Write a piece as a reader sees it."""
    return "end" if piece == "</s>" else escape(piece.replace("▁", "") or "·")


if __name__ == "__main__":
    main()
