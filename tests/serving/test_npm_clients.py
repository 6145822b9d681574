"""The clients of LibreTranslate that npm has, against a real server."""

import json
import shutil
import subprocess
import tarfile

import pytest

# Small packages that need no other at run time; so they are fetched and unpacked, not installed with all they name.
CLIENTS = ("libretranslate-ts@0.5.12", "libretranslate@1.0.1")
TOOLS = shutil.which("node") and shutil.which("npm")
SAID = """
const { libreTranslate: full } = require(process.argv[1]);
const { translate } = require(process.argv[2]);
const apiurl = process.argv[3];
full.setApiEndpoint(apiurl);
(async () => console.log(JSON.stringify({
  languages: await full.listLanguages(),
  detected: await full.detect("The river is wide."),
  plain: await full.translate("two red boats", "en", "de"),
  several: await full.translate("two red boats", "auto", "de", 2),
  wrong: await full.translate("two red boats", "en", "tlh"),
  other: await translate({ query: "two red boats", source: "en", target: "de", apiurl }),
  html: await translate({ query: "<p>two red boats</p>", target: "de", format: "html", apiurl }),
})))();
"""


@pytest.fixture(scope="module")
def packages(request):
    """Fetch the clients once; later runs find them in pytest's own cache."""
    folder = request.config.cache.mkdir("npm-clients")
    found = []
    for client in CLIENTS:
        home = folder / client
        if not (home / "package" / "package.json").is_file():
            command = ["npm", "pack", "--silent", "--pack-destination", str(folder), client]
            packed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            if packed.returncode:
                pytest.skip(f"npm has no {client} for us: {packed.stderr.strip()[:200]}")
            with tarfile.open(folder / packed.stdout.strip()) as archive:
                archive.extractall(home, filter="data")
        found.append(home / "package")
    return found


@pytest.mark.skipif(not TOOLS, reason="there is no node or no npm here")
def test_what_they_ask_is_answered_as_they_expect(packages, start, service, translator):
    address, _ = start(service)
    run = subprocess.run(
        ["node", "-e", SAID, *map(str, packages), address], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    boats = translator.translate(["two red boats"])[0].text
    assert said["languages"][0] == {"code": "en", "name": "English", "targets": ["en", "de"]}
    assert (said["detected"]["status"], said["detected"]["language"]) == (200, "en")
    assert said["plain"] == {"status": 200, "translatedText": boats}
    assert len(said["several"]["alternatives"]) == 2
    assert "tlh is not supported" in said["wrong"]["error"]
    assert (said["other"], said["html"]) == (boats, f"<p>{boats}</p>")
