"""The page in a real browser, opened from disk with no network: what it shows is what was computed."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ferryman.explain import Trace, trace, write_page
from ferryman.explain.page import page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
STOP = """() => {
    const play = document.querySelector("#play");
    if (play.getAttribute("aria-label") === "Pause") play.click();  // on a slow machine it may have come to the end
    return play.getAttribute("aria-label");
}"""
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

PARTS = ["source", "embedding", "positions", "encoder", "norm", "feedforward", "memory", "decoder", "cross", "softmax"]
PARTS += ["beam", "teacher", "result"]
ATTENTIONS = [("encoder", "encoder.{}.self_attention"), ("decoder", "decoder.{}.self_attention")]
ATTENTIONS += [("cross", "decoder.{}.cross_attention")]
HOST = "http://ferryman.test"


@pytest.fixture(scope="module")
def found(make_translator) -> Trace:
    return trace(make_translator(decoding={"beam": 4}, norm_order="pre"), "the ferry carries seven old people")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(found, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_page(found.to_json(), path)
    return path.as_uri()


@pytest.fixture
def browse(chromium) -> Iterator[Any]:
    """Open an address offline; any message of the browser's console, and any request but for the file, is an error."""
    troubles: list[str] = []
    contexts = []

    def open_at(address: str, *, offline: bool = True, **settings: Any) -> Any:
        context = chromium.new_context(offline=offline, **{"locale": "en-US", "reduced_motion": "reduce", **settings})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(90_000)
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        if offline:
            tab.on("request", lambda request: troubles.extend([request.url] * request.url.startswith("http")))
        tab.goto(address)
        return tab

    yield open_at
    for context in contexts:
        context.close()
    assert troubles == []


def show(tab: Any, part: str) -> None:
    """Open a part by its button in the machine."""
    tab.click(f'.block[data-part="{part}"]')
    tab.wait_for_selector(f'#panel[data-part="{part}"]')


