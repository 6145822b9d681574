"""What ``info`` says of models that we cannot run, and of files that are none."""

import importlib.util
import json
import struct
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

from ferryman import convert
from ferryman.cli.app import app
from ferryman.errors import CheckpointError, ConversionError
from ferryman.workflows.describe import describe


def needs(*packages):
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(absent), reason=f"needs {', '.join(absent)}, of the extra dev")


@pytest.fixture
def made(trained, tmp_path):
    """Convert the tiny trained model: ``made(format, name)``."""

    def make(to, name, **options) -> Path:
        convert(trained[0], tmp_path / name, to, texts=[], **options)
        return tmp_path / name

    return make


@needs("ctranslate2")
@pytest.mark.parametrize("numbers", ["float32", "int8"])
def test_a_model_of_ctranslate2(made, trained, numbers):
    folder = made("ctranslate2", "ct2", quantization=numbers)
    facts, ours = describe(folder), describe(trained[0])
    assert facts["format"] == "CTranslate2, TransformerSpec 7"
    assert facts["translates"].startswith("no: this format is only written")
    assert facts["parameters"] == ours["parameters"] + 330  # and a bias for the logits
    assert facts["numbers"] == ("float32" if numbers == "float32" else "int8, float32")
    assert facts["layers"] == ours["layers"]
    assert facts["width"] + ", relu" == ours["width"]
    assert facts["vocabulary"] == ours["vocabulary"]
    assert facts["bytes"] == sum(path.stat().st_size for path in folder.iterdir())


@needs("ctranslate2")
def test_an_argos_package_is_looked_into_where_it_lies(made, trained, tmp_path):
    path = made("argos", "en-de.argosmodel", quantization="int8")
    before = sorted(tmp_path.rglob("*"))
    facts, ours = describe(path), describe(trained[0])
    assert facts["format"] == "Argos package, CTranslate2's TransformerSpec 7 in it"
    assert (facts["languages"], facts["version"], facts["vocabulary"]) == ("en → de", "1.0", ours["vocabulary"])
    assert facts["parameters"] == ours["parameters"] + 330
    assert "licence" not in facts
    assert sorted(tmp_path.rglob("*")) == before
    done = CliRunner().invoke(app, ["info", str(path), "--json"])
    assert json.loads(done.stdout) == facts
    assert "languages   en → de" in CliRunner().invoke(app, ["info", str(path)]).stdout


@needs("onnx", "onnxruntime")
def test_a_folder_of_onnx(made, trained):
    import onnx

    folder = made("onnx", "onnx")
    facts = describe(folder)
    assert facts["format"].startswith("ONNX, opset 17, written by pytorch 2")
    assert (facts["numbers"], facts["vocabulary"]) == ("float32", describe(trained[0])["vocabulary"])
    for name, count in facts["parameters and constants"].items():
        tensors = onnx.load(folder / name).graph.initializer
        floats = [onnx.numpy_helper.to_array(one).size for one in tensors if one.dims and one.data_type == 1]
        assert count == sum(floats) > 10_000


def test_a_hugging_face_model_of_another_kind(tmp_path):
    config = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 8, "num_layers": 2,
              "num_decoder_layers": 3, "vocab_size": 9}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "parameters" not in describe(tmp_path)
    save_file({"shared.weight": torch.ones(9, 8), "norm.weight": torch.ones(8).half()}, tmp_path / "model.safetensors")
    (tmp_path / "README.md").write_text("---\nlanguage:\n- en\n- de\nlicense: mit\n---\nlicense: none\n")
    facts = describe(tmp_path)
    assert facts.pop("bytes") > 0
    assert facts == {
        "path": str(tmp_path),
        "format": "Hugging Face, t5 (T5ForConditionalGeneration)",
        "translates": "no: those that can are marian, pegasus, m2m_100",
        "languages": "en, de",
        "licence": "mit",
        "parameters": 80,
        "numbers": "float32, float16",
        "layers": "2 encoder, 3 decoder",
        "width": 8,
        "vocabulary": 9,
    }
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 99)
    with pytest.raises(ConversionError, match=r"model.safetensors: cannot read the weights"):
        describe(tmp_path)


