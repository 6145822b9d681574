"""The page to translate with, in a real browser, against a real server."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from ferryman.config import ServingConfig
from ferryman.serving.keys import add_key
from ferryman.serving.models import Fleet, Served
from ferryman.serving.service import Service

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

DONE = '#target[aria-busy="false"] .said'
TEXT = "two red boats. The old birds."


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium, start, service) -> Iterator[Any]:
    """Open the page; what the browser complains of, but for answers that are errors, is an error."""
    troubles: list[str] = []
    contexts = []

    def browse(serving: Service = service, **settings: Any) -> Any:
        context = chromium.new_context(**{"locale": "en-US", "reduced_motion": "reduce", **settings})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(30_000)
        tab.on("console", lambda said: "Failed to load" in said.text or troubles.append(said.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(start(serving)[0])
        tab.wait_for_selector("#into option", state="attached")
        return tab

    yield browse
    for context in contexts:
        context.close()
    assert troubles == []


def write(tab: Any, text: str) -> str:
    """Type a text and return its translation."""
    tab.fill("#source", text)
    tab.wait_for_selector(f"{DONE}")
    tab.wait_for_selector("#target:not(.old)")
    return tab.inner_text("#target")


def stream(*sentences: dict[str, Any], **whole: Any) -> dict[str, str]:
    """Make an answer of the server: some sentences, and all of them."""
    plain = {"score": -1.0, "log_prob": -1.0, "flags": [], "alternatives": []}
    events = [("sentence", {"index": place, **plain, **one}) for place, one in enumerate(sentences)]
    done = {**plain, "source": "en", "target": "de", "models": ["m"], "text": "".join(one["text"] for one in sentences)}
    events.append(("done", {**done, **whole}))
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return {"body": body, "content_type": "text/event-stream"}


def test_what_is_typed_is_translated_sentence_by_sentence(browse, translator):
    tab = browse()
    assert write(tab, TEXT) == translator.translate([TEXT])[0].text
    assert tab.locator("#target .said").count() == 2
    assert tab.inner_text("#detected") == "English"
    tab.locator("#target .said").nth(1).click()
    assert "Sentence 2 of 2" in tab.inner_text(".closer")
    tab.click("#clear")
    assert "appears here" in tab.inner_text("#target")
    assert tab.is_hidden("#copy")


def test_a_changed_text_stops_what_runs_for_the_old_one(browse, translator):
    tab = browse()
    held = []

    def hold(route: Any) -> None:
        asked = json.loads(route.request.post_data)["text"]
        held.append(asked) if asked == "two" else route.continue_()

    tab.route("**/v1/translate", hold)
    with tab.expect_request("**/v1/translate"):
        tab.fill("#source", "two")
    with tab.expect_event("requestfailed"):
        tab.fill("#source", "two red boats")
    tab.wait_for_selector(DONE)
    assert tab.inner_text("#target") == translator.translate(["two red boats"])[0].text
    assert held == ["two"]
    assert tab.is_hidden("#trouble")


def test_another_translation_can_be_chosen_and_is_copied(browse, translator):
    tab = browse(permissions=["clipboard-read", "clipboard-write"])
    first = write(tab, "two red boats")
    tab.keyboard.press("Alt+KeyO")
    tab.wait_for_selector("#other-1")
    wide = translator.config.decoding.model_copy(update={"n_best": 4, "beam": max(4, translator.config.decoding.beam)})
    others = [one.text for one in translator.translate(["two red boats"], wide)[0].alternatives]
    shown = tab.locator(".other .wording").all_inner_texts()
    assert shown[0] == first
    assert set(shown[1:]) == set(others)
    tab.click("#other-1")
    assert tab.inner_text("#target") == shown[1]
    assert tab.get_attribute("#other-1", "aria-pressed") == "true"
    tab.click("#copy")
    tab.wait_for_selector("#copy:has-text('Copied')")
    assert tab.evaluate("navigator.clipboard.readText()") == shown[1]


def test_words_tell_where_they_come_from(browse, translator):
    tab = browse()
    said = write(tab, "two red boats")
    decoding = translator.config.decoding.model_copy(update={"alignment": "hard"})
    links = translator.translate(["two red boats"], decoding)[0].alignment.links
    source, target = links[-1]
    tab.locator("#target [data-word]").nth(target).hover()
    assert tab.locator(".behind .paired").all_inner_texts() == ["two red boats".split()[source]]
    box = tab.locator(".behind [data-word]").nth(source).bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    marked = tab.locator("#target .paired").all_inner_texts()
    assert marked == [said.split()[two] for one, two in links if one == source]
    tab.focus("#target")
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("#reading") == f"{said.split()[0]} ← {'two red boats'.split()[links[0][0]]}"
    tab.keyboard.press("ArrowLeft")
    assert tab.inner_text("#reading").startswith(said.split()[-1])


def test_languages_without_spaces_are_told_character_by_character(browse):
    tab = browse()
    answer = stream(
        {"source": "a b.", "text": "我们好。", "alignment": [[0, 0], [0, 1], [1, 2], [1, 3]], "words": [2, 4]}
    )
    tab.route("**/v1/translate", lambda route: route.fulfill(**answer))
    write(tab, "a b.")
    tab.locator("#target [data-word]").nth(2).hover()
    assert tab.locator(".behind .paired").all_inner_texts() == ["b."]
    assert tab.locator("#target .paired").all_inner_texts() == ["好"]


def test_what_is_out_of_the_ordinary_is_said_in_words(browse):
    tab = browse()
    one = {"source": "One.", "text": "<b>Eins</b>", "flags": ["looped", "new"]}
    tab.route("**/v1/translate", lambda route: route.fulfill(**stream(one, {"source": "Two.", "text": " Zwei."})))
    assert write(tab, "One. Two.") == "<b>Eins</b> Zwei."
    remarks = tab.locator("#remarks li").all_inner_texts()
    assert [("repeats itself" in said, "new" in said) for said in remarks] == [(True, False), (False, True)]
    assert tab.locator("#target .doubtful").count() == 1


def test_a_text_in_the_wanted_language_is_said_to_be_so(browse):
    tab = browse()
    answer = stream(source="de", target="de", models=[], text="Hallo")
    tab.route("**/v1/translate", lambda route: route.fulfill(**answer))
    assert write(tab, "Hallo") == "Hallo"
    assert "German already" in tab.inner_text("#detected")
    assert tab.locator("#others, #inside").count() == 0


def test_the_languages_are_those_of_the_server_and_can_be_turned_round(browse, translator, speaking):
    both = Service(Fleet([Served("one", translator), Served("two", speaking("de", "en"))]), ServingConfig())
    tab = browse(both)
    tab.select_option("#from", "en")
    assert tab.locator("#into option").all_inner_texts() == ["German"]
    said = write(tab, "two red boats")
    tab.click("#swap")
    tab.wait_for_function("document.querySelector('#source').value !== 'two red boats'")
    assert tab.input_value("#source") == said
    assert (tab.input_value("#from"), tab.input_value("#into")) == ("de", "en")


def test_a_busy_server_is_asked_again(browse, translator):
    tab = browse()
    statuses = [503, 429]

    def answer(route: Any) -> None:
        if statuses:
            route.fulfill(status=statuses.pop(), json={"error": "later"}, headers={"Retry-After": "1"})
        else:
            route.continue_()

    tab.route("**/v1/translate", answer)
    tab.fill("#source", "two red boats")
    tab.wait_for_selector("#trouble:has-text('more often')")
    assert "trying again in" in tab.inner_text("#trouble")
    tab.wait_for_selector("#trouble:has-text('too much to do')")
    tab.click("#again")
    tab.wait_for_selector(DONE)
    assert tab.is_hidden("#trouble")


def test_what_is_of_an_older_text_or_language_cannot_be_copied(browse, translator, speaking):
    tab = browse(Service(Fleet([Served("one", translator), Served("two", speaking("en", "fr"))]), ServingConfig()))
    write(tab, "two red boats")
    assert tab.is_enabled("#copy")
    tab.route("**/v1/translate", lambda route: route.fulfill(status=400, json={"error": "not this"}))
    tab.select_option("#into", "fr")
    tab.wait_for_selector("#trouble:has-text('not this')")
    assert tab.is_disabled("#copy")
    assert tab.is_hidden(".closer")


def test_errors_are_told_where_the_translation_would_stand(browse, translator):
    tab = browse(Service(Fleet([Served("boats", translator)]), ServingConfig(max_characters=40)))
    tab.fill("#source", "two red boats " * 4)
    tab.wait_for_selector("#trouble:has-text('at most 40 characters')")
    assert tab.inner_text("#count") == "56 of 40 characters"
    tab.route("**/v1/translate", lambda route: route.abort())
    tab.fill("#source", "two red boats")
    tab.wait_for_selector("#trouble:has-text('does not answer')")
    tab.unroute("**/v1/translate")
    tab.route("**/v1/translate", lambda route: route.fulfill(body='event: error\ndata: {"error": "too slow"}\n\n'))
    tab.click("#again")
    tab.wait_for_selector("#trouble:has-text('too slow')")


def test_a_key_is_asked_for_where_there_are_keys(browse, translator, tmp_path):
    key = add_key(tmp_path / "keys.txt", "anna")
    config = ServingConfig(api_keys=tmp_path / "keys.txt")
    tab = browse(Service(Fleet([Served("boats", translator)]), config))
    tab.fill("#key", "wrong")
    tab.keyboard.press("Enter")
    tab.fill("#source", "two red boats")
    tab.wait_for_selector("#trouble:has-text('does not know this key')")
    tab.fill("#key", key)
    tab.keyboard.press("Enter")
    tab.wait_for_selector(DONE)
    assert tab.is_hidden("#key")
    tab.reload()
    assert write(tab, "two red boats")
    with tab.expect_popup() as opened:
        tab.click("#inside")
    opened.value.wait_for_selector("#map svg")


def test_a_short_text_file_goes_into_the_box_and_others_to_the_server(browse, translator, tmp_path):
    tab = browse(Service(Fleet([Served("boats", translator)]), ServingConfig(max_characters=40)))
    drop = """text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "a.txt"));
        document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    tab.evaluate(drop, "two red boats\r\n")
    tab.wait_for_selector(DONE)
    assert tab.input_value("#source") == "two red boats\n"
    tab.set_input_files("#file", {"name": "b.exe", "mimeType": "text/plain", "buffer": b"x"})
    tab.wait_for_selector("#document:has-text('.exe: not supported')")
    lines = ["two red boats"] * 4
    tab.set_input_files("#file", {"name": "c.txt", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()})
    with tab.expect_download() as saved:
        tab.click("#document a")
    assert saved.value.suggested_filename == "c.de.txt"
    assert saved.value.path().read_text().split("\n") == [translator.translate(lines)[0].text] * 4


