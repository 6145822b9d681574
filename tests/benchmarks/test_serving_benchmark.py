"""The load test of the server runs, and every client gets its own texts back."""

import json
from pathlib import Path

import pytest

FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"


@pytest.mark.slow
def test_the_load_test(run_benchmark, tmp_path):
    sentences = tmp_path / "some.en"
    sentences.write_text("".join(f"{number} red boats\n" for number in ("two", "three", "four", "ten") * 3))
    short = ["--clients", "2", "3", "--rounds", "1", "--requests", "10", "--json"]
    done = run_benchmark("serving.py", FROZEN, sentences, *short)
    found = json.loads(done.stdout)
    assert set(found["clients"]) == {"2", "3"}
    assert [one["wrong"] for one in found["clients"].values()] == [0, 0]
    assert found["one_request_at_a_time"]["wrong"] == found["steady"]["wrong"] == found["overload"]["wrong"] == 0
    assert found["overload"]["answered"] == found["overload"]["of"]
    assert found["steady"]["threads"][0] == found["steady"]["threads"][1]


@pytest.mark.slow
def test_memory_and_threads_stay_as_they_are(run_benchmark, tmp_path):
    sentences = tmp_path / "some.en"
    sentences.write_text("".join(f"{number} red boats\n" for number in ("two", "three", "four", "ten") * 3))
    done = run_benchmark("serving.py", FROZEN, sentences, "--steady", "--clients", "4", "--requests", "400", "--json")
    found = json.loads(done.stdout)
    assert (found["requests"], found["wrong"]) == (400, 0)
    assert found["growth_percent"] <= 5
