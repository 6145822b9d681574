"""The server's pages in a real browser, which lets them do no more than their policies allow."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")


@pytest.fixture
def tab(start, service) -> Iterator[tuple[Any, str, list[str]]]:
    """Open a tab; what the browser complains of is noted."""
    address, _ = start(service)
    troubles: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.set_default_timeout(30_000)
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        yield tab, address, troubles
        browser.close()


def test_the_interface_can_be_tried_and_a_translation_looked_into(tab, translator):
    tab, address, troubles = tab
    tab.goto(f"{address}/docs")
    tab.locator("summary", has_text="Translate one text or several").click()
    route = tab.locator("details[open]")
    route.locator("textarea").fill('{"q": "two red boats", "source": "en", "target": "de"}')
    route.locator("button").click()
    said = translator.translate(["two red boats"])[0].text
    route.locator("pre", has_text=said).wait_for()
    tab.goto(f"{address}/explore")
    tab.fill("#sentence", "two red boats")
    tab.click("#ask")
    tab.locator("#map svg").first.wait_for()
    assert said.split()[-1] in tab.inner_text("body")
    assert troubles == []
