"""What operators count on: health, limits, keys, headers, and what is never let out."""

import json
import logging
import time

import pytest

from ferryman.serving.keys import add_key


@pytest.fixture(autouse=True)
def _logging(monkeypatch):
    """Undo what other libraries do to loggers that are there before them."""
    monkeypatch.setattr(logging.getLogger("ferryman.serving"), "disabled", False)


BOATS = {"q": "two red boats", "source": "en", "target": "de"}


def test_health_and_readiness(serve):
    client = serve(queue_tokens=1)
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready"}
    client.service.queue.close()
    assert client.get("/health").status_code == 200
    assert client.get("/ready").status_code == 503


def test_an_overloaded_server_says_when_to_come_back(serve, monkeypatch):
    client = serve(queue_tokens=10)
    monkeypatch.setattr(client.service.queue, "waiting", 9)
    monkeypatch.setattr(client.service.worker, "pace", 1.0)
    found = client.post("/translate", json={**BOATS, "q": "two red boats and many more old bridges"})
    assert found.status_code == 503
    assert found.headers["retry-after"] == "9"
    assert "busy" in found.json()["error"]
    monkeypatch.undo()
    assert client.post("/translate", json=BOATS).status_code == 200


def test_what_takes_too_long_is_given_up(serve, monkeypatch):
    client = serve(max_seconds=0.05)
    real = client.service.worker.work
    monkeypatch.setattr(client.service.worker, "work", lambda group, items: wait(real(group, items)))
    found = client.post("/translate", json=BOATS)
    assert found.status_code == 503
    assert "longer than 0.05 s" in found.json()["error"]


def wait(result):
    time.sleep(0.2)
    return result


def test_metrics(serve):
    client = serve()
    for _ in range(2):
        client.post("/translate", json=BOATS)
    client.get("/nowhere/two-red-boats")
    text = client.get("/metrics").text
    assert 'ferryman_requests_total{route="/translate",status="200"} 2.0' in text
    assert 'ferryman_sentences_total{by="model"} 1.0' in text
    assert 'ferryman_sentences_total{by="cache"} 1.0' in text
    assert "ferryman_queue_tokens 0.0" in text
    assert "boats" not in text


def test_without_a_cache_everything_is_translated(serve):
    client = serve(cache_entries=0)
    answers = [client.post("/translate", json=BOATS).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert 'ferryman_sentences_total{by="model"} 2.0' in client.get("/metrics").text


def test_with_keys_only_who_has_one_is_let_in(serve, tmp_path):
    path = tmp_path / "keys.txt"
    key = add_key(path, "anna")
    client = serve(api_keys=path)
    for wrong in ({}, {"api_key": "wrong"}, {"api_key": ""}):
        found = client.post("/translate", json={**BOATS, **wrong})
        assert (found.status_code, "API key" in found.json()["error"]) == (403, True)
    assert client.post("/translate", json={**BOATS, "api_key": key}).status_code == 200
    assert client.post("/translate", data={**BOATS, "api_key": key}).status_code == 200
    assert client.post("/translate", json=BOATS, headers={"Authorization": f"Bearer {key}"}).status_code == 200
    assert client.post("/detect", params={"q": "x", "api_key": key}).status_code == 200
    for path in ("/v1/translate", "/v1/explain"):
        assert client.post(path, json={"text": "two red boats"}).status_code == 403
    assert client.post("/translate_file", data=BOATS, files={"file": ("a.txt", b"x")}).status_code == 403
    assert client.get("/health").status_code == 200
    assert client.get("/frontend/settings").json()["keyRequired"]


def test_each_key_has_its_rate(serve, tmp_path):
    path = tmp_path / "keys.txt"
    keys = [add_key(path, name) for name in ("anna", "bert")]
    path.write_text(path.read_text().rstrip() + " 1\n")
    client = serve(api_keys=path, requests_per_minute=3)
    statuses = [
        [client.post("/translate", json={**BOATS, "api_key": key}).status_code for _ in range(4)] for key in keys
    ]
    assert statuses == [[200, 200, 200, 429], [200, 429, 429, 429]]
    found = client.post("/translate", json={**BOATS, "api_key": keys[0]})
    assert 1 <= int(found.headers["retry-after"]) <= 60


def test_headers_that_protect(serve):
    client = serve()
    for path in ("/health", "/docs", "/nowhere", "/explore"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers


def test_other_pages_may_ask_only_if_they_are_named(serve):
    asking = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in serve().options("/translate", headers=asking).headers
    client = serve(cors_origins=["https://example.org"])
    assert client.options("/translate", headers=asking).headers["access-control-allow-origin"] == "https://example.org"
    other = client.options("/translate", headers={**asking, "Origin": "https://example.com"})
    assert "access-control-allow-origin" not in other.headers


def test_the_interface_is_described_without_a_network(serve):
    client = serve()
    page = client.get("/docs").text + client.get("/docs.js").text
    assert "http://" not in page
    assert "https://" not in page
    described = client.get("/openapi.json").json()
    assert {"/translate", "/v1/translate", "/v1/explain", "/languages", "/detect"} <= set(described["paths"])
    body = described["paths"]["/translate"]["post"]["requestBody"]["content"]
    assert set(body) == {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}
    assert body["application/json"]["schema"]["properties"]["q"]["description"].startswith("Text")


def test_an_error_of_ours_lets_nothing_out(serve, monkeypatch, caplog):
    client = serve()

    def broken(group, items):
        raise RuntimeError(items[0])

    monkeypatch.setattr(client.service.worker, "work", broken)
    with caplog.at_level(logging.INFO, "ferryman.serving"):
        found = client.post("/translate", json=BOATS)
    assert found.status_code == 500
    assert list(found.json()) == ["error", "code"]
    assert "boats" not in found.text + caplog.text
    assert "RuntimeError in /translate" in caplog.text
    assert "RuntimeError" not in found.text


def test_texts_are_logged_only_if_asked_for(serve, caplog):
    with caplog.at_level(logging.INFO, "ferryman.serving"):
        serve().post("/translate", json=BOATS)
        assert "POST /translate 200" in caplog.text
        assert "boats" not in caplog.text
        serve(log_text=True).post("/translate", json=BOATS)
        assert "two red boats" in caplog.text


def test_nothing_is_found_where_nothing_is(serve):
    client = serve()
    found = client.get("/nowhere")
    assert (found.status_code, found.json()) == (404, {"error": "Not Found"})
    assert client.get("/translate").status_code == 405
    assert "error" in client.get("/translate").json()


@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "patch"])
def test_no_route_fails_whatever_is_sent(serve, method):
    """A fuzz by the description: nothing is answered by 5xx."""
    client = serve(max_characters=500)
    bodies = [b"", b"{}", b"[]", b"null", b'{"q": [[]]}', b"\x00" * 100, json.dumps({"text": {"a": []}}).encode()]
    for path in client.get("/openapi.json").json()["paths"]:
        for content in bodies if method != "get" else bodies[:1]:
            for kind in ("application/json", "multipart/form-data; boundary=x", "multipart/form-data", "a/b"):
                send = {"headers": {"content-type": kind}} | (
                    {} if method in ("get", "delete") else {"content": content}
                )
                found = getattr(client, method)(path.replace("{kept}", "x"), **send)
                assert found.status_code < 500, (path, content, kind, found.text)