def test_without_weights_of_pytorch_it_is_said(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "marian", "encoder_layers": 6}))
    assert describe(tmp_path)["translates"] == "no: there are no weights of PyTorch in it"
    (tmp_path / "README.md").write_text("---\n- :\n  [\n---")
    assert describe(tmp_path)["layers"] == "6 encoder, 6 decoder"


@needs("ctranslate2")
def test_every_file_of_ctranslate2_that_is_cut_off_is_told(made):
    folder = made("ctranslate2", "ct2", quantization="int8")
    whole = (folder / "model.bin").read_bytes()
    for length in [*range(0, 400, 7), *range(400, len(whole), 4999), len(whole) - 1]:
        (folder / "model.bin").write_bytes(whole[:length])
        with pytest.raises(ConversionError, match=r"model.bin: (damaged, or cut off|of version)"):
            describe(folder)
    (folder / "model.bin").write_bytes(struct.pack("<I", 7) + whole[4:])
    with pytest.raises(ConversionError, match=r"of version 7, or not CTranslate2's; known are versions 4 to 6"):
        describe(folder)
    (folder / "model.bin").write_bytes(whole)
    (folder / "shared_vocabulary.json").write_text("{}")
    with pytest.raises(ConversionError, match=r"shared_vocabulary.json holds no list of tokens"):
        describe(folder)


@needs("onnx", "onnxruntime")
def test_graphs_that_are_cut_off_are_told(made):
    folder = made("onnx", "onnx")
    whole = (folder / "encoder.onnx").read_bytes()
    for length in (0, 1, 2, 50, 1000, len(whole) // 2, len(whole) - 1):
        (folder / "encoder.onnx").write_bytes(whole[:length])
        with pytest.raises(ConversionError, match=r"encoder.onnx: damaged, or no ONNX graph"):
            describe(folder)


def package(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"en_de/README.md": b""}, r"not an Argos package: no metadata.json in it"),
        ({"en_de/metadata.json": b"{"}, r"metadata.json is not JSON"),
        ({"en_de/metadata.json": b"[]"}, r"metadata.json holds no object"),
        ({"en_de/metadata.json": b" " * 10_001}, r"metadata.json has 10,001 bytes; 10,000 at most are read"),
        ({"en_de/metadata.json": b"{}", "en_de/model/model.bin": bytes(10_001)}, "would unpack to 10,001 bytes"),
        ({"en_de/metadata.json": b"{}", "en_de/model/model.bin": b"abc"}, r"model.bin: damaged, or cut off"),
    ],
    ids=["no metadata", "no JSON", "no object", "a large text", "a zip bomb", "no model"],
)  # fmt: skip
def test_packages_that_are_none_are_told(tmp_path, monkeypatch, members, problem):
    monkeypatch.setattr("ferryman.interop.facts.argos.LIMIT", 10_000)
    with pytest.raises(ConversionError, match=problem):
        describe(package(tmp_path / "x.argosmodel", members))


def test_damaged_packages_are_told(tmp_path):
    path = package(tmp_path / "x.argosmodel", {"en_de/metadata.json": json.dumps({"from_code": "en"})})
    assert describe(path)["languages"] == "en → ?"
    whole = path.read_bytes()
    for damaged in (b"", b"PK", whole[:-30], whole[:40] + b"\xff" * 20 + whole[60:]):
        path.write_bytes(damaged)
        with pytest.raises(ConversionError, match=r"x.argosmodel: not an Argos package, or a damaged one"):
            describe(path)
    with pytest.raises(CheckpointError, match="no such folder"):
        describe(tmp_path / "absent")
