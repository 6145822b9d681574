"""``ferryman quantize``: eight bits only where they change little (T87)."""

import json

import pytest

from ferryman.engines import choice, int8

pytestmark = pytest.mark.skipif(not int8.has_kernel(), reason="this PyTorch has no kernel for products in eight bits")


@pytest.fixture(autouse=True)
def least(monkeypatch):
    """Let matrices however small, or only those from a size on, be multiplied in eight bits, by either engine."""

    def least(elements):
        monkeypatch.setattr(int8, "WORTH_IT", elements)
        if choice.has_runtime():
            monkeypatch.setattr("ferryman.engines.onnx_graph.WORTH_IT", elements)

    least(1)
    return least


def test_a_model_in_eight_bits(ferryman, trained, tmp_path):
    output = tmp_path / "eight"
    result = ferryman("quantize", trained.folder, trained.source, trained.target, "-o", output, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["agreement_chrf"] > 90
    assert set(found["seconds"]) == set(found["scores"]) == {"float32", "int8"}
    assert found["identical"] > 0.8 * found["sentences"]
    assert abs(found["bleu_lost"]) <= 0.5
    translated = ferryman("translate", output, trained.source)
    assert translated.exit_code == 0
    expected = ferryman("translate", trained.folder, trained.source, "decoding.engine=int8")
    assert translated.stdout == expected.stdout


def test_a_model_that_changes_too_much_is_refused(ferryman, trained, tmp_path):
    output = tmp_path / "eight"
    result = ferryman("quantize", trained.folder, trained.source, "-o", output, "--min-agreement", "100.5")
    assert result.exit_code == 1
    assert "stay with float32" in result.stderr
    assert not output.exists()


def test_a_run_is_not_written_over(ferryman, trained):
    result = ferryman("quantize", trained.folder, trained.source, "-o", trained.folder)
    assert result.exit_code == 2
    assert "choose another --output" in result.stderr


def test_a_model_too_small_to_gain_anything_is_told(ferryman, trained, least):
    least(10**9)
    result = ferryman("quantize", trained.folder, trained.source)
    assert result.exit_code == 1
    assert "no matrix" in result.stderr


@pytest.mark.parametrize("threshold", ["--min-agreement", "--max-loss"])
def test_a_threshold_that_is_no_number_lets_nothing_through(ferryman, trained, tmp_path, threshold):
    result = ferryman("quantize", trained.folder, trained.source, "-o", tmp_path / "int8", threshold, "nan")
    assert result.exit_code == 2
    assert "expected a number, found nan" in result.stderr
    assert not (tmp_path / "int8").exists()
