"""A real server on a socket of this machine, with the clients that people use."""

import gc
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from libretranslatepy import LibreTranslateAPI
from typer.testing import CliRunner

from ferryman.cli.app import app
from ferryman.config import ServingConfig
from ferryman.serving import server as serving
from ferryman.serving.server import listen, load_service

FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"
TEXTS = [f"{number} {color} {thing}" for number in ("two", "three", "four", "seven", "ten", "many")
         for color in ("red", "green", "old") for thing in ("boats", "birds")]  # fmt: skip


def post(address, path, fields, timeout=60):
    request = urllib.request.Request(address + path, json.dumps(fields).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.loads(answer.read())


def test_the_published_client_of_libretranslate(start, service, translator):
    address, _ = start(service)
    client = LibreTranslateAPI(address)
    assert client.translate("two red boats", "en", "de") == translator.translate(["two red boats"])[0].text
    assert [one["code"] for one in client.languages()] == ["en", "de"]
    assert client.detect("The river is wide")[0]["language"] == "en"
    with pytest.raises(urllib.error.HTTPError, match="400"):
        client.translate("x", "en", "fr")


def test_what_is_loaded_is_not_looked_through_for_garbage(start, service):
    """That would take 0.2 s, in which nobody gets an answer."""
    assert gc.get_freeze_count() == 0
    _, server = start(service)
    assert gc.get_freeze_count() > 50_000
    server.should_exit = True
    until = time.monotonic() + 30
    while gc.get_freeze_count() and time.monotonic() < until:
        time.sleep(0.01)
    assert gc.get_freeze_count() == 0


def test_eight_clients_get_their_own_texts_while_health_is_asked(start, service, translator):
    """T79, and T83: the first requests come all at once."""
    address, _ = start(service)
    expected = {text: one.text for text, one in zip(TEXTS, translator.translate(TEXTS), strict=True)}
    healthy = []

    def work(number):
        return all(
            post(address, "/translate", {"q": TEXTS[place], "source": "en", "target": "de"})["translatedText"]
            == expected[TEXTS[place]]
            for place in range(number, len(TEXTS), 8)
        )

    with ThreadPoolExecutor(8) as pool:
        working = [pool.submit(work, number) for number in range(8)]
        while not all(one.done() for one in working):
            with urllib.request.urlopen(address + "/health", timeout=20) as answer:
                healthy.append(answer.status)
            time.sleep(0.02)
        assert all(one.result() for one in working)
    assert set(healthy) == {200}
    batches = service.metrics.text().decode()
    assert f'ferryman_sentences_total{{by="model"}} {len(TEXTS)}.0' in batches


def test_who_leaves_makes_room(start, service):
    address, _ = start(service)
    began, may_go, done = threading.Event(), threading.Event(), []
    real = service.worker.work

    def slow(group, items):
        began.set()
        assert may_go.wait(30)
        done.extend(items)
        return real(group, items)

    service.worker.work = slow
    host, port = address.removeprefix("http://").split(":")
    for number, text in enumerate(("two boats", "ten birds")):
        body = json.dumps({"q": text, "source": "en", "target": "de"}).encode()
        with socket.create_connection((host, int(port))) as client:
            head = f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            assert began.wait(30)
            if number:
                wait_until(lambda: service.queue.waiting)
    wait_until(lambda: not service.queue.waiting)
    may_go.set()
    assert post(address, "/translate", {"q": "many birds", "source": "en", "target": "de"})
    assert done == ["two boats", "many birds"]


def wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_server_that_is_told_to_stop_finishes_what_it_has(start, service):
    address, server = start(service)
    began, may_go = threading.Event(), threading.Event()
    real = service.worker.work

    def slow(group, items):
        began.set()
        assert may_go.wait(30)
        return real(group, items)

    service.worker.work = slow
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(post, address, "/translate", {"q": "two boats", "source": "en", "target": "de"})
        assert began.wait(30)
        server.handle_exit(signal.SIGTERM, None)
        wait_until(lambda: refuses(address))
        may_go.set()
        assert answer.result(30)["translatedText"]


def refuses(address):
    host, port = address.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except OSError:
        return True
    return False


def test_a_model_is_loaded_once(monkeypatch):
    """T83."""
    loaded = []
    real = serving.load
    monkeypatch.setattr(serving, "load", lambda folder, settings: loaded.append(folder) or real(folder, settings))
    service = load_service([FROZEN], ["decoding.beam=2"], ServingConfig())
    assert loaded == [FROZEN]
    assert service.fleet.models[0].translator.config.decoding.beam == 2
    assert service.about.startswith("en → de; 1 thread, engine ")


COMMAND = [sys.executable, "-m", "ferryman", "serve"]


def test_the_command_serves_and_stops_quietly():
    """T84: the threads are told, and there are no more than asked for."""
    command = [*COMMAND, str(FROZEN), "--port", "0", "decoding.threads=1", "serving.cache_entries=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert "en → de; 1 thread, " in server.stderr.readline()
            address = server.stderr.readline().split()[2]
            assert address.startswith("http://127.0.0.1:")
            given = {"q": ["two boats", "ten birds", "two old boats"], "source": "en", "target": "de"}
            assert len(post(address, "/translate", given)["translatedText"]) == 3
        finally:
            server.send_signal(signal.SIGTERM)
        rest = server.stderr.read()
        assert server.wait(60) == 0
    assert "stopping when what was asked for is answered" in rest
    assert rest.endswith("stopped\n")
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        ([], 2, "name the folder of a model"),
        (["nowhere"], 1, "nowhere: no such folder"),
        ([FROZEN, "serving.max_charcters=5"], 2, "did you mean serving.max_characters"),
        ([FROZEN, "training.steps=5"], 2, "only serving.*, decoding.* and documents.* can be set"),
        ([FROZEN, "serving.pivot=fr"], 2, "fr is not supported; there are: en, de"),
        ([FROZEN, "serving.api_keys=nowhere.txt"], 2, "nowhere.txt: no such file"),
        (["--new-key", "anna"], 2, "say in which file"),
        ([FROZEN, "--host", "256.1.1.1"], 2, "cannot listen at 256.1.1.1"),
    ],
)
def test_what_cannot_be_served_is_told_in_a_line(arguments, status, reason):
    found = CliRunner().invoke(app, ["serve", "--port", "0", *map(str, arguments)])
    assert (found.exit_code, reason in found.stderr) == (status, True), found.stderr
    assert "Traceback" not in found.stderr


