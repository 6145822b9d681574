"""A trace as JSON: nothing is lost that was promised, and it stays small."""

import json
import zlib
from base64 import b64decode

import numpy as np
import pytest

from ferryman.errors import DataError
from ferryman.explain import load_trace, trace


@pytest.fixture
def found(make_translator, sentence):
    return trace(make_translator(norm_order="pre", decoding={"beam": 3}), sentence)


def test_what_is_written_is_read_back(found, tmp_path):
    found.save(tmp_path / "a.json")
    loaded = load_trace(tmp_path / "a.json")
    for name in ("model", "decoding", "source", "target", "steps", "beam", "alignment", "entropy_bits", "residual"):
        assert getattr(loaded, name) == getattr(found, name)
    assert list(loaded.tensors) == list(found.tensors)
    for name, values in found.tensors.items():
        np.testing.assert_allclose(loaded.tensors[name], values, atol=1e-5, rtol=1e-3)
    assert loaded.to_json() == (tmp_path / "a.json").read_text(encoding="utf-8")


def test_the_form_is_the_one_that_is_promised(found):
    document = json.loads(found.to_json())
    assert (document["format"], document["version"]) == ("ferryman-trace", 1)
    assert document["alignment"]["from"] == "mean over the heads of decoder layer 2"
    assert "logits" not in document["tensors"]
    assert not any(name.endswith((".scaled", ".masked")) for name in document["tensors"])
    entry = document["tensors"]["decoder.2.cross_attention.weights"]
    assert entry["dtype"] == "unorm16"
    numbers = np.frombuffer(zlib.decompress(b64decode(entry["data"]), -15), "<u2").reshape(entry["shape"])
    np.testing.assert_allclose((numbers / 65535).sum(axis=-1), 1.0, atol=1e-3)


def test_numbers_that_half_precision_cannot_hold_are_kept(found):
    found.tensors["memory"][:] = 1e6
    entry = json.loads(found.to_json())["tensors"]["memory"]
    assert entry["dtype"] == "float32"


def test_a_small_budget_makes_means_of_features_first(found, tmp_path):
    whole = found.to_json()
    found.save(tmp_path / "a.json", budget_bytes=len(whole) * 4 // 5)
    loaded = load_trace(tmp_path / "a.json")
    assert (tmp_path / "a.json").stat().st_size <= len(whole) * 4 // 5
    assert loaded.summarised["encoder.0.feed_forward.hidden"] == 48
    hidden = found.tensors["encoder.0.feed_forward.hidden"]
    bins = loaded.tensors["encoder.0.feed_forward.hidden"]
    np.testing.assert_allclose(bins, hidden.reshape(len(hidden), bins.shape[1], -1).mean(axis=-1), atol=1e-3)
    assert set(loaded.tensors) == set(found.tensors)
    assert loaded.to_json(len(whole)) == (tmp_path / "a.json").read_text(encoding="utf-8")


def test_then_scores_are_left_out_from_the_middle_and_weights_last(found):
    names = set(json.loads(found.to_json(1))["tensors"])
    assert names == set()
    sizes = [len(found.to_json(budget)) for budget in range(10_000, len(found.to_json()), 10_000)]
    assert sizes == sorted(sizes)
    for budget in range(10_000, len(found.to_json()), 5_000):
        names = set(json.loads(found.to_json(budget))["tensors"])
        left_out = set(found.tensors) - names
        if any(not name.endswith(".scores") for name in left_out):
            assert not any(name.endswith(".scores") for name in names)
        if any(name.endswith(".weights") for name in left_out):
            assert all(name.endswith(".weights") for name in names)


def test_eighty_tokens_in_a_large_model_stay_small(make_translator, tokenizer):
    shape = {"d_model": 512, "d_ff": 2048, "heads": 8, "encoder_layers": 6, "decoder_layers": 6}
    decoding = {"beam": 2, "max_length_ratio": 1.0, "max_length_extra": 0}
    translator = make_translator(**shape, decoding=decoding, ending=-50.0)
    found = trace(translator, " ".join(["ferry"] * 79))
    assert len(found.source.tokens) == 80
    assert len(found.target.tokens) == 80
    text = found.to_json()
    assert len(text.encode()) < 4_500_000
    names = json.loads(text)["tensors"]
    assert all(name in names for name in found.tensors if name.endswith(".weights"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "damaged"),
        ("[]", "not a trace"),
        ('{"format":"ferryman-trace","version":2}', "version 2; this program reads 1"),
        ('{"format":"ferryman-trace","version":1}', "damaged"),
        ('{"format":"ferryman-trace","version":1,"alignment":{"from":"a"},"tensors":{"a":{"dtype":"x"}}}', "damaged"),
    ],
)
def test_what_is_no_trace_is_told(tmp_path, content, message):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_trace(tmp_path / "a.json")
    with pytest.raises(DataError, match="No such file"):
        load_trace(tmp_path / "b.json")
