"""The page of a trace is one file that needs nothing else."""

import json
import re

import pytest

from ferryman.explain import trace, write_page
from ferryman.explain.bundling import EXPORT, IMPORT, bundle, reader
from ferryman.explain.page import WEB, page
from ferryman.explain.values import BUDGET_BYTES

READ = reader(WEB)
MODULES = sorted(path.name for path in WEB.iterdir() if path.name.endswith(".js"))


def texts(language: str) -> dict[str, str]:
    return json.loads((WEB / f"texts.{language}.json").read_text(encoding="utf-8"))


def embedded(html: str, name: str) -> object:
    """Return the JSON in a script element."""
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', html, re.DOTALL)[1])


def test_the_page_holds_the_trace_and_both_languages(make_translator, sentence, tmp_path):
    told = trace(make_translator(), sentence).to_json()
    write_page(told, str(tmp_path / "page.html"))
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert embedded(html, "trace") == json.loads(told)
    assert embedded(html, "texts") == {"en": texts("en"), "zh": texts("zh")}


def test_the_page_asks_the_network_for_nothing(make_translator, sentence):
    html = page(trace(make_translator(), sentence).to_json())
    addresses = set(re.findall(r"\w+://[^\s\"'<>]*", html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, never loaded
    assert not re.search(r"<(?:link|img|script|iframe)[^>]*(?:src|href)=\"(?!data:)", html)
    assert "default-src 'none'" in html


def test_without_a_trace_the_page_asks_its_server():
    assert embedded(page(None), "trace") is None


def test_both_languages_have_the_same_keys_and_fill_in_the_same_values():
    english, chinese = texts("en"), texts("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert text and chinese[key], key
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", chinese[key])), key


def test_every_text_is_used_and_every_used_text_is_there():
    program = "".join((WEB / name).read_text(encoding="utf-8") for name in MODULES)
    keys = set(texts("en"))
    assert set(re.findall(r'\bt\("([\w.]+)"', program)) <= keys
    quoted = set(re.findall(r'"([\w.]+)"', program))
    templates = [re.split(r"\$\{[^}]*\}", one) for one in re.findall(r"`([\w.]+\$\{[^`]*)`", program)]
    patterns = [re.compile(r"[\w.]+".join(map(re.escape, parts))) for parts in templates]
    assert [key for key in keys - quoted if not any(pattern.fullmatch(key) for pattern in patterns)] == []


def test_every_module_is_bundled_once_after_what_it_imports():
    program = bundle("main.js", READ)
    order = re.findall(r"^const module_(\w+) = \(\(\) => \{$", program, re.MULTILINE)
    assert sorted(name.replace("_", "-") + ".js" for name in order) == MODULES
    for name in order:
        source = (WEB / f"{name.replace('_', '-')}.js").read_text(encoding="utf-8")
        for needed in re.findall(r'from "\./([\w-]+)\.js"', source):
            assert order.index(needed.replace("-", "_")) < order.index(name)
    assert "import {" not in program
    assert not re.search(r"^export ", program, re.MULTILINE)


def test_every_imported_name_is_exported():
    for name in MODULES:
        for names, needed in IMPORT.findall((WEB / name).read_text(encoding="utf-8")):
            exported = EXPORT.findall((WEB / needed).read_text(encoding="utf-8"))
            assert {one.strip() for one in names.split(",") if one.strip()} <= set(exported), (name, needed)


def test_modules_that_import_one_another_in_a_circle_are_an_error():
    sources = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(ValueError, match=r"a\.js -> b\.js -> a\.js"):
        bundle("a.js", sources.__getitem__)


def test_modules_are_short():
    for name in MODULES:
        assert len((WEB / name).read_text(encoding="utf-8").splitlines()) <= 250, name


def test_no_text_of_a_sentence_ends_the_script_it_stands_in(make_translator):
    told = trace(make_translator(), "the ferry </script><script>alert(1)</script> carries people").to_json()
    html = page(told)
    assert html.count("</script>") == page(None).count("</script>")
    assert embedded(html, "trace") == json.loads(told)


def test_with_the_largest_trace_the_page_stays_under_five_megabytes():
    assert BUDGET_BYTES + len(page(None).encode()) < 5_000_000
