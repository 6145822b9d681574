"""Take the README's picture of the explorer: ``make demo && python docs/figures.py`` (Chromium; extra ``dev``)."""

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from ferryman import load
from ferryman.explain import trace, write_page

HERE = Path(__file__).parent
SENTENCE = "The children will visit the old museum tomorrow."
VIEW = "#part=cross&layer.cross=2&head.cross=2&step=3"
COLOURS = 256


def main() -> None:
    """Translate the sentence, open its page and take a picture."""
    translator = load(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/demo"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "page.html"
        write_page(trace(translator, SENTENCE).to_json(), page)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1360, "height": 1190}, locale="en-US", reduced_motion="reduce")
        tab.goto(page.as_uri() + VIEW)
        tab.wait_for_selector('#panel[data-part="cross"]')
        tab.wait_for_timeout(1000)  # pictures are drawn as they come into view
        picture = Image.open(BytesIO(tab.screenshot())).convert("RGB").quantize(COLOURS, kmeans=2)
        browser.close()
    picture.save(HERE / "explorer.png", optimize=True)


if __name__ == "__main__":
    main()
