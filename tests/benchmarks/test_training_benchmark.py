import json
import math
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from ferryman.config import ModelConfig
from ferryman.model.transformer import Transformer

TINY = "model.d_model=32 model.d_ff=64 model.heads=2 tokenizer.vocab_size=300".split()
QUICK = ["--rounds", "2", "--steps", "2", "--batch-tokens", "128", "--threads", "1", *TINY]


def test_sides_train_the_same_model_on_the_same_batches(run_benchmark, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run_benchmark("training.py", "--peers", "--environments", blocked / "in", "--json", *QUICK)
    result = json.loads(done.stdout)
    ours, plain = (result["sides"][name] for name in ("ferryman", "nn_transformer"))
    assert ours["parameters"] == plain["parameters"]
    for side in (ours, plain):
        first, last = side["loss_first_and_last"]
        assert last < first == pytest.approx(math.log(300), abs=0.7)
        assert side["gflop_per_second"] == pytest.approx(
            side["tokens_per_second"] * result["mflop_per_target_token"] / 1e3, abs=0.1
        )
    assert result["fastest_peer"] == "nn_transformer"
    assert result["ratio_vs_fastest_peer"] == result["ratio_vs_nn_transformer"]
    for name in ("marian", "joeynmt"):
        assert result["sides"][name] is result[f"{name}_tokens_per_second"] is result[f"ratio_vs_{name}"] is None
        assert "--environments" in result["missing"][name]
        assert f"{name} is left out" in done.stderr


def test_settings_that_the_peers_lack_are_refused(run_benchmark) -> None:
    assert "model.activation=relu" in run_benchmark("training.py", *QUICK, "model.activation=gelu", code=1).stderr


@pytest.mark.usefixtures("_peers")
def test_arithmetic_is_what_pytorch_counts() -> None:
    from peers.arithmetic import training_flop

    config = ModelConfig(d_model=32, d_ff=64, heads=2, encoder_layers=3, decoder_layers=2)
    source, target, vocab = 7, 5, 50
    model = Transformer(vocab, vocab, config).eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        model(torch.ones(1, source, dtype=torch.long), torch.ones(1, target, dtype=torch.long))
    # what PyTorch counts and no training needs: scores of later positions (it counts a whole square)
    above_diagonal = config.decoder_layers * 2 * 2 * config.d_model * target * (target - 1) // 2
    assert training_flop(config, vocab, [(source, target)]) == 3 * (counter.get_total_flops() - above_diagonal)


@pytest.mark.usefixtures("_peers")
def test_a_side_that_fails_says_why(tmp_path: Path) -> None:
    from peers.protocol import Task
    from peers.workers import Worker, WorkerError

    task = Task(**{field.name: 1 for field in fields(Task)})
    with pytest.raises(WorkerError, match="Error"):
        Worker("ours", Path(sys.executable), task, tmp_path)


@pytest.mark.usefixtures("_peers")
@pytest.mark.skipif(sys.platform == "win32", reason="the side is a shell script")
def test_a_side_that_dies_before_it_is_spoken_to_says_why(tmp_path: Path) -> None:
    from peers.protocol import Task
    from peers.workers import Worker, WorkerError

    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec 0<&-\necho no such thing >&2\n", encoding="utf-8")
    python.chmod(0o755)
    task = Task(**{field.name: "long" * 100_000 for field in fields(Task)})
    with pytest.raises(WorkerError, match="no such thing"):
        Worker("ours", python, task, tmp_path)