def test_a_sentence_can_be_looked_into(browse):
    tab = browse()
    said = write(tab, "two red boats")
    with tab.expect_popup() as opened:
        tab.click("#inside")
    inside = opened.value
    inside.wait_for_selector("#map svg")
    assert "two red boats" in inside.inner_text(".sentence")
    assert said in inside.inner_text(".sentence")


def test_language_and_theme_are_switched_and_remembered(browse):
    tab = browse(color_scheme="light")
    said = write(tab, "two red boats")
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    tab.click("#language")
    assert tab.inner_text("#target") == said
    assert tab.inner_text("#copy") == "复制"
    assert tab.inner_text("#detected") == "英语"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
    tab.reload()
    assert tab.get_attribute("html", "lang") == "zh-Hans"
    assert tab.get_attribute("html", "data-theme") == "dark"


def test_it_fits_a_phone_and_every_control_has_a_name(browse):
    tab = browse(viewport={"width": 360, "height": 740})
    long = "Wordswithoutanyspacebetweenthemthatarelongerthanthephoneiswide"
    one = {"source": f"{long}.", "text": f"{long}.", "alignment": [[0, 0]], "words": [1, 1], "flags": ["copied"]}
    answer = stream(one, {"source": f"{long}!", "text": f" {long}!"})
    tab.route("**/v1/translate", lambda route: route.fulfill(**answer))
    write(tab, f"{long}. {long}!")
    tab.wait_for_selector("#inside")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    named = "one => one.labels?.length || one.ariaLabel || one.innerText"
    controls = "button:not([hidden]), select, textarea, input:not([type=file], [hidden] input)"
    assert tab.evaluate(f"[...document.querySelectorAll('{controls}')].every({named})")
    assert tab.inner_text(".behind").rstrip("\u200b") == tab.input_value("#source")
    box, behind = (tab.locator(one).bounding_box() for one in ("#source", ".behind"))
    assert box == behind  # what is marked lies under the words


