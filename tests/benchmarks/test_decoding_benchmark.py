import json
from pathlib import Path

import pytest
import torch

from ferryman.config import DecodingConfig, ModelConfig
from ferryman.config_file import load_config
from ferryman.data.batch import Symbols
from ferryman.translator.searching import Searcher

SMALL = (
    "tokenizer.vocab_size=300 model.d_model=128 model.d_ff=128 model.heads=2 model.encoder_layers=2 "
    "model.decoder_layers=2"
).split()
QUICK = ["--presets", "small-deep", "--threads", "1", "--sentences", "12", "--rounds", "1", *SMALL]

pytestmark = pytest.mark.usefixtures("_peers")


@pytest.mark.parametrize("beam", [1, 4])
def test_the_model_copies_and_its_hypotheses_end_at_different_steps(beam: int) -> None:
    from decoding_peers.copying import FORM, make_copier, make_sentences

    config = load_config("small-deep", [*FORM, *SMALL])
    model = make_copier(300, config.model)
    rows = make_sentences(300, 10)
    searcher = Searcher(model, Symbols(pad=299, start=299, eos=0), [299])
    found = searcher.search(rows, DecodingConfig(beam=beam, n_best=beam, length_penalty=0.0))
    assert [list(best.tokens) for best, *_ in found] == [[*row, 0] for row in rows]
    assert all(len({len(one.tokens) for one in hypotheses}) > 1 for hypotheses in found if beam > 1)


def test_sides_with_the_same_weights_say_the_same(run_benchmark, tmp_path: Path) -> None:
    for name in ("marian", "ctranslate2", "ctranslate2-converter"):
        (tmp_path / name).write_text("not a folder")
    done = run_benchmark("decoding.py", "--environments", tmp_path, "--batches", "0", "--json", "--beams", "4", *QUICK)
    result = json.loads(done.stdout)
    case, *others = result["cases"]
    assert not others
    assert (case["preset"], case["beam"], case["batch"], case["threads"]) == ("small-deep", 4, "file", 1)
    ours, naive = case["sides"]["ferryman"], case["sides"]["nn_transformer"]
    assert naive["equal"] == 1
    assert naive["log_prob_difference"] < 1e-4
    assert case["ratio_vs_nn_transformer"] == pytest.approx(
        ours["tokens_per_second"] / naive["tokens_per_second"], abs=1e-3
    )
    for side in (ours, naive):
        assert side["start_seconds"] > 0 < side["peak_megabytes"]
        assert side["processes_replicas_threads"] == [1, 1, 1]
    for name in ("huggingface", "ctranslate2_float32", "ctranslate2_int8"):
        assert f"{name} is left out: " in done.stderr
        assert result["missing"][name]
    assert result["ratio_vs_ctranslate2_int8"] is None


def test_a_model_that_the_peers_lack_is_refused(run_benchmark, tmp_path: Path) -> None:
    done = run_benchmark("decoding.py", "--environments", tmp_path, *QUICK, "model.activation=gelu", code=1)
    assert "model.activation=relu" in done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_told(run_benchmark, tmp_path: Path) -> None:
    done = run_benchmark("decoding.py", "--environments", tmp_path, "--device", "cuda", *QUICK, code=1)
    assert done.stderr == "device: cuda is not available to PyTorch here; there is: cpu\n"


def test_on_a_gpu_every_peer_has_ours_of_the_same_arithmetic() -> None:
    from decoding_peers.crews import ON_CPU, ON_GPU, SIDES

    assert {name.partition("_")[2] for name in ON_GPU if name.startswith("ferryman")} == {"", "bfloat16"}
    assert {SIDES[name].compute for name in ON_GPU if name.startswith("huggingface")} == {"float32", "bfloat16"}
    assert {*ON_CPU, *ON_GPU} == {*SIDES}


def test_arithmetic_is_that_of_training_without_the_way_back() -> None:
    from decoding_peers.arithmetic import decoding_flop
    from peers.arithmetic import training_flop

    config = ModelConfig(d_model=32, d_ff=64, heads=2, encoder_layers=3, decoder_layers=2)
    lengths = [(7, 5), (4, 9)]
    greedy, wide = (decoding_flop(config, 50, lengths, beam) for beam in (1, 4))
    assert greedy == training_flop(config, 50, lengths) / 3
    once = decoding_flop(config, 50, [(source, 0) for source, _ in lengths], 1)
    assert wide - once == 4 * (greedy - once)


