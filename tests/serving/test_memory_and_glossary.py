"""What a translation memory has is taken from there, and terms are said as the glossary says: texts and documents."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ferryman
from ferryman.cli.app import app
from ferryman.config import DocumentsConfig
from ferryman.errors import ConfigError, DataError
from ferryman.serving.models import Fleet, Served
from ferryman.translator import Translator

GLOSSARY = "boats\tKähne\nriver\tStrom\n"
MEMORY = "two red boats\tzwei rote Kähnchen\n"
BOATS = {"source": "en", "target": "de"}


@pytest.fixture
def equipped(translator, tmp_path):
    """Have a model name a memory and a glossary in its configuration."""

    def equipped(memory=MEMORY, glossary=GLOSSARY, suffix=".tsv", base=translator):
        paths = {}
        for name, content in (("memory", memory), ("glossary", glossary)):
            if content:
                paths[name] = tmp_path / f"{name}{suffix}"
                paths[name].write_text(content, encoding="utf-8")
        config = base.config.model_copy(update={"documents": DocumentsConfig(**paths)})
        return Translator(base.model, config, base.tokenizers)

    return equipped


@pytest.fixture
def client(serve, equipped):
    return serve(equipped())


def ask(client, text, **fields):
    return client.post("/v1/translate", json={"text": text, **BOATS, **fields}).json()


def test_a_text_of_the_memory_comes_from_there(client):
    found = ask(client, "two  red boats\n")
    assert (found["text"], found["flags"]) == ("zwei rote Kähnchen", ["remembered"])
    assert client.post("/translate", json={"q": "two red boats", **BOATS}).json() == {
        "translatedText": "zwei rote Kähnchen"
    }


def test_so_does_a_line_of_a_text_and_no_other(client, translator):
    other = translator.translate(["many new bridges"])[0].text
    found = ask(client, "many new bridges\n  two red boats")
    assert found["text"] == f"{other}\n  zwei rote Kähnchen"
    assert ask(client, "two red boats and many new bridges")["flags"] != ["remembered"]


def test_who_wants_other_translations_gets_those_of_the_model(client):
    found = ask(client, "two red boats", n_best=3)
    assert len(found["alternatives"]) == 2
    assert "remembered" not in found["flags"]


def test_terms_are_said_as_the_glossary_says(client):
    found = ask(client, "three old boats")
    assert "Kähne" in found["text"]
    assert "term_missing" not in found["flags"]
    assert "Kähne" in client.post("/translate", json={"q": "three old boats", **BOATS}).json()["translatedText"]
    page = {"q": "<p>three <b>old</b> boats</p>", **BOATS, "format": "html"}
    assert "Kähne" in client.post("/translate", json=page).json()["translatedText"]


def test_a_term_that_cannot_be_said_is_told(serve, equipped, monkeypatch):
    monkeypatch.setattr("ferryman.documents.enforcing.Enforcer._enforced", lambda self, sentence, found: found)
    client = serve(equipped())
    assert "term_missing" in ask(client, "three old boats")["flags"]
    given = {"files": {"file": ("a.json", b'{"a": "three old boats"}')}, "data": BOATS}
    assert client.post("/translate_file", **given).json()["summary"]["flags"] == {"term_missing": 1}


def test_sentences_that_come_one_by_one_have_their_terms(client):
    text = "Three old boats. Many new bridges."
    answer = client.post("/v1/translate", json={"text": text, **BOATS, "stream": True}).text
    done = json.loads(answer.rpartition("data: ")[2])
    assert done["text"] == ask(client, text)["text"]
    assert "Kähne" in done["text"] or "term_missing" in done["flags"]
    remembered = client.post("/v1/translate", json={"text": "two red boats", **BOATS, "stream": True}).text
    assert "zwei rote Kähnchen" in remembered


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.json"])
def test_a_document_is_as_the_command_makes_it(client, equipped, tmp_path, name):
    content = {
        "a.html": "<p>two red boats</p><p>Three old boats. Many <b>new boats</b>.</p>",
        "a.md": "two red boats\n\n* three *old* boats\n",
        "a.json": '{"a": "two red boats", "b": "Three old boats. Many new bridges."}',
    }[name]
    (tmp_path / name).write_text(content)
    summary = ferryman.translate_document(equipped(), tmp_path / name, tmp_path / "wanted")
    answer = client.post("/translate_file", files={"file": (name, content)}, data=BOATS).json()
    assert client.get(answer["translatedFileUrl"]).content == (tmp_path / "wanted").read_bytes()
    told = answer["summary"]
    assert (told["translated"], told["remembered"]) == (summary.translated, summary.remembered) != (0, 0)
    assert told["flags"] == summary.flags


def test_a_plain_file_takes_lines_from_the_memory(client):
    given = {"files": {"file": ("a.txt", b"two red boats\n\ntwo red boats\n")}, "data": BOATS}
    answer = client.post("/translate_file", **given).json()
    assert client.get(answer["translatedFileUrl"]).text == "zwei rote Kähnchen\n\nzwei rote Kähnchen\n"
    assert answer["summary"]["remembered"] == 2


def test_a_file_without_languages_is_for_one_direction_only(equipped, speaking):
    ways = {"one": ("en", "de"), "two": ("en", "fr")}
    with pytest.raises(ConfigError, match="does not say its languages, and would be for en → de, en → fr"):
        Fleet([Served(name, equipped(base=speaking(*way))) for name, way in ways.items()])
    tmx = (
        '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>two red boats</seg></tuv>'
        '<tuv xml:lang="de"><seg>zwei</seg></tuv></tu></body></tmx>'
    )
    ways = {"there": ("en", "de"), "back": ("de", "en")}
    models = [Served(name, equipped(tmx, "", ".tmx", speaking(*way))) for name, way in ways.items()]
    Fleet(models)
    memories = [next(iter(model.tools.values())).memory for model in models]
    assert (memories[0].get("two red boats"), memories[1].get("zwei")) == ("zwei", "two red boats")
    with pytest.raises(DataError, match="no unit has both en and fr"):
        Fleet([Served("other", equipped(tmx, "", ".tmx", speaking("en", "fr")))])


def test_what_the_command_names_holds_for_its_models(tmp_path, monkeypatch):
    named = []
    monkeypatch.setattr(
        "ferryman.serving.server.load_service", lambda folders, settings, config: named.extend(settings)
    )
    arguments = ["serve", "runs/x", "--port", "0", "documents.glossary=t.tsv", "decoding.beam=2", "serving.max_texts=5"]
    CliRunner().invoke(app, arguments)
    assert named == ["documents.glossary=t.tsv", "decoding.beam=2"]


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("documents.glossary=nowhere.tsv", "documents.glossary: nowhere.tsv: no such file"),
        ("documents.memry=x.tsv", "did you mean documents.memory"),
        ("documents.glossary=x.csv", "x.csv"),
    ],
)
def test_a_memory_or_glossary_that_cannot_be_read_is_told_at_the_start(setting, reason):
    frozen = str(Path(__file__).parents[1] / "data" / "frozen-0.1")
    found = CliRunner().invoke(app, ["serve", frozen, "--port", "0", setting])
    assert found.exit_code == 2, found.stderr
    assert reason in found.stderr
