"""Pictures: they are what their ending says, show what is asked for and write every script."""

import importlib.util
import json

import pytest

from ferryman.errors import ConfigError, DataError
from ferryman.explain import trace
from ferryman.explain.curves import draw_curves
from ferryman.explain.fonts import families_for
from ferryman.explain.plots import draw_alignment, draw_attention

pytest.importorskip("matplotlib")
PNG, SVG = b"\x89PNG\r\n", b"<?xml"


@pytest.fixture
def found(make_translator, sentence):
    return trace(make_translator(), sentence)


def test_the_alignment_is_drawn_with_its_links(found, tmp_path):
    assert draw_alignment(found, tmp_path / "a.png") == ""
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    assert b"Ferryman" in (tmp_path / "a.png").read_bytes()[:400]
    draw_alignment(found, tmp_path / "a.svg")
    drawing = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawing.count("stroke: #d1495b") == len(found.alignment.links)


@pytest.mark.parametrize(
    ("kind", "layer", "maps"), [("encoder", None, 8), ("decoder", None, 12), ("cross", None, 12), ("cross", 2, 4)]
)
def test_every_head_has_its_map(found, tmp_path, kind, layer, maps):
    draw_attention(found, kind, tmp_path / "a.svg", layer)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<image ") == maps


def test_what_cannot_be_drawn_is_told(found, tmp_path):
    with pytest.raises(ConfigError, match="layer 4: the decoder has layers 1 to 3"):
        draw_attention(found, "cross", tmp_path / "a.svg", 4)
    with pytest.raises(ConfigError, match="a picture ends in"):
        draw_alignment(found, tmp_path / "a.pdf")
    del found.tensors["decoder.1.cross_attention.weights"]
    with pytest.raises(ConfigError, match=r"does not hold decoder\.1\.cross_attention: it was left out"):
        draw_alignment(found, tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(found, tmp_path, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else there(name))
    with pytest.raises(ConfigError, match=r"pip install 'ferryman\[plot\]'"):
        draw_alignment(found, tmp_path / "a.svg")


def test_fonts_are_found_for_characters_and_what_has_none_is_told():
    assert families_for(["river", " "]) == (["DejaVu Sans"], "")
    families, missing = families_for(["river 河 \U0010fffd"])
    assert "\U0010fffd" in missing
    assert ("河" in missing) == (len(families) == 1)


LINES = [
    {"kind": "step", "step": 10, "loss": 5.0, "nll": 4.5, "learning_rate": 0.1},
    {"kind": "validation", "step": 10, "figures": {"loss": 4.0, "bleu": 3.0, "chrf": None}},
    {"kind": "step", "step": 20, "loss": None, "nll": 4.0, "learning_rate": 0.05},
]


@pytest.mark.parametrize(("lines", "panels"), [(LINES, 3), (LINES[:1], 2)])
def test_the_curves_of_a_run(tmp_path, lines, panels):
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    draw_curves(tmp_path, tmp_path / "a.svg")
    drawing = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawing.count('<g id="axes_') == panels


def test_a_run_without_figures_is_told(tmp_path):
    with pytest.raises(DataError, match=r"no metrics\.jsonl in it; give the folder of a training run"):
        draw_curves(tmp_path, tmp_path / "a.svg")
    (tmp_path / "metrics.jsonl").write_text('{"kind": "stop", "step": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match="no figures in it yet"):
        draw_curves(tmp_path, tmp_path / "a.svg")
