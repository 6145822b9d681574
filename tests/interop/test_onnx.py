"""Our models go out to ONNX: an encoder and a decoder with a cache, which ONNX Runtime runs."""

import importlib.util
import json

import pytest
import torch

from ferryman import convert
from ferryman.checkpoint import load_model
from ferryman.data.batch import pad_rows
from ferryman.decoding import beam_search
from ferryman.engines.torch_stepper import TorchStepper

needs = [name for name in ("onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(needs), reason=f"needs {', '.join(needs)}, of the extra dev")
TEXTS = ["The river is wide.", "Where is the station, and who are you?", "Anna sleeps."]
VARIANTS = {
    "post-norm, one table": {},
    "pre-norm, three tables, a bias": {
        "norm_order": "pre",
        "source": "en",
        "target": "de",
        "tie": "none",
        "output_bias": True,
    },
    "swiglu, learned positions": {
        "activation": "swiglu",
        "positions": "learned",
        "max_positions": 64,
        "position_offset": 2,
    },
    "several languages": {"source": "several", "target": "several", "start_symbol": "pad", "scale_embedding": False},
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_the_same_hypotheses(make_model, tmp_path, variant):
    import onnxruntime

    from ferryman.interop.onnx_peer import OnnxStepper

    out = tmp_path / "out"
    made = convert(make_model(**variant), out, "onnx", texts=TEXTS)
    assert made.agreement.peer.startswith("onnxruntime")
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    model, _, tokenizers = load_model(tmp_path / "ours")
    symbols = tokenizers.symbols(model.config.start_symbol)
    source, real = pad_rows([tokenizers.source.encode(text) for text in TEXTS], pad=symbols.pad, last=symbols.eos)
    sessions = tuple(onnxruntime.InferenceSession(str(out / f"{side}coder.onnx")) for side in ("en", "de"))
    options = {"beam": 4, "max_lengths": torch.tensor([9, 12, 7]), "bos": symbols.start, "eos": symbols.eos}
    theirs = beam_search(OnnxStepper(sessions, source, real), **options)
    ours = beam_search(TorchStepper(model, source, real), **options)
    assert [[one.tokens for one in each] for each in theirs] == [[one.tokens for one in each] for each in ours]
    scores = [[one.log_prob for each in found for one in each] for found in (theirs, ours)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)
    assert json.loads((out / "ferryman.json").read_text())["eos"] == symbols.eos


def test_a_trained_model_says_the_same(trained, tmp_path):
    folder, texts = trained
    made = convert(folder, tmp_path / "out", "onnx", texts=texts)
    assert made.agreement.equal == made.agreement.sentences > 20, made.agreement
