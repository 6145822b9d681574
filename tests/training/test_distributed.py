"""Two processes train as one does: same weights, same decisions, whatever happens to one of them alone.

The processes run tests/training/scenarios.py once; here is what must be true of what they did.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch.distributed import HashStore
from toy_task import SYMBOLS, new_trainer, of_kind, optimizer_state, run, tiny_model, without_timings

from ferryman.data.batch import Batch
from ferryman.data.sampler import Position
from ferryman.errors import ConfigError
from ferryman.training import distributed
from ferryman.training.distributed import ALONE, VARIABLES, Workers, _attempt, is_loss_of_a_worker, join
from ferryman.training.events import Logged, Stepped, Stopped, Validated
from ferryman.training.feed import Feed
from ferryman.training.resume import load_state, save_state
from processes import end_together, start_together

STEPS = 8
BAD = "decoder.layers.0.feed_forward.outer.weight"
CHAOTIC = "in_projection.bias"  # a key's bias has no influence: its gradient is rounding, which Adam makes large


def alone(store, **settings):
    """One process that takes the batches of both in every step."""
    settings = {"steps": STEPS, "log_every_steps": 1, "validate_every_steps": 4, "accumulate": 2, **settings}
    return new_trainer(store, model=tiny_model(dropout=0.0), **settings)


def state_of(trainer):
    state = optimizer_state(trainer.updater)
    found = {f"{name} ": parameter.detach() for name, parameter in trainer.model.named_parameters()}
    for name, parameter in trainer.model.named_parameters():
        found |= {f"{name} {part}": tensor for part, tensor in state.get(parameter, {}).items()}
    return found


def losses(events):
    return [event.loss for event in of_kind(events, Logged)]


def assert_equal(actual, expected):
    assert actual.keys() == expected.keys()
    assert [name for name, tensor in expected.items() if not torch.equal(actual[name], tensor)] == []


def assert_close(actual, expected, tolerance=1e-5):
    assert actual.keys() == expected.keys()
    for name, tensor in expected.items():
        if CHAOTIC not in name:
            torch.testing.assert_close(actual[name], tensor, atol=tolerance, rtol=1e-3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("together")


@pytest.fixture(scope="module")
def told(folder, reversals):
    """What each of two processes did, by scenario."""
    torch.manual_seed(0)
    half = alone(reversals, steps=STEPS // 2)
    run(half)
    save_state(folder / "one", half)
    ends = end_together(start_together([Path(__file__).parent / "scenarios.py", reversals.folder, folder]))
    assert ends == [(0, ""), (0, "")]
    return [torch.load(folder / f"{rank}.pt", weights_only=False) for rank in range(2)]


def test_two_processes_are_one_with_twice_the_batches_a_step(told, reversals):
    one = alone(reversals)
    events = run(one)
    for rank in told:
        assert_close(rank["plain"]["state"], state_of(one))
        assert losses(rank["plain"]["events"]) == pytest.approx(losses(events), rel=1e-5)
        figures = [event.figures["loss"] for event in of_kind(rank["plain"]["events"], Validated)]
        assert figures == pytest.approx([event.figures["loss"] for event in of_kind(events, Validated)], rel=1e-5)
    assert_equal(told[0]["plain"]["state"], told[1]["plain"]["state"])


def test_so_are_accumulated_batches(told, reversals):
    one = alone(reversals, accumulate=6, steps=3)
    run(one)
    assert_close(told[0]["accumulated"]["state"], state_of(one))
    assert told[1]["accumulated"]["progress"].position == one.progress.position


def test_every_batch_is_read_by_one_process_alone_across_odd_ends_of_epochs(told, reversals):
    sampler = alone(reversals).sampler
    assert len(sampler.epoch(0)) % 2 == 1
    order, count = sampler.batches(Position()), 2 * STEPS
    assert count > len(sampler.epoch(0))
    drawn = [next(order)[0].tolist() for _ in range(count)]
    assert [rank["plain"]["loaded"] for rank in told] == [drawn[0::2], drawn[1::2]]
    assert told[0]["plain"]["progress"].position == told[1]["plain"]["progress"].position != Position()


def test_gradients_travel_in_as_many_buckets_as_they_fill(told, reversals):
    one = alone(reversals, steps=2)
    run(one)
    assert_close(told[1]["small_buckets"]["state"], state_of(one))


def test_a_run_of_as_many_processes_goes_on_bit_for_bit(told):
    """With dropout, of which every process has its own."""
    for rank in told:
        whole, resumed = rank["whole"], rank["resumed"]
        assert_equal(resumed["state"], whole["state"])
        assert losses(whole["events"])[STEPS // 2 :] == losses(resumed["events"])
    assert_equal(told[0]["resumed"]["state"], told[1]["resumed"]["state"])


def test_a_run_of_one_process_goes_on_with_two(told, reversals):
    one = alone(reversals)
    run(one)
    for rank in told:
        assert_close(rank["resumed_of_one"]["state"], state_of(one))
        assert rank["resumed_of_one"]["progress"].position == one.progress.position


def test_a_run_of_two_processes_goes_on_with_one(told, folder, reversals):
    one, other = alone(reversals), alone(reversals)
    run(one)
    load_state(folder / "two", other)
    assert other.progress.step_batches == 2
    run(other)
    assert_close(state_of(other), state_of(one))


def test_random_numbers_depend_on_step_and_rank_alone(told):
    first, second = (rank["streams"] for rank in told)
    assert first[0] == first[2]
    assert second[0] == second[2]
    assert len({*first, *second}) == 4


def test_a_process_by_itself_goes_on_with_its_random_numbers():
    before = torch.get_rng_state()
    ALONE.seed(1, 2)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_lack_of_memory_of_one_process_is_nothing_to_the_other(told):
    for rank in told:
        assert_close(rank["out_of_memory"]["state"], rank["plain"]["state"])
        splits = [event.splits for event in of_kind(rank["out_of_memory"]["events"], Stepped)]
        assert max(splits) > 0
        assert sum(splits) == rank["out_of_memory"]["progress"].splits
    assert told[0]["out_of_memory"]["progress"].splits == told[1]["out_of_memory"]["progress"].splits


@pytest.mark.parametrize("scenario", ["not_finite", "sharded_not_finite"])
def test_a_gradient_of_one_process_that_is_not_finite_skips_the_step_of_both(told, scenario):
    for rank in told:
        bad = [event.bad_tensor for event in of_kind(rank[scenario]["events"], Stepped)]
        assert [step for step, name in enumerate(bad, start=1) if name] == [3]
        assert rank[scenario]["progress"].skipped_steps == 1
        assert scenario != "not_finite" or bad[2] == BAD
    assert_equal(told[0][scenario]["state"], told[1][scenario]["state"])
    assert all(tensor.isfinite().all() for tensor in told[0][scenario]["state"].values())


def test_a_request_to_one_process_stops_both_at_the_same_step(told):
    ends = [rank["asked_to_stop"]["events"][-1] for rank in told]
    assert [(end.step, end.reason) for end in ends] == [(3, "interrupted by SIGTERM")] * 2
    assert told[0]["asked_to_stop"]["asked"] is None
    assert not any(of_kind(rank["asked_to_stop"]["events"], Validated) for rank in told)


def test_the_leaders_clock_is_everybodys(told):
    first, second = (rank["clocks"] for rank in told)
    assert first["progress"].step == second["progress"].step > 10
    assert first["events"][-1].reason == second["events"][-1].reason
    assert "used" in first["events"][-1].reason
    assert first["progress"].seconds < 70
    rates = [[event.learning_rate for event in of_kind(rank["clocks"]["events"], Logged)] for rank in told]
    assert rates[0] == rates[1]
    assert len(of_kind(first["events"], Validated)) == len(of_kind(second["events"], Validated)) == 2
    assert_equal(first["state"], second["state"])


def test_the_leader_alone_validates_and_both_heed_it(told):
    for rank in told:
        end = rank["patience"]["events"][-1]
        assert (end.step, end.reason, end.best_step) == (8, "no improvement in 2 validations", 4)


# In parts (FSDP2)


def test_weights_in_parts_are_trained_like_whole_ones(told):
    for rank in told:
        assert_close(rank["sharded"]["state"], rank["plain"]["state"], tolerance=2e-4)
        assert losses(rank["sharded"]["events"]) == pytest.approx(losses(rank["plain"]["events"]), rel=1e-4)
        norms = [
            [event.gradient_norm for event in of_kind(rank[name]["events"], Logged)] for name in ("sharded", "plain")
        ]
        assert norms[0] == pytest.approx(norms[1], rel=1e-3)
        validated = [of_kind(rank[name]["events"], Validated)[-1].figures["loss"] for name in ("sharded", "plain")]
        assert validated[0] == pytest.approx(validated[1], rel=1e-4)


def test_each_process_holds_its_part(told, reversals):
    size = sum(parameter.numel() for parameter in alone(reversals).model.parameters())
    parts = [rank["sharded"]["parts"] for rank in told]
    assert sum(parts) == size
    assert max(parts) < 0.6 * size


def test_what_is_saved_of_parts_is_an_ordinary_file(told, folder, reversals):
    saved, again = load_file(folder / "sharded"), load_file(folder / "sharded_again")
    assert_equal({name: again[name] for name in saved if "random" not in name}, {
        name: tensor for name, tensor in saved.items() if "random" not in name
    })  # fmt: skip
    one = alone(reversals, steps=2 * STEPS)
    load_state(folder / "sharded", one)
    assert one.progress.step == STEPS
    events = run(one)
    resumed = told[1]["sharded_resumed"]
    assert losses(resumed["events"]) == pytest.approx(losses(events), rel=1e-3)
    assert resumed["progress"].step == 2 * STEPS


def test_a_lack_of_memory_with_parts_says_what_to_do(told):
    assert all("lower training.batch_tokens" in rank["sharded_out_of_memory"] for rank in told)


# A process by itself


def test_without_torchrun_a_process_is_alone(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MASTER_ADDR", "somewhere")
    assert join() is ALONE


def test_with_torchrun_one_process_is_alone_too(monkeypatch):
    for name, value in zip(VARIABLES, ("0", "1", "0", "localhost", "29500"), strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "2")
    assert join() == Workers(restarts=2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"MASTER_PORT": "", "MASTER_ADDR": ""},
            "but not MASTER_ADDR, MASTER_PORT: start several processes with torch",
        ),
        ({"RANK": ""}, "WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT are set in the environment, but not RANK"),
        ({"RANK": "two"}, "RANK is 'two' in the environment, but has to be a number"),
        ({"RANK": "2"}, "RANK is 2, but WORLD_SIZE says that there are 2 processes"),
    ],
)
def test_an_environment_that_is_half_set_is_refused(monkeypatch, changes, words):
    variables = dict(zip(VARIABLES, ("0", "2", "0", "localhost", "29500"), strict=True)) | changes
    for name, value in variables.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError) as caught:
        join()
    assert words in str(caught.value)


def test_each_attempt_to_join_has_a_name_of_its_own_also_where_an_earlier_one_left_its_traces():
    place, names = HashStore(), []
    for _ in range(3):
        with ThreadPoolExecutor(3) as pool:
            found = list(pool.map(lambda rank: _attempt(place, rank, 3), range(3)))
        assert len(set(found)) == 1
        names.append(found[0])
    assert len(set(names)) == 3


def test_processes_that_do_not_come_are_named(monkeypatch):
    monkeypatch.setattr(distributed, "JOIN_TIMEOUT", timedelta(0))
    with pytest.raises(RuntimeError, match="those of rank 1, 2 have not come"):
        _attempt(HashStore(), 0, 3)


@pytest.mark.parametrize(("device", "words"), [("mps", "set training.device=cpu"), ("cuda", "this machine has 0 GPUs")])
def test_a_process_without_a_device_says_so(device, words, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ConfigError, match=words):
        Workers(1, 2, 1).bind(torch.device(device))
    assert Workers(1, 2, 1).bind(torch.device("cpu")) == torch.device("cpu")


def test_other_errors_are_not_taken_for_the_loss_of_a_process():
    assert is_loss_of_a_worker(RuntimeError("[../third_party/gloo/gloo/transport/tcp/pair.cc:547] Connection closed"))
    assert not is_loss_of_a_worker(RuntimeError("shapes do not match"))
    assert not is_loss_of_a_worker(ConfigError("gloo"))


def test_a_portion_knows_its_target_tokens(reversals):
    sampler = alone(reversals).sampler
    loaded = []

    def load(indices, after):
        loaded.append(Batch.from_store(reversals, indices, SYMBOLS))
        return loaded[-1]

    parts = [Feed(sampler, load, 2, Workers(rank, 2), torch.device("cpu")).take() for rank in range(2)]
    assert parts[0].after == parts[1].after
    assert [part.target_tokens for part in parts] == [sum(batch.target_tokens for batch in loaded)] * 2
    assert len(loaded) == 4


class Stream:
    """Stands for a GPU's stream; notes which stream it had to wait for."""

    def __init__(self):
        self.awaited = []

    def wait_stream(self, other):
        self.awaited.append(other)


