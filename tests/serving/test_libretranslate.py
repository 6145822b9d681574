"""LibreTranslate's interface: its fields, answers and errors."""

import json

import pytest

SENTENCES = ["two red boats", "three old boats", "many new bridges"]


def expected(translator, texts):
    return [one.text for one in translator.translate(texts)]


@pytest.fixture
def client(serve):
    return serve(max_characters=2000)


def test_one_text_as_json_or_as_a_form(client, translator):
    fields = {"q": "two red boats", "source": "en", "target": "de"}
    answer = {"translatedText": expected(translator, ["two red boats"])[0]}
    for given in ({"json": fields}, {"data": fields}, {"params": fields}):
        found = client.post("/translate", **given)
        assert (found.status_code, found.json()) == (200, answer)


def test_several_texts(client, translator):
    found = client.post("/translate", json={"q": SENTENCES, "source": "en", "target": "de"})
    assert found.json() == {"translatedText": expected(translator, SENTENCES)}


def test_running_text_is_what_the_translator_says_of_it(client, translator):
    text = "Two red boats. Three old boats! Many new bridges."
    found = client.post("/translate", json={"q": text, "source": "en", "target": "de"})
    assert found.json()["translatedText"] == expected(translator, [text])[0]


def test_lines_stay_lines(client, translator):
    found = client.post(
        "/translate", json={"q": "two red boats\n\n  many new bridges\n", "source": "en", "target": "de"}
    )
    first, second = expected(translator, ["two red boats", "many new bridges"])
    assert found.json()["translatedText"] == f"{first}\n\n  {second}"


def test_alternatives(client, translator):
    fields = {"q": "two red boats", "source": "en", "target": "de", "alternatives": 2}
    found = client.post("/translate", json=fields).json()
    wide = translator.config.decoding.model_copy(update={"n_best": 3})
    best = translator.translate(["two red boats"], wide)[0]
    assert found == {"translatedText": best.text, "alternatives": [other.text for other in best.alternatives]}
    several = client.post("/translate", json={**fields, "q": SENTENCES}).json()
    assert [len(each) for each in several["alternatives"]] == [2, 2, 2]


def test_html_keeps_its_tags(client, translator):
    text = '<p title="a &quot;b&quot;">two <b>red</b>\n boats</p><p>many new bridges</p>'
    found = client.post("/translate", json={"q": text, "source": "en", "target": "de", "format": "html"})
    page = found.json()["translatedText"]
    assert page.startswith('<p title="a &quot;b&quot;">')
    assert page.endswith(f"</p><p>{expected(translator, ['many new bridges'])[0]}</p>")
    assert page.count("<b>") == page.count("</b>") == 1


def test_the_language_is_detected(client, translator):
    found = client.post("/translate", json={"q": "The two red boats", "source": "auto", "target": "de"}).json()
    assert found["detectedLanguage"]["language"] == "en"
    assert 50 < found["detectedLanguage"]["confidence"] <= 100
    many = client.post("/translate", json={"q": SENTENCES, "source": "auto", "target": "de"}).json()
    assert [one["language"] for one in many["detectedLanguage"]] == ["en"] * 3


def test_what_is_in_the_language_already_stays(client):
    text = "Das sind zwei alte rote Boote <b>hier</b>."
    for form in ("text", "html"):
        found = client.post("/translate", json={"q": text, "source": "auto", "target": "de", "format": form}).json()
        assert found["translatedText"] == text
        assert found["detectedLanguage"]["language"] == "de"
    assert client.post("/translate", json={"q": "x", "source": "en", "target": "en"}).json() == {"translatedText": "x"}


def test_detect(client):
    found = client.post("/detect", data={"q": "The river is wide."}).json()
    assert found[0]["language"] == "en"
    assert found[0]["confidence"] > 90
    assert client.post("/detect", json={"q": "123"}).json() == [{"confidence": 0, "language": "en"}]


def test_languages_and_settings(client):
    assert client.get("/languages").json() == [
        {"code": "en", "name": "English", "targets": ["en", "de"]},
        {"code": "de", "name": "German", "targets": ["de"]},
    ]
    settings = client.get("/frontend/settings").json()
    assert settings["charLimit"] == 2000
    assert settings["language"] == {
        "source": {"code": "en", "name": "English"},
        "target": {"code": "de", "name": "German"},
    }
    assert not settings["keyRequired"]
    assert ".txt" in settings["supportedFilesFormat"]


def test_suggestions_are_refused(client):
    found = client.post("/suggest", json={"q": "a", "s": "b", "source": "en", "target": "de"})
    assert (found.status_code, found.json()) == (
        403,
        {"error": "Suggestions are disabled on this server.", "code": "request"},
    )


