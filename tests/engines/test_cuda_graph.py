"""CUDA graphs: in what order they are captured, everywhere; and on a GPU what they find."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch

from ferryman.decoding import beam_search
from ferryman.engines.choice import build_engine
from ferryman.engines.cuda_graph import GraphCapture
from ferryman.engines.static import PATIENCE

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")


@pytest.fixture
def events(monkeypatch):
    """Pretend that there is a GPU; return what it is asked to do."""
    events = []

    class Stream:
        device = torch.device("cuda")

        def __init__(self, name="side"):
            self.name = name

        def wait_stream(self, other):
            events.append(f"{self.name} waits for {other.name}")

    @contextmanager
    def on(stream):
        events.append(f"on {stream.name}")
        try:
            yield
        finally:
            events.append("off")

    graph = SimpleNamespace(
        capture_begin=lambda pool, capture_error_mode: events.append(f"begin {pool} {capture_error_mode}"),
        capture_end=lambda: events.append("end"),
        replay=lambda: events.append("replay"),
    )
    main = Stream("main")
    monkeypatch.setattr(torch.cuda, "Stream", lambda _device: Stream())
    monkeypatch.setattr(torch.cuda, "stream", on)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _device: main)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: graph)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")
    return events


def test_a_step_is_run_once_then_captured_on_a_stream_of_its_own_then_replayed(events):
    output = torch.zeros(1)

    def run():
        events.append("run")
        return output

    replay = GraphCapture(torch.device("cuda"))(run)
    captured = ["side waits for main", "on side", "run", "begin pool thread_local", "run", "end", "off"]
    assert events == [*captured, "main waits for side"]
    assert replay() is output
    assert events[-1] == "replay"


def test_a_capture_that_fails_is_ended_and_leaves_the_stream(events):
    def run():
        if any(event.startswith("begin") for event in events):
            raise torch.OutOfMemoryError("too little")
        return torch.zeros(1)

    with pytest.raises(torch.OutOfMemoryError):
        GraphCapture(torch.device("cuda"))(run)
    assert events[-3:] == ["end", "off", "main waits for side"]


@needs_gpu
@pytest.mark.parametrize(("precision", "tolerance"), [(torch.float32, 1e-4), (torch.bfloat16, 0.2)])
def test_a_gpu_finds_what_the_reference_finds(build_model, draw_tokens, precision, tolerance):
    model = build_model(d_model=32, heads=2).cuda()
    source, tokens = draw_tokens(6, 7).cuda(), draw_tokens(18).cuda()
    found = build_engine("static", model, precision)(source, None)
    expected = build_engine("torch", model)(source, None)
    with torch.inference_mode():
        assert expected.start(3) == found.start(3)
        for _ in range(PATIENCE + 20):
            wanted = expected.step(tokens)
            torch.testing.assert_close(found.step(tokens), wanted, atol=tolerance, rtol=0)
    assert found.buffers.replay is not None
    assert not found.model.trouble


@needs_gpu
def test_a_gpu_gives_the_same_again_and_step_by_step(build_model, draw_tokens):
    model = build_model(d_model=32, heads=2).cuda()
    source, limits = draw_tokens(6, 7).cuda(), torch.full((6,), 40).cuda()
    replayed, plain = build_engine("static", model, torch.bfloat16), build_engine("static", model, torch.bfloat16)
    plain.model.capture = None
    for _ in range(3):
        searches = [
            beam_search(each(source, None), beam=3, max_lengths=limits, bos=2, eos=3) for each in (replayed, plain)
        ]
        assert searches[0] == searches[1]
    assert not replayed.model.trouble