def test_what_must_be_installed_is_told(monkeypatch):
    monkeypatch.delitem(sys.modules, "ferryman.serving.server")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    found = CliRunner().invoke(app, ["serve", str(FROZEN)])
    assert (found.exit_code, found.stderr) == (
        2,
        "ferryman: ferryman serve needs uvicorn: pip install 'ferryman[serve]'\n",
    )


def test_a_port_that_is_taken_is_told():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        found = CliRunner().invoke(app, ["serve", str(FROZEN), "--port", str(port)])
    assert found.exit_code == 2
    assert f"port {port}: Address already in use; choose another" in found.stderr


def test_a_key_is_made(tmp_path):
    path = tmp_path / "keys.txt"
    found = CliRunner().invoke(app, ["serve", "--new-key", "anna", f"serving.api_keys={path}"])
    assert found.exit_code == 0
    assert len(found.stdout.strip()) == 43
    assert path.read_text().startswith("anna ")


def test_answers_are_not_delayed_by_nagles_algorithm():
    """For which asyncio must see the protocol of the socket."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_to_end_at_once_is_no_crash():
    """The second Ctrl-C does not wait for the batch that is being translated."""
    command = [*COMMAND, str(FROZEN), "--port", "0", "decoding.threads=1", "serving.max_characters=100000"]
    many = {"q": [f"two boats {text} ten birds" * 3 for text in TEXTS] * 10, "source": "en", "target": "de"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, ThreadPoolExecutor(1) as pool:
        try:
            server.stderr.readline()
            address = server.stderr.readline().split()[2]
            asked = pool.submit(post, address, "/translate", many)
            wait_until(lambda: tokens_waiting(address) > 0)
            server.send_signal(signal.SIGINT)
            wait_until(lambda: refuses(address))
            server.send_signal(signal.SIGINT)
            rest = server.stderr.read()
            assert server.wait(60) == 0
        finally:
            server.kill()
        assert isinstance(asked.exception(60), OSError)  # refused, or the connection was closed
    assert rest.endswith("stopped\n")
    assert "Traceback" not in rest


def tokens_waiting(address):
    with urllib.request.urlopen(address + "/metrics", timeout=30) as answer:
        found = re.search(r"^ferryman_queue_tokens (\S+)", answer.read().decode(), re.MULTILINE)
    return float(found[1])
