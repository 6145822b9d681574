"""Where to compute, in what arithmetic, on how many threads."""

import os
import platform
import subprocess
import sys

import pytest
import torch

from ferryman.engines import devices
from ferryman.engines.devices import choose_device, choose_precision, keep_memory, measure_gflops, set_threads
from ferryman.errors import ConfigError

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def pretend(monkeypatch, *, cuda=False, mps=False, bfloat16=True):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bfloat16)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("there", "expected"),
    [({}, "cpu"), ({"mps": True}, "mps"), ({"cuda": True}, "cuda"), ({"cuda": True, "mps": True}, "cuda")],
    ids=str,
)
def test_auto_takes_a_gpu_if_there_is_one(monkeypatch, there, expected):
    pretend(monkeypatch, **there)
    assert choose_device("auto").type == expected
    assert choose_device("cpu").type == "cpu"


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused_and_those_that_are_named(monkeypatch, name):
    pretend(monkeypatch)
    with pytest.raises(ConfigError, match=f"{name} is not available to PyTorch here; there is: cpu$"):
        choose_device(name)


def test_auto_precision(monkeypatch):
    pretend(monkeypatch, cuda=True)
    assert choose_precision("auto", CUDA) == torch.bfloat16
    assert choose_precision("auto", CPU) == torch.float32
    pretend(monkeypatch, cuda=True, bfloat16=False)
    assert choose_precision("auto", CUDA) == torch.float32


def test_precision_that_would_only_be_slower_is_refused(monkeypatch):
    """T30: with one sentence why."""
    pretend(monkeypatch)
    assert choose_precision("float32", CPU) == torch.float32
    with pytest.raises(ConfigError, match="bfloat16 needs a CUDA GPU that has it; on cpu"):
        choose_precision("bfloat16", CPU)
    pretend(monkeypatch, cuda=True, bfloat16=False)
    with pytest.raises(ConfigError, match="bfloat16 needs a CUDA GPU that has it"):
        choose_precision("bfloat16", CUDA)


@pytest.fixture
def threads():
    """Put back what the tests share."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_so_many_threads_as_asked_for():
    assert [set_threads(3), torch.get_num_threads()] == [3, 3]
    assert [set_threads(1), torch.get_num_threads()] == [1, 1]


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(("own_choice", "allowed", "expected"), [(4, {0, 5}, 2), (1, {0, 5}, 1), (4, None, 4)])
def test_zero_threads_is_pytorchs_choice_within_what_the_process_may_use(monkeypatch, own_choice, allowed, expected):
    monkeypatch.setattr(devices, "PYTORCH_THREADS", own_choice)
    if allowed is None:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    else:
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: allowed, raising=False)
    assert set_threads(0) == torch.get_num_threads() == expected


FAULTS = """
import resource, torch
from ferryman.engines.devices import keep_memory
{keep}
faults = []
for step in range(10):  # the longest sequences come and go
    tensors = [torch.ones(1 << 14 + step % 5) for _ in range(100)]
    del tensors
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
print(faults[-1] - faults[4])
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="GNU's allocator only")
def test_memory_is_kept_for_the_next_step():
    faults = [
        int(subprocess.run([sys.executable, "-c", FAULTS.format(keep=keep)], capture_output=True, check=True).stdout)
        for keep in ("", "assert keep_memory()")
    ]
    assert 4 * faults[1] < faults[0]  # a machine that takes unused pages away costs a few hundred, whoever keeps them


def test_other_allocators_are_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not keep_memory()


def test_the_speed_of_matrix_products_is_measured_once_at_least(monkeypatch):
    monkeypatch.setattr(devices, "MEASURING_SECONDS", 0.0)
    assert 0.01 < measure_gflops(CPU, torch.float32) < 1e6
