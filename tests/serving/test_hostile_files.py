"""Files that are meant to keep a server busy, or to break it: refused with a reason, or translated in bounded time."""

import io
import random
import resource
import time
import zipfile

import pytest

from ferryman.documents.formats import SUFFIXES

LANGUAGES = {"source": "en", "target": "de"}
SIZE = 1_000_000
SECONDS = 30  # of a processor, where each took minutes or for ever
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BOMB = (
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'boats'>"
    + "".join(f"<!ENTITY {two} '{10 * f'&{one};'}'>" for one, two in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><xliff><file><body><trans-unit id='1'><source>&i;</source></trans-unit></body></file></xliff>"
)


def full(part, head="", tail=""):
    return (head + part * ((SIZE - len(head) - len(tail)) // len(part)) + tail).encode()


HOSTILE = {
    "nested.html": full("<b>", tail="boats"),
    "lists.html": full("<ul><li>", tail="boats"),
    "breaks.html": full("<br>", tail="boats"),
    "titles.html": full("<i title=a>b</i> "),
    "open.html": full("<a "),
    "quotes.html": full('<a b="'),
    "entities.html": full("&nbsp;", tail="boats"),
    "declared.html": full("<!"),
    "one-line.html": full("a"),
    "quoted.md": full(">", tail=" boats"),
    "lists.md": full("- ", tail="boats"),
    "brackets.md": full("["),
    "ticks.md": full("`", head="boats "),
    "lines.md": full("a\n"),
    "nested.yaml": full("["),
    "dashes.yaml": full("- "),
    "deep.yaml": "".join(f"{' ' * at}a:\n" for at in range(1400)).encode(),
    "aliases.yaml": full("a: &a b\n")[:100_000],
    "nested.json": full("["),
    "objects.json": full('{"a":'),
    "digits.json": full("1"),
    "one-line.json": full("a", head='"', tail='"'),
    "nested.xlf": full("<a>"),
    "bomb.xlf": BOMB.encode(),
    "wide.xlf": full("<a/>", "<xliff>", "</xliff>"),
    "nested.tmx": full("<tu>"),
    "flags.po": full("#, a\n"),
    "plurals.po": full(
        'msgid "a boat"\nmsgid_plural "boats"\nmsgstr[0] ""\n\n',
        head='msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n*n*n*n%7!=1);\\n"\n\n',
    ),
    "form.po": b'msgid "a"\nmsgid_plural "b"\nmsgstr[' + b"9" * 5000 + b'] ""\n',
    "arrows.srt": full("-->"),
    "cue.srt": full("<i>", head="1\n00:00:01,000 --> 00:00:02,000\n"),
    "slashes.properties": full("\\"),
    "quotes.strings": full('"'),
    "one-line.txt": full("a"),
    "tags.txt": full("<f1>", tail="boats"),
    "braces.txt": full("{"),
    "points.txt": full("www."),
}


def docx(document, **parts):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        body = f'<w:document xmlns:w="{W}"><w:body>{document}</w:body></w:document>'
        for name, content in {"word/document.xml": body, **parts}.items():
            archive.writestr(name, content)
    return stream.getvalue()


def send(client, name, content):
    return client.post("/translate_file", files={"file": (name, content)}, data=LANGUAGES)


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture
def client(serve, monkeypatch):
    """A server that translates nothing, so that only reading and writing take time."""
    client = serve()
    say = client.service.fleet.models[0].translator
    monkeypatch.setattr(client.service.worker, "work", lambda manner, texts: [say.translate([""])[0] for _ in texts])
    return client


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_it_ends_soon_with_a_file_or_a_reason(client, name):
    before, began = used(), time.monotonic()
    answer = send(client, name, HOSTILE[name])
    assert answer.status_code in (200, 400, 413), answer.text
    assert "Traceback" not in answer.text
    assert min(used() - before, time.monotonic() - began) < SECONDS
    if answer.status_code == 200:
        content = client.get(answer.json()["translatedFileUrl"]).content
        assert content == HOSTILE[name]  # nothing was said of it
    else:
        assert answer.json()["code"] in ("file", "large")
    assert client.get("/ready").status_code == 200


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("<w:p/>" * 2_000_000, "more than 1,000,000 tags"),
        ("<w:p>" * 20_000, "not well-formed|more than 250 elements"),
        (" " * 20_000_000, "unpacks to 20,0"),
    ],
)
@pytest.mark.slow
def test_a_packed_document_may_hold_only_so_much(client, document, reason):
    answer = send(client, "a.docx", docx(document))
    assert answer.status_code in (400, 413)
    assert any(one in answer.json()["error"] for one in reason.split("|"))


def test_fields_that_never_end_are_read_at_once(client):
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    before = used()
    assert send(client, "a.docx", docx(f"<w:p>{begin * 20_000}<w:r><w:t>boats</w:t></w:r></w:p>")).status_code == 200
    assert used() - before < SECONDS


@pytest.mark.slow
def test_a_damaged_file_of_any_format_is_refused_or_read(client):
    """Bytes turned at random, with a seed."""
    chance = random.Random(1)
    whole = docx("<w:p><w:r><w:t>two red boats</w:t></w:r></w:p>", **{"word/media/a.png": b"\x89PNG" * 50})
    texts = dict.fromkeys(SUFFIXES, b'{"a": "b"}\n1\n00:00:01,000 --> 00:00:02,000\n<p>x &amp; y\n# "z"=1')
    for suffix, content in {**texts, ".docx": whole}.items():
        for _ in range(40 if suffix == ".docx" else 5):
            turned = bytearray(content)
            for _ in range(chance.randint(1, 6)):
                turned[chance.randrange(len(turned))] = chance.randrange(256)
            answer = send(client, f"a{suffix}", bytes(turned))
            assert answer.status_code in (200, 400, 413), (suffix, bytes(turned), answer.text)