def test_looking_ahead_changes_when_batches_are_loaded_and_not_which(reversals, monkeypatch):
    """A GPU's streams are stood for, as there is none; that copies are awaited on a real one is not tested."""
    current, copies = Stream(), Stream()
    monkeypatch.setattr(torch.cuda, "stream", lambda _: nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: current)
    monkeypatch.setattr(Batch, "tensors", lambda _: [])
    loaded = []
    load = lambda indices, after: loaded.append(indices.tolist()) or Batch.from_store(reversals, indices, SYMBOLS)  # noqa: E731
    plain, ahead = (Feed(alone(reversals).sampler, load, 1, ALONE, torch.device("cpu")) for _ in range(2))
    expected = [plain.take().after for _ in range(4)]
    order, ahead.stream = list(loaded), copies
    loaded.clear()
    found = []
    for step in range(4):
        found.append(ahead.take().after)
        for _ in range(step):  # also not at all, and twice
            ahead.look_ahead()
    assert found == expected
    assert loaded == [*order, loaded[-1]]
    assert current.awaited == [copies] * 2
    plain.look_ahead()
    assert len(loaded) == 5  # a CPU would not gain by it


def test_both_yield_the_same_events(told):
    """But for the time; whoever iterates over them decides by them when to save."""
    events = [[without_timings(event) for event in rank["plain"]["events"]] for rank in told]
    assert events[0] == events[1]
    assert isinstance(events[0][-1], Stopped)
    assert not math.isnan(losses(events[0])[-1])