def test_refusals_are_told_in_the_language_of_the_page_and_in_the_servers_own_words(browse):
    tab = browse(locale="zh-CN")
    tab.set_input_files("#file", {"name": "b.json", "mimeType": "text/plain", "buffer": b"{"})
    tab.wait_for_selector("#document:has-text('这个文件无法翻译')")
    assert "b.json, line 1: not JSON" in tab.inner_text("#document .detail[lang=en]")
    refused = {"error": "Invalid request: source: too odd", "code": "request"}
    tab.route("**/v1/translate", lambda route: route.fulfill(status=400, json=refused))
    tab.fill("#source", "two red boats")
    tab.wait_for_selector("#trouble:has-text('服务器不接受这个请求')")
    assert tab.inner_text("#trouble .detail") == "source: too odd"


def test_what_is_to_be_looked_at_in_a_file_is_told(browse):
    tab = browse()
    page = b"<p>The <b>boats</b> of <i>many</i> <u>rivers</u></p>"
    tab.set_input_files("#file", {"name": "a.html", "mimeType": "text/html", "buffer": page})
    tab.wait_for_selector("#document a")
    assert "Remarks on the translation: 2." in tab.inner_text("#document")


def test_the_page_to_look_inside_has_all_that_the_server_needs(browse, translator, speaking, tmp_path):
    key = add_key(tmp_path / "keys.txt", "anna")
    models = [Served("one", translator), Served("two", speaking("en", "fr")), Served("three", speaking("de", "en"))]
    tab = browse(Service(Fleet(models), ServingConfig(api_keys=tmp_path / "keys.txt")))
    tab.goto(f"{tab.url}explore")
    tab.fill("#sentence", "two red boats")
    tab.click("#ask")
    tab.wait_for_selector("#live-status:has-text('asks for a key')")
    tab.fill("#key", key)
    assert tab.locator("#from option").all_inner_texts() == ["Detect language", "English", "German"]
    tab.select_option("#from", "en")
    assert tab.locator("#into option").all_inner_texts() == ["German", "French"]
    tab.select_option("#into", "fr")
    with tab.expect_request("**/v1/explain") as asked:
        tab.click("#ask")
    assert asked.value.post_data_json == {"text": "two red boats", "source": "en", "target": "fr"}
    tab.wait_for_selector("#map svg")
