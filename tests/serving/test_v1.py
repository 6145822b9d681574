"""Our own interface."""

import json

import pytest

from ferryman.explain.files import load_trace
from ferryman.text.protected import KINDS, Guard


@pytest.fixture
def client(serve):
    return serve()


def events(text):
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_scores_flags_and_alternatives(client, translator):
    found = client.post(
        "/v1/translate", json={"text": "two red boats", "source": "en", "target": "de", "n_best": 3}
    ).json()
    wide = translator.config.decoding.model_copy(update={"n_best": 3})
    best = translator.translate(["two red boats"], wide)[0]
    assert found["text"] == best.text
    assert found["score"] == pytest.approx(best.score, abs=1e-5)
    assert found["log_prob"] == pytest.approx(best.log_prob, abs=1e-5)
    assert [one["text"] for one in found["alternatives"]] == [one.text for one in best.alternatives]
    assert (found["source"], found["target"], found["models"], found["flags"]) == ("en", "de", ["model-1"], [])


def test_languages_may_be_left_out(client):
    found = client.post("/v1/translate", json={"text": ["two red boats", "The old boats"]}).json()
    assert found["source"] == "en"
    assert found["detected"] > 0.5
    assert len(found["translations"]) == 2


def test_alignment(client, translator):
    found = client.post("/v1/translate", json={"text": "two red boats", "alignment": True}).json()
    aligned = translator.config.decoding.model_copy(update={"alignment": "hard"})
    expected = translator.translate(["two red boats"], aligned)[0].alignment
    assert [tuple(link) for link in found["alignment"]] == list(expected.links)
    assert tuple(found["words"]) == expected.words == (3, len(found["text"].split()))


def test_constraints(client):
    text = "two red boats"
    plain = client.post("/v1/translate", json={"text": text}).json()["text"]
    word = plain.split()[-1]
    forbidden = client.post("/v1/translate", json={"text": text, "forbidden": [word]}).json()
    assert word not in forbidden["text"]
    begun = client.post("/v1/translate", json={"text": text, "prefix": "drei"}).json()
    assert begun["text"].startswith("drei")
    forced = client.post("/v1/translate", json={"text": text, "constraints": ["Vögel"]}).json()
    assert "Vögel" in forced["text"] or "unmet" in forced["flags"]


def test_a_text_comes_sentence_by_sentence(client, translator):
    text = "Two red boats. Three old boats!\nMany new bridges."
    found = client.post("/v1/translate", json={"text": text, "stream": True})
    assert found.headers["content-type"].startswith("text/event-stream")
    *sentences, (name, whole) = events(found.text)
    assert [kind for kind, _ in sentences] == ["sentence"] * 3
    assert [one["source"] for _, one in sentences] == ["Two red boats.", "Three old boats!", "Many new bridges."]
    assert name == "done"
    assert "".join(one["text"] for _, one in sentences) == whole["text"]
    assert whole["text"] == client.post("/v1/translate", json={"text": text}).json()["text"]
    assert (whole["source"], whole["target"]) == ("en", "de")


def test_a_stream_that_cannot_begin_is_refused_by_its_status(serve):
    client = serve(queue_tokens=1)
    client.service.queue.close()
    found = client.post("/v1/translate", json={"text": "two boats", "stream": True})
    assert found.status_code == 503


def test_a_stream_that_fails_says_so(client, monkeypatch):
    real = client.service.stream

    async def broken(text, order):
        steps = real(text, order)
        yield await anext(steps)
        raise RuntimeError("secret")

    monkeypatch.setattr(client.service, "stream", broken)
    found = client.post("/v1/translate", json={"text": "Two boats. Two boats.", "stream": True})
    assert events(found.text)[-1][0] == "error"
    assert "secret" not in found.text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"n_best": 0}, "n_best"),
        ({"n_best": 500}, "may be"),
        ({"beam": 10_000}, "may be"),
        ({"length_penalty": 99}, "length_penalty"),
        ({"constraints": ["x"] * 51}, "constraints"),
        ({"constraints": [" "]}, "blank"),
        ({"forbidden": [""]}, "forbidden"),
        ({"text": ["a", "b"], "stream": True}, "one text at a time"),
        ({"model": "other"}, "there are: model-1"),
        ({"via": "fr"}, "fr is not supported"),
        ({"via": "de", "target": "de", "source": "en"}, "through de"),
        ({"text": 1}, "text"),
        ({"target": "xx"}, "not supported"),
    ],
)
def test_what_is_wrong_is_told(client, changes, reason):
    found = client.post("/v1/translate", json={"text": "two boats", **changes})
    assert found.status_code == 400
    assert reason in found.json()["error"]


