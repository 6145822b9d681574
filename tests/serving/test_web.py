"""The page to translate with is one file that may run what is in it, and no more."""

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest

from ferryman.explain.bundling import EXPORT, IMPORT, bundle, reader
from ferryman.explain.page import WEB as SHARED
from ferryman.serving.http.page import translation_page
from ferryman.text.doubts import find_doubts

WEB = files("ferryman.serving") / "web"
READ = reader(WEB, SHARED)
OWN = sorted(path.name for path in WEB.iterdir() if path.name.endswith(".js"))


def texts(language):
    return json.loads((WEB / f"texts.{language}.json").read_text(encoding="utf-8"))


def test_the_page_is_served_with_a_policy_that_names_its_program(serve):
    answer = serve().get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    program = re.search(r'<script type="module">(.*?)</script>', answer.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"script-src 'sha256-{digest}'; " in policy
    assert policy.startswith("default-src 'none'; ")
    assert "connect-src 'self'" in policy


def test_it_is_one_small_file_that_loads_nothing():
    html = translation_page()
    assert len(html.encode()) < 100_000
    assert set(re.findall(r"\w+://[^\s\"'<>]*", html)) == {"http://www.w3.org/2000/svg"}  # a name, never loaded
    assert not re.search(r"<(?:link|img|script|iframe)[^>]*(?:src|href)=\"(?!data:)", html)
    assert "{{" not in html


def test_both_languages_have_the_same_keys_and_fill_in_the_same_values():
    english, chinese = texts("en"), texts("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert text and chinese[key], key
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", chinese[key])), key


def test_every_text_is_used_and_every_used_text_is_there():
    names = re.findall(r"^const module_(\w+) = ", bundle("main.js", READ), re.MULTILINE)
    program = "".join(READ(f"{name.replace('_', '-')}.js") for name in names)
    keys = set(texts("en"))
    own = "".join((WEB / name).read_text(encoding="utf-8") for name in OWN)
    assert set(re.findall(r'\bt\("([\w.]+)"', own)) <= keys
    quoted = set(re.findall(r'"([\w.]+)"', program))
    templates = [re.split(r"\$\{[^}]*\}", one) for one in re.findall(r"`([\w.]+\$\{[^`]*)`", program)]
    patterns = [re.compile(r"[\w.]+".join(map(re.escape, parts))) for parts in templates]
    assert [key for key in keys - quoted if not any(pattern.fullmatch(key) for pattern in patterns)] == []


def test_every_flag_is_told_in_words():
    told = {key.removeprefix("flag.") for key in texts("en") if key.startswith("flag.")} - {"other"}
    listed = re.search(r"const FLAGS = \[(.*?)\]", (WEB / "closer.js").read_text(encoding="utf-8"), re.DOTALL)[1]
    assert set(re.findall(r'"(\w+)"', listed)) == told
    documented = set(re.findall(r"^``(\w+)``|, ``(\w+)``:", find_doubts.__doc__ or "", re.MULTILINE))
    assert {"split", "cut", "truncated", "protected", "retried", "unmet", "forbidden"} <= told
    assert {name for pair in documented for name in pair if name} <= told


@pytest.mark.parametrize("name", OWN)
def test_modules_are_short_and_import_what_is_exported(name):
    source = (WEB / name).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 250
    for names, needed in IMPORT.findall(source):
        wanted = {one.strip() for one in names.split(",") if one.strip()}
        assert wanted <= set(EXPORT.findall(READ(needed))), needed
        assert all(re.search(rf"\b{one}\b", IMPORT.sub("", source)) for one in wanted), needed


def test_a_file_of_the_page_comes_before_a_shared_one_of_the_same_name():
    assert READ("texts.en.json") == (WEB / "texts.en.json").read_text(encoding="utf-8")
    assert READ("dom.js") == (SHARED / "dom.js").read_text(encoding="utf-8")