def figures(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").removesuffix(" %"))


def cells(tab: Any, selector: str) -> list[list[str]]:
    """Return the texts of a table's body."""
    return tab.eval_on_selector_all(
        f"{selector} tbody tr", "rows => rows.map(row => [...row.children].map(cell => cell.innerText.trim()))"
    )


def test_every_part_opens_and_fits_a_phone(browse, address):
    tab = browse(address, viewport={"width": 360, "height": 740})
    for part in PARTS:
        show(tab, part)
        assert tab.locator("#panel h2").count() == 1
        assert len(tab.inner_text("#panel")) > 200
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360, part


@pytest.mark.parametrize(("kind", "name"), ATTENTIONS)
def test_the_weights_shown_are_those_computed(browse, address, found, kind, name):
    tab = browse(address)
    show(tab, kind)
    for layer, head in ((1, 1), (2, 4)):
        tab.click(f"#pick-{kind}-{layer}-{head}")
        tab.wait_for_selector(f'#pick-{kind}-{layer}-{head}[aria-pressed="true"]')
        tab.eval_on_selector("#panel details", "details => (details.open = true)")
        tab.wait_for_selector("#panel .numbers")
        rows = cells(tab, "#panel .numbers")
        shown = np.array([[figures(text) for text in row[1:]] for row in rows])
        computed = found.tensors[f"{name.format(layer - 1)}.weights"][head - 1]
        assert shown.shape == computed.shape  # no padding
        np.testing.assert_allclose(shown, computed, atol=1e-4)
        np.testing.assert_allclose(shown.sum(axis=1), 1.0, atol=1e-3)
        if kind == "decoder":
            assert (shown[np.triu_indices(len(shown), k=1)] == 0).all()


def test_a_word_tells_what_it_attends_to_most(browse, address, found):
    """Which source word does a target word attend to most in decoder layer 2, head 1?"""
    tab = browse(f"{address}#part=cross&layer.cross=2&head.cross=1")
    tab.wait_for_selector("#panel .strongest")
    number = len(found.target.words)
    place = found.target.words[number - 1][0]
    told = cells(tab, "#panel .strongest")[place]
    weights = found.tensors["decoder.1.cross_attention.weights"][0][place]
    best = int(weights.argmax())
    assert told[0].split()[0].startswith(str(number))
    name = found.source.tokens[best].text if best < len(found.source.tokens) - 1 else "⟨end⟩"
    assert told[1].split()[:2] == [name, f"{weights[best]:.2f}"]
    bits = -(weights * np.log2(weights)).sum()
    assert figures(told[2]) == pytest.approx(bits, abs=0.02)


def test_the_alignment_is_told_word_by_word(browse, address, found):
    tab = browse(f"{address}#part=result")
    tab.wait_for_selector("#panel .links path")
    assert tab.locator("#panel .links path").count() == len(found.alignment.links)
    assert f"decoder layer {found.alignment.layer + 1}" in tab.inner_text("#panel")
    words = ["".join(found.source.tokens[i].text for i in word) for word in found.source.words]
    linked = {said: words[source] for source, said in found.alignment.links}
    rows = cells(tab, "#panel table")
    assert [row[1] for row in rows] == [linked.get(said, "–") for said in range(len(rows))]


def test_lines_show_the_same_head_as_the_map(browse, address):
    tab = browse(f"{address}#part=cross&head.cross=1")
    tab.click("#view-arcs")
    tab.wait_for_selector("#panel .arcs path.chosen")
    tab.click("#joined")
    tab.wait_for_selector('#joined[aria-pressed="true"]')
    assert tab.locator("#panel .arcs .word").count() > 4


def test_steps_go_forward_and_back_by_button_key_and_slider(browse, address, found):
    tab = browse(f"{address}#part=softmax")

    def at(step: int) -> None:
        tab.wait_for_selector(f'#panel[data-step="{step}"]')
        candidates = found.steps[step - 1].candidates
        rows = cells(tab, "#panel .candidates")[: len(candidates)]
        assert [figures(row[4]) for row in rows] == pytest.approx([one.log_prob for one in candidates], abs=6e-4)
        chosen = figures(tab.inner_text("#panel .candidates tr.chosen td:last-child"))
        assert chosen == pytest.approx(found.target.token_log_probs[step - 1], abs=6e-4)
        assert f"Step {step} of {len(found.steps)}" in tab.inner_text(".timeline .told")

    at(1)
    tab.click("#forward")
    at(2)
    tab.keyboard.press("ArrowRight")
    at(3)
    tab.keyboard.press("ArrowLeft")
    at(2)
    tab.fill("#step", str(len(found.steps)))
    at(len(found.steps))
    tab.click("#back")
    at(len(found.steps) - 1)
    tab.click("#first")
    at(1)


def test_playing_comes_to_the_end_and_can_be_stopped(browse, address):
    tab = browse(f"{address}#part=softmax")
    tab.click("#play")
    tab.wait_for_selector('#panel[data-step="2"]')
    assert tab.evaluate(STOP) == "Play"


def test_the_tree_tells_what_became_of_every_candidate(browse, address, found):
    tab = browse(f"{address}#part=beam&step=2")
    tab.wait_for_selector("#panel .fates")
    expected = found.beam.steps[1].candidates
    rows = cells(tab, "#panel .fates")
    assert [row[5].split()[-1] for row in rows] == [one.fate for one in expected]
    assert [figures(row[4]) for row in rows] == pytest.approx([one.score for one in expected], abs=6e-4)
    nodes = sum(len(step.candidates) for step in found.beam.steps[:2])
    assert tab.locator("#panel .node").count() == nodes
    assert tab.locator("#panel .edge.best").count() == 2


def test_tokens_that_read_alike_are_told_apart(browse, found, tmp_path):
    told = json.loads(found.to_json())
    step = told["beam"]["steps"][0]["candidates"]
    for one, piece in zip(step[:2], ("▁boat", "boat"), strict=True):
        one.update(piece=piece, text="boat")
    for one, piece in zip(told["steps"][0]["candidates"][:2], ("▁boat", "boat"), strict=True):
        one.update(piece=piece, text="boat")
    told["beam"]["finished"][1]["text"] = told["beam"]["finished"][0]["text"]
    write_page(json.dumps(told), tmp_path / "alike.html")
    tab = browse(f"{(tmp_path / 'alike.html').as_uri()}#part=beam")
    tab.wait_for_selector("#panel .fates")
    assert [row[1:3] for row in cells(tab, "#panel .fates")[:2]] == [["▁boat", "▁boat"], ["boat", "boat"]]
    assert tab.locator("#panel .node text").all_text_contents()[:2] == ["▁boat", "boat"]
    assert "read alike" in tab.inner_text("#panel")
    show(tab, "softmax")
    assert tab.locator("#panel .candidates bdi").all_text_contents()[:2] == ["▁boat", "boat"]
    tab.keyboard.press("End")
    show(tab, "beam")
    first, second = (row[1] for row in cells(tab, "#panel table:not(.fates)")[:2])
    assert first != second


def test_remarks_are_told_in_words(browse, found, tmp_path):
    told = json.loads(found.to_json())
    told["target"]["flags"] = ["protected", "retried"]
    write_page(json.dumps(told), tmp_path / "flags.html")
    tab = browse((tmp_path / "flags.html").as_uri())
    tab.wait_for_selector("#panel h2")
    assert "it was put back" in tab.inner_text("#panel")  # beside the tokens of the source, which lack it
    show(tab, "result")
    assert "the first translation was doubtful" in tab.inner_text("#panel")
    assert "flag." not in tab.inner_text("#panel")


def test_without_scaling_the_softmax_is_sharper(browse, address, found):
    tab = browse(f"{address}#part=cross&layer.cross=1&head.cross=2")
    tab.wait_for_selector("#divisor")
    scores = found.tensors["decoder.0.cross_attention.scores"][1][0].astype(np.float64)

    def shown() -> list[float]:
        return [figures(row[4].split()[-1]) for row in cells(tab, "#panel .stages")]

    def softmax(divisor: float) -> list[float]:
        raised = np.exp(scores / divisor - (scores / divisor).max())
        return list(raised / raised.sum())

    assert shown() == pytest.approx(softmax(found.model.d_k**0.5), abs=2e-3)
    tab.click("text=1 (no scaling)")
    assert shown() == pytest.approx(softmax(1.0), abs=4e-3)
    tab.focus("#divisor")
    tab.keyboard.press("End")
    assert shown() == pytest.approx(softmax(found.model.d_k), abs=2e-3)


def test_without_positions_the_encoder_cannot_tell_the_order(browse, address, found):
    tab = browse(f"{address}#part=positions")
    tab.wait_for_selector(".verdict")
    size = len(found.source.tokens)
    assert "can tell the two sentences apart" in tab.inner_text(".verdict")
    assert f"{size} of {size}" not in tab.inner_text(".verdict")
    tab.click("#without")
    assert f"{size} of {size}" in tab.inner_text(".verdict")


def test_language_and_theme_are_switched_and_remembered(browse, address):
    tab = browse(f"{address}#part=cross", color_scheme="light")
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    tab.click("#language")
    tab.wait_for_selector("#panel h2:text-is('交叉注意力')")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
    tab.reload()
    tab.wait_for_selector("#panel h2:text-is('交叉注意力')")
    assert tab.get_attribute("html", "data-theme") == "dark"
    tab.click("#language")
    tab.wait_for_selector("#panel h2:text-is('Cross-attention')")


def test_all_can_be_done_by_keyboard(browse, address):
    tab = browse(address)
    tab.wait_for_selector("#panel h2")
    tab.focus('.block[data-part="cross"]')
    tab.keyboard.press("Enter")
    tab.wait_for_selector('#panel[data-part="cross"]')
    assert tab.evaluate("document.activeElement.dataset.part") == "cross"
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.classList.contains('block')")
    tab.focus("#heat-cross-no")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowDown")
    assert "→" in tab.inner_text(".heatmap .reading")
    tab.keyboard.press("+")
    assert tab.is_visible("text=Show all")
    tab.keyboard.press("Escape")
    assert not tab.is_visible("text=Show all")
    named = "one => one.labels?.length || one.ariaLabel || one.innerText"
    assert tab.evaluate(f"[...document.querySelectorAll('button, input, select')].every({named})")


def test_dragging_over_cells_enlarges_them(browse, address):
    tab = browse(f"{address}#part=cross&head.cross=1")
    tab.wait_for_selector("#heat-cross-no")
    tab.locator("#heat-cross-no").scroll_into_view_if_needed()
    box = tab.locator("#heat-cross-no").bounding_box()
    middle, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"]
    tab.mouse.move(middle, bottom - 60)
    tab.mouse.down()
    tab.mouse.move(middle + 60, bottom - 10, steps=3)
    tab.mouse.up()
    tab.click("text=Show all")
    assert not tab.is_visible("text=Show all")


def test_what_was_left_out_is_told(browse, found, tmp_path):
    small = json.loads(found.to_json())
    kept = ("memory", "source_embedding.positions")
    small["tensors"] = {name: small["tensors"][name] for name in kept}
    small["beam"] = {"steps": [], "finished": [], "best": None, "path": []}
    write_page(json.dumps(small), tmp_path / "small.html")
    tab = browse((tmp_path / "small.html").as_uri())
    for part in PARTS:
        show(tab, part)
        if part in ("encoder", "decoder", "cross", "embedding", "feedforward"):
            assert "Not stored" in tab.inner_text("#panel"), part


def test_a_later_version_is_refused_in_words(browse, found, tmp_path):
    later = {**json.loads(found.to_json()), "version": 2}
    write_page(json.dumps(later), tmp_path / "later.html")
    assert "another version" in browse((tmp_path / "later.html").as_uri()).inner_text("main")


def test_text_of_a_sentence_is_never_read_as_html(browse, found, tmp_path):
    evil = '<img src=x onerror="document.title=1"></script>'
    told = json.loads(found.to_json())
    for side in ("source", "target"):
        told[side]["text"] = evil
        for token in told[side]["tokens"][:2]:
            token["text"] = token["piece"] = evil
    write_page(json.dumps(told), tmp_path / "evil.html")
    tab = browse((tmp_path / "evil.html").as_uri())
    for part in PARTS:
        show(tab, part)
    assert tab.title() == "Inside a translation"
    assert tab.locator("img").count() == 0


def test_right_to_left_words_turn_nothing_around_beside_them(browse, found, tmp_path):
    told = json.loads(found.to_json())
    told["target"]["text"] = told["target"]["tokens"][0]["text"] = "الأطفال"
    write_page(json.dumps(told), tmp_path / "right.html")
    tab = browse((tmp_path / "right.html").as_uri())
    tab.wait_for_selector("#panel h2")
    assert tab.get_attribute(".said", "dir") == "rtl"
    assert "\u2068الأطفال\u2069" in tab.inner_text(".timeline .told")


def test_live_the_page_asks_for_the_sentence_typed(browse, found, chromium):
    asked = []

    def serve(route: Any) -> None:
        if route.request.method == "GET":
            route.fulfill(body=page(None), content_type="text/html")
            return
        asked.append(json.loads(route.request.post_data)["text"])
        if asked[-1] == "bad":
            route.fulfill(status=400, json={"error": "The text has two sentences."})
        else:
            route.fulfill(body=found.to_json(), content_type="application/json")

    tab = browse("about:blank", offline=False)
    tab.route(f"{HOST}/**", serve)
    tab.goto(f"{HOST}/explore")
    tab.fill("#sentence", "the ferry carries")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#panel h2")
    assert found.target.text in tab.inner_text(".sentence")
    show(tab, "positions")
    tab.click("#ask-shuffled")
    tab.wait_for_function("document.querySelector('#ask-shuffled + output').textContent.length > 3")
    assert asked[0] == "the ferry carries"
    assert sorted(asked[1].split()) == sorted(found.source.text.split())


def offer(tab: Any) -> None:
    """Be a server of one direction, up to the trace."""
    tab.route(f"{HOST}/explore", lambda route: route.fulfill(body=page(None), content_type="text/html"))
    languages = [{"code": "en", "name": "English", "targets": ["en", "de"]}]
    tab.route(f"{HOST}/languages", lambda route: route.fulfill(json=languages))
    tab.route(f"{HOST}/frontend/settings", lambda route: route.fulfill(json={"keyRequired": False}))


def test_live_errors_stand_beside_the_box(browse):
    tab = browse("about:blank", offline=False)
    offer(tab)
    tab.route(f"{HOST}/v1/**", lambda route: route.fulfill(json={"error": "The text has two sentences."}))
    tab.goto(f"{HOST}/explore")
    tab.fill("#sentence", "One. Two.")
    tab.click("#ask")
    tab.wait_for_selector("#live-status.bad")


def test_live_a_sentence_in_the_address_is_asked_for_at_once(browse, found):
    asked = []

    def serve(route: Any) -> None:
        asked.append(json.loads(route.request.post_data))
        route.fulfill(body=found.to_json(), content_type="application/json")

    tab = browse("about:blank", offline=False)
    offer(tab)
    tab.route(f"{HOST}/v1/explain", serve)
    tab.goto(f"{HOST}/explore#text=two+boats&source=en&target=de")
    tab.wait_for_selector("#panel h2")
    assert asked == [{"text": "two boats", "source": "en", "target": "de"}]
    assert tab.input_value("#sentence") == "two boats"
