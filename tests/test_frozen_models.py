"""Models of every release load in this one and translate as they did (T42); see ``data/make_frozen.py``."""

import json
from pathlib import Path

import pytest

from ferryman.checkpoint import load_model
from ferryman.translator import Translator

FOLDERS = sorted((Path(__file__).parent / "data").glob("frozen-*"), key=lambda folder: folder.name)


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name, scope="module")
def frozen(request):
    expected = json.loads((request.param / "expected.json").read_text(encoding="utf-8"))
    return Translator(*load_model(request.param)), expected


def test_there_is_one():
    assert FOLDERS


def test_the_same_translations(frozen):
    translator, expected = frozen
    assert len(expected) > 20
    # What surrounds the model has been added since, and what it does to texts has tests of its own.
    decoding = translator.config.decoding.model_copy(update={"protect": (), "split_sentences": False})
    found = translator.translate([record["source"] for record in expected], decoding)
    assert [one.text for one in found] == [record["text"] for record in expected]
    assert [list(one.flags) for one in found] == [record["flags"] for record in expected]
    assert [one.log_prob for one in found] == pytest.approx([record["log_prob"] for record in expected], abs=1e-3)


def test_the_same_scores(frozen):
    """Of what was said with the tokens that the tokenizer too would cut it into."""
    translator, expected = frozen
    known = [record for record in expected if record["log_prob"] > -1.5 and record["text"]]
    scores = translator.score([record["source"] for record in known], [record["text"] for record in known])
    assert scores == pytest.approx([record["log_prob"] for record in known], abs=1e-3)