def test_through_a_third_language(serve, speaking, translator):
    client = serve(speaking("en", "de"), speaking("de", "fr"))
    found = client.post("/v1/translate", json={"text": "two red boats", "source": "en", "target": "fr", "via": "de"})
    middle = translator.translate(["two red boats"])[0].text
    assert found.json()["text"] == translator.translate([middle])[0].text
    assert found.json()["models"] == ["model-1", "model-2"]
    asked = {"text": "two red boats", "source": "en", "target": "fr", "via": "de", "alignment": True}
    assert "alignment" not in client.post("/v1/translate", json=asked).json()  # it would not be to this text
    refused = client.post("/translate", json={"q": "two red boats", "source": "en", "target": "fr"})
    assert refused.status_code == 400


def test_through_a_pivot_without_asking(serve, speaking):
    client = serve(speaking("en", "de"), speaking("de", "fr"), pivot="de")
    found = client.post("/translate", json={"q": "two red boats", "source": "en", "target": "fr"})
    assert found.status_code == 200
    targets = {one["code"]: one["targets"] for one in client.get("/languages").json()}
    assert targets == {"en": ["en", "de", "fr"], "de": ["de", "fr"], "fr": ["fr"]}
    streamed = client.post(
        "/v1/translate", json={"text": "two red boats", "source": "en", "target": "fr", "stream": True}
    )
    assert [name for name, _ in events(streamed.text)] == ["done"]
    assert events(streamed.text)[0][1]["text"] == found.json()["translatedText"]


@pytest.mark.parametrize("text", ["two <b>red</b> boats and {name}", "see https://example.org/a now, 1,234.5 boats"])
def test_what_one_model_of_two_protects_neither_loses(serve, speaking, text):
    """The first protects nothing, so that the second would not even see what is lost."""
    first = speaking("en", "de")
    plain = first.config.decoding.model_copy(update={"protect": ()})
    first.config = first.config.model_copy(update={"decoding": plain})
    assert Guard(text, KINDS).broken(first.translate([text])[0].text)
    client = serve(first, speaking("de", "fr"), pivot="de")
    found = client.post("/v1/translate", json={"text": text, "source": "en", "target": "fr"}).json()["text"]
    assert not Guard(text, KINDS).broken(found)
    page = client.post("/translate", json={"q": text, "source": "en", "target": "fr", "format": "html"}).json()
    assert not Guard(text, ["tag"]).broken(page["translatedText"])


def test_models_are_listed(client):
    assert client.get("/v1/models").json() == [{"name": "model-1", "pairs": [{"source": "en", "target": "de"}]}]


def test_looking_inside(client, translator, tmp_path):
    found = client.post("/v1/explain", json={"text": "two red boats"})
    assert found.status_code == 200
    (tmp_path / "trace.json").write_bytes(found.content)
    assert load_trace(tmp_path / "trace.json").target.text == translator.translate(["two red boats"])[0].text


@pytest.mark.parametrize(
    ("text", "reason"), [("", "nothing"), ("Two boats. Two boats.", "2 sentences"), ("x" * 20_000, "exceed")]
)
def test_what_cannot_be_looked_into_is_told(client, text, reason):
    found = client.post("/v1/explain", json={"text": text, "source": "en"})
    assert found.status_code in (400, 413)
    assert reason in found.json()["error"]


def test_the_page_may_run_only_its_own_program(client):
    page = client.get("/explore")
    policy = page.headers["content-security-policy"]
    assert page.status_code == 200
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy
    assert page.text.count('<script type="module">') == policy.count("'sha256-") == 1


@pytest.mark.parametrize("path", ["/v1/translate", "/v1/explain"])
def test_a_field_that_there_is_not_is_told(client, path):
    found = client.post(path, json={"text": "two boats", "nbest": 3})
    assert found.status_code == 400
    assert "no field nbest; there are: source, target, " in found.json()["error"]