GOOD = {"q": "two boats", "source": "en", "target": "de"}
WRONG = [
    ({"content": b""}, 400, "missing q"),
    ({"content": b"{", "headers": {"content-type": "application/json"}}, 400, "neither JSON nor a form"),
    ({"content": b"\xff\xfe"}, 400, "neither JSON nor a form"),
    ({"content": b"[" * 100_000}, 413, "too large"),
    ({"content": b"[" * 20_000}, 400, "neither JSON"),
    ({"json": ["x"]}, 400, "expected a JSON object"),
    ({"json": {**GOOD, "q": 5}}, 400, "q: "),
    ({"json": {**GOOD, "q": None}}, 400, "q: "),
    ({"json": {**GOOD, "q": ["a", 1]}}, 400, "q: "),
    ({"json": {**GOOD, "q": {"a": 1}}}, 400, "q: "),
    ({"json": {"q": "x", "target": "de"}}, 400, "missing source"),
    ({"json": {"q": "x", "source": "en"}}, 400, "missing target"),
    ({"json": {**GOOD, "q": "x" * 2001}}, 413, "exceed the limit of 2000"),
    ({"json": {**GOOD, "q": "x" * 1_000_000}}, 413, "too large"),
    ({"data": {**GOOD, "q": "x" * 1_000_000}}, 413, "too large"),
    ({"json": {**GOOD, "q": [""] * 1001}}, 413, "texts exceed the limit of 1000"),
    ({"json": {**GOOD, "target": "tlh"}}, 400, "tlh is not supported; there are: en, de"),
    ({"json": {**GOOD, "source": "klingon"}}, 400, "not a language code"),
    ({"json": {**GOOD, "source": "de", "target": "en"}}, 400, "no model translates from de into en"),
    ({"json": {**GOOD, "alternatives": 10_000}}, 400, "10000 alternatives exceed the limit of 10"),
    ({"json": {**GOOD, "alternatives": -1}}, 400, "alternatives: "),
    ({"json": {**GOOD, "alternatives": 1e400}}, 400, "alternatives: "),
    ({"json": {**GOOD, "format": "pdf"}}, 400, "format: "),
    ({"content": rb'{"q": "\ud800", "source": "en", "target": "de"}'}, 400, "surrogate"),
    ({"files": {"q": ("q.txt", b"x")}, "data": {"source": "en", "target": "de"}}, 400, "missing q"),
]


@pytest.mark.parametrize(("given", "status", "reason"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_told(client, given, status, reason):
    """T81."""
    if isinstance(given.get("json"), dict) and given["json"].get("alternatives") == float("inf"):
        given = {"content": json.dumps(given["json"])}
    found = client.post("/translate", **given)
    assert found.status_code == status
    assert reason in found.json()["error"]
    assert "Traceback" not in found.text
    assert client.post("/translate", json=GOOD).status_code == 200


@pytest.mark.parametrize("text", ['"', "'", "“two boats”", "\0", "\\", "<script>", "two\tboats", "   ", "", "{{x}} %s"])
def test_any_characters_are_answered(client, text):
    found = client.post("/translate", json={**GOOD, "q": text})
    assert found.status_code == 200
    assert isinstance(found.json()["translatedText"], str)


def test_a_file(client, translator):
    content = b"\xef\xbb\xbftwo red boats\r\n\r\nmany new bridges"
    given = {"files": {"file": ("notes.txt", content)}, "data": {"source": "en", "target": "de"}}
    address = client.post("/translate_file", **given).json()["translatedFileUrl"]
    found = client.get(address)
    first, second = expected(translator, ["two red boats", "many new bridges"])
    assert found.content == b"\xef\xbb\xbf" + f"{first}\r\n\r\n{second}".encode()
    assert "notes.de.txt" in found.headers["content-disposition"]


def test_a_long_file_takes_its_turn(serve, translator):
    client = serve(queue_tokens=400)  # of which a file has an eighth at a time
    lines = [*SENTENCES, "", *SENTENCES, "four new boats"]
    given = {"files": {"file": ("x.txt", "\n".join(lines).encode())}, "data": {"source": "auto", "target": "de"}}
    found = client.get(client.post("/translate_file", **given).json()["translatedFileUrl"])
    assert found.text.split("\n") == expected(translator, lines)


@pytest.mark.parametrize(
    ("name", "content", "status", "reason"),
    [
        ("x.exe", b"x", 400, "not supported"),
        ("x", b"x", 400, "not supported"),
        ("x.txt", b"\xff", 400, "not UTF-8 at byte 0"),
        ("x.txt", b"x" * 2000, 413, "at most 1000"),
        ("x.txt", b"x" * 200_000, 413, "too large"),
    ],
)
def test_files_that_are_refused(serve, name, content, status, reason):
    client = serve(max_file_bytes=1000)
    found = client.post("/translate_file", files={"file": (name, content)}, data={"source": "en", "target": "de"})
    assert found.status_code == status
    assert reason in found.json()["error"]


def test_a_file_that_is_not_there(client):
    assert client.post("/translate_file", data={"source": "en", "target": "de"}).status_code == 400
    assert client.get("/download_file/x.txt").status_code == 400
    assert client.get("/download_file/..%2f..%2fetc%2fpasswd").status_code in (400, 404)


def test_only_so_many_files_are_kept(serve):
    client = serve(keep_files=2)
    addresses = []
    for number in range(3):
        given = {"files": {"file": (f"{number}.txt", b"two boats")}, "data": {"source": "en", "target": "de"}}
        addresses.append(client.post("/translate_file", **given).json()["translatedFileUrl"])
    assert [client.get(address).status_code for address in addresses] == [400, 200, 200]