def test_a_token_reads_every_weight_of_the_decoder_once() -> None:
    from decoding_peers.arithmetic import weights_read
    from ferryman.model.transformer import Transformer

    config = ModelConfig(d_model=32, d_ff=64, heads=2, encoder_layers=3, decoder_layers=2)
    model = Transformer(50, 50, config)
    layers = sum(p.numel() for name, p in model.named_parameters() if name.startswith("decoder.") and p.dim() > 1)
    of_memory = config.decoder_layers * 2 * 32 * 32
    one, two = (weights_read(config, 50, [(5, length)], "float32") for length in (1, 2))
    assert two - one == 4 * (layers - of_memory + model.target_table.numel())
    assert weights_read(config, 50, [(5, 1)], "int8") == one / 4
    assert weights_read(config, 50, [(5, 1)], "bfloat16") == one / 2


def test_sides_that_differ_are_refused() -> None:
    from decoding_peers.checking import DifferentError, agreement, check

    ours = [[[1, 2], -1.0], [[3], -2.0]]
    same = agreement(ours, [[[1, 2], -1.003], [[3], None]])
    assert same == {"equal": 1.0, "log_prob_difference": pytest.approx(0.001)}
    check({**same, "log_prob_difference": 1e-5}, "float32")
    check({**same, "log_prob_difference": 0.1}, "int8")
    check({**same, "log_prob_difference": 0.1}, "bfloat16")
    with pytest.raises(DifferentError, match="nats a token"):
        check({**same, "log_prob_difference": 0.1}, "float32")
    with pytest.raises(DifferentError, match=r"only .* of its translations"):
        check(agreement(ours, [[[1, 2], -1.0], [[4], -2.0]]), "int8")


def test_batches_hold_every_row_once_within_their_tokens() -> None:
    from decoding_peers.protocol import batches

    rows = [[5] * length for length in (3, 9, 1, 4, 4, 30)]
    found = list(batches(rows, 12))
    assert sorted(number for batch in found for number in batch) == list(range(6))
    assert all(len(batch) == 1 or len(batch) * max(len(rows[n]) + 1 for n in batch) <= 12 for batch in found)
    assert len(list(batches(rows, 0))) == 1


def test_a_crew_shares_the_work_and_keeps_the_order() -> None:
    from decoding_peers.crews import Crew
    from decoding_peers.protocol import Request, answer

    rows = [[number] * (number + 1) for number in range(5)]

    class Member:
        def tell(self, line: str) -> None:
            self.request = Request(**json.loads(line))

        def hear(self) -> dict:
            return answer(lambda chosen, beam, size: [(row, -1.0) for row in chosen], rows, self.request)

    crew = Crew([Member(), Member()], "1", 0.0)
    done = crew.work(Request([4, 2, 0, 1], beam=2, at_once=1, batch_tokens=0, outputs=True))
    assert [tokens for tokens, _ in done["outputs"]] == [rows[number] for number in (4, 2, 0, 1)]
    assert done["tokens"] == sum(len(rows[number]) + 1 for number in (4, 2, 0, 1))
    assert len(crew.peak_bytes) == 2
    assert min(crew.peak_bytes) > 0
    assert crew.work(Request([3], beam=2, at_once=0, batch_tokens=9))["tokens"] == len(rows[3]) + 1


def test_ways_to_use_two_threads() -> None:
    from decoding_peers.crews import SIDES, Arrangement
    from decoding_peers.measuring import Case, arrangements

    ours, fast = SIDES["ferryman"], SIDES["ctranslate2_int8"]
    together, alone = Arrangement(threads=2), Arrangement()
    file, single = (Case(10, at_once, beam=4, threads=2) for at_once in (0, 1))
    assert arrangements(ours, file) == [together]
    assert arrangements(fast, file) == [Arrangement(replicas=2), together]
    assert arrangements(ours, single) == arrangements(fast, single) == [together, alone]
    assert Arrangement(replicas=2) in arrangements(fast, Case(10, 32, beam=4, threads=2))
    assert arrangements(ours, Case(10, 0, beam=4, threads=1)) == [alone]


def test_a_model_is_made_once(tmp_path: Path) -> None:
    from decoding_peers.conversion import OURS
    from decoding_peers.copying import FORM
    from decoding_peers.models import make_model

    config = load_config("small-deep", [*FORM, *SMALL])
    folder = make_model(config, tmp_path)
    written = (folder / OURS).stat().st_mtime_ns
    assert make_model(config, tmp_path) == folder
    assert (folder / OURS).stat().st_mtime_ns == written
    assert make_model(load_config("small-deep", [*FORM, *SMALL, "model.heads=4"]), tmp_path) != folder
