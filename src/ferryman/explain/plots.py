"""Pictures of a trace (extra ``plot``): which words come from which, and what each head looks at."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ferryman.errors import ConfigError
from ferryman.explain.values import Token, Trace
from ferryman.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["encoder", "decoder", "cross"]
ENDINGS = (".png", ".svg")
_STACKS = {"encoder": "encoder.{}.self_attention", "decoder": "decoder.{}.self_attention"}
_TITLES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder masked self-attention (rows: the token that was read)",
    "cross": "Encoder-decoder attention (rows: the token that is said next)",
}
_CELL, _SMALL = 0.32, 2.6  # inches: of a cell, and of a small map


def check_matplotlib() -> None:
    """Check that matplotlib is installed.

    Raises:
        ConfigError: it is not; says how to get it.

    """
    if importlib.util.find_spec("matplotlib") is None:
        raise ConfigError("pictures need matplotlib; install it with pip install 'ferryman[plot]'")


def draw_alignment(trace: Trace, path: Path) -> str:
    """Draw the attention that aligns words, a row a target token, with the links framed; return what no font has.

    The picture is PNG or SVG by the ending of ``path``, and written whole or not at all.

    Raises:
        ConfigError: matplotlib is not installed, or the ending is another.

    """
    weights = _weights(trace, f"decoder.{trace.alignment.layer}.cross_attention").mean(axis=0)
    source, target = trace.source.tokens, trace.target.tokens
    figure = _figure(2.2 + _CELL * len(source), 2.0 + _CELL * len(target))
    axes = figure.subplots()
    _map(axes, weights, target, source)
    for source_word, target_word in trace.alignment.links:
        _frame(axes, trace.source.words[source_word], trace.target.words[target_word])
    axes.set_title(f"Attention to the source: {trace.alignment.told_by}", fontsize=9, pad=8)
    return _save(figure, trace, path)


def draw_attention(trace: Trace, kind: Kind, path: Path, layer: int | None = None) -> str:
    """Draw every head of a layer (from 1), or of all layers, a row a layer; return what no font has.

    Raises:
        ConfigError: see ``draw_alignment``; or there is no such layer.

    """
    layers = _layers(trace, kind, layer)
    queries = {"encoder": trace.source.tokens, "decoder": trace.target.inputs, "cross": trace.target.tokens}[kind]
    keys = trace.target.inputs if kind == "decoder" else trace.source.tokens
    heads = trace.model.heads
    columns = heads if layer is None else min(heads, 4)
    rows = -(-len(layers) * heads // columns)
    wide, high = (max(_SMALL, 0.9 + 0.17 * len(tokens)) for tokens in (keys, queries))
    figure = _figure(wide * columns, high * rows + 0.5)
    figure.suptitle(_TITLES[kind], fontsize=12)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    shown = [(index, head) for index in layers for head in range(heads)]
    for axes, (index, head) in zip(grid, shown, strict=False):
        _map(axes, _weights(trace, _name(kind, index))[head], queries, keys, size=6)
        axes.set_title(f"layer {index + 1}, head {head + 1}", fontsize=8)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    return _save(figure, trace, path)


def _layers(trace: Trace, kind: Kind, layer: int | None) -> list[int]:
    stack = "encoder" if kind == "encoder" else "decoder"
    count = trace.model.encoder_layers if kind == "encoder" else trace.model.decoder_layers
    if layer is not None and not 1 <= layer <= count:
        raise ConfigError(f"layer {layer}: the {stack} has layers 1 to {count}")
    return list(range(count)) if layer is None else [layer - 1]


def _weights(trace: Trace, attention: str) -> np.ndarray:
    if f"{attention}.weights" not in trace.tensors:
        raise ConfigError(f"the trace does not hold {attention}: it was left out to keep the file small")
    return trace.tensors[f"{attention}.weights"]


def _name(kind: Kind, layer: int) -> str:
    return _STACKS.get(kind, "decoder.{}.cross_attention").format(layer)


def _figure(width: float, height: float) -> "Figure":
    check_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _map(axes: "Axes", weights: np.ndarray, queries: Sequence[Token], keys: Sequence[Token], size: float = 9) -> None:
    """Draw one map: the darker, the more attention."""
    axes.imshow(weights, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")
    axes.set_xticks(range(len(keys)), [_label(token) for token in keys], rotation=90, fontsize=size)
    axes.set_yticks(range(len(queries)), [_label(token) for token in queries], fontsize=size)
    axes.tick_params(length=0)


def _label(token: Token) -> str:
    return {"</s>": "end", "<s>": "start"}.get(token.piece, token.text or "␣").replace("$", r"\$")


def _frame(axes: "Axes", columns: Sequence[int], rows: Sequence[int]) -> None:
    from matplotlib.patches import Rectangle

    corner, width, height = (min(columns) - 0.5, min(rows) - 0.5), len(columns), len(rows)
    axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor="#d1495b", linewidth=1.4))


def _save(figure: "Figure", trace: Trace, path: Path) -> str:
    from matplotlib import rc_context

    from ferryman.explain.fonts import families_for

    texts = [token.text for token in (*trace.source.tokens, *trace.target.tokens)]
    families, missing = families_for([*texts, *(token.piece for token in trace.target.inputs)])
    with rc_context({"font.family": families}):
        for axes in figure.axes:
            for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
                label.set_fontfamily(families)
        save_figure(figure, path)
    return missing


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG or SVG, whole or not at all, with the name of this program in it.

    Raises:
        ConfigError: the ending is neither.

    """
    kind = path.suffix.lower()
    if kind not in ENDINGS:
        raise ConfigError(f"{path}: a picture ends in {' or '.join(ENDINGS)}")
    about = {"Software": "Ferryman"} if kind == ".png" else {"Creator": "Ferryman", "Date": None}
    with replacing(path) as unfinished:
        figure.savefig(unfinished, format=kind[1:], dpi=150, metadata=about)
